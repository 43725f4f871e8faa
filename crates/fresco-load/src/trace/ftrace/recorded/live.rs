// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `live`: what a program does while it runs, from the recorder beside it, without a file.

use super::block::Block;
use super::decoder::{Decoder, Step};
use super::encoder::Chunk;
use super::fetch::Fetches;
use super::follow::Follower;
use super::thread::{Due, Gaps, append_run, append_run_with, note_fetches};
use crate::parameter::{Kind, Parameter};
use crate::registry::{Build, ProgramKind};
use crate::trace::cpu::ADDRESS_LIMIT;
use crate::trace::ftrace::MAX_THREADS;
use crate::{Area, Batch, Event, Marker, Program};
use fresco_input::InputError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Entry in the table of programs.
pub(crate) static LIVE: ProgramKind = ProgramKind {
    name: "live",
    doc: "a program that `fresco record --live` runs meanwhile; nothing else can",
    parameters: &[&[Parameter {
        name: "thread",
        kind: Kind::Count {
            min: 0,
            max: MAX_THREADS as u64 - 1,
            default: 0,
        },
        doc: "the thread to simulate, of a program of several",
    }]],
    build: Build::Program(|values, _| Ok(Box::new(Unfed(values.error_of_all("found a program that nobody runs"))))),
};

/// Parts of up to a million accesses that may wait for the simulation: the recorder need not wait for each.
const WAITING: usize = 4;
/// How long to wait for a part at a time, before asking whether it is to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// What is told of a program.
#[derive(Debug)]
pub enum Fed {
    /// Blocks, before chunks that need them.
    Blocks(Vec<Block>),
    /// A part of what a thread did.
    Chunk(Chunk),
}

/// Where what a program does is told. It is over when this is dropped.
#[derive(Debug)]
pub struct Feeder(SyncSender<Fed>);

impl Feeder {
    /// Tells of a part. Waits for the simulation where it is some parts behind; false if that wants no more.
    pub fn feed(&self, part: Fed) -> bool {
        self.0.send(part).is_ok()
    }
}

/// A program that runs meanwhile: one pass over what is told of one of its threads, in memory that is not known beforehand.
pub struct Live {
    fed: Receiver<Fed>,
    stop: Box<dyn Fn() -> bool + Send>,
    thread: u16,
    blocks: Vec<Block>,
    decoder: Decoder,
    follower: Follower,
    gaps: Gaps,
    fetches: Fetches,
    /// Lines of code that the next run fetches, after how many of its accesses.
    due: Vec<(u16, Due)>,
    addresses: Vec<u64>,
    /// A chunk has begun.
    open: bool,
    begun: bool,
    over: bool,
    accesses: u64,
}

impl Live {
    /// The thread `thread` of a program, and where to tell what it does. It ends, within a part, once `stop` says so.
    pub fn new(thread: u16, stop: impl Fn() -> bool + Send + 'static) -> (Feeder, Self) {
        let (sender, fed) = sync_channel(WAITING);
        let live = Self {
            fed,
            stop: Box::new(stop),
            thread,
            blocks: Vec::new(),
            decoder: Decoder::new(),
            follower: Follower::default(),
            gaps: Gaps::default(),
            fetches: Fetches::default(),
            due: Vec::new(),
            addresses: Vec::new(),
            open: false,
            begun: false,
            over: false,
            accesses: 0,
        };
        (Feeder(sender), live)
    }

    /// Begins the next part of the thread; false if there is none.
    fn next_part(&mut self) -> bool {
        while !(self.stop)() {
            match self.fed.recv_timeout(PATIENCE) {
                Ok(Fed::Blocks(fresh)) => self.blocks.extend(fresh),
                Ok(Fed::Chunk(chunk)) if chunk.thread == self.thread => {
                    self.decoder.begin(chunk);
                    self.follower.begin();
                    self.fetches.begin();
                    self.open = true;
                    return true;
                }
                Ok(Fed::Chunk(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        false
    }

    #[inline]
    fn run(&mut self, number: u32, out: &mut Batch) -> Result<(), InputError> {
        let block = &self.blocks[number as usize];
        let addresses = &self.addresses;
        let (follower, gaps) = (&mut self.follower, &mut self.gaps);
        let bits = match &block.code {
            None => append_run(block, addresses, follower, gaps, out.buffer()),
            Some(_) => {
                note_fetches(block, &mut self.fetches, &mut self.due);
                append_run_with(&mut self.due, block, addresses, follower, gaps, out.buffer())
            }
        };
        if bits >= ADDRESS_LIMIT {
            let address = addresses.iter().max().copied().unwrap_or(bits);
            return Err(InputError::new("the program", format!("accesses address {address:#x}"))
                .allowed("virtual addresses of user space, below 2^56"));
        }
        self.accesses += addresses.len() as u64;
        Ok(())
    }

    /// All of it was told.
    fn finish(&mut self, out: &mut Batch) -> Result<(), InputError> {
        if self.accesses == 0 {
            let found = format!("found no access of thread {}", self.thread);
            return Err(InputError::new("the program", found)
                .allowed("a thread that loads or stores something")
                .help("choose another, or let it run longer"));
        }
        self.over = true;
        for marker in [Marker::Pass, Marker::End] {
            out.push(Event::Mark { marker, gap: 0 });
        }
        Ok(())
    }
}

impl Program for Live {
    fn name(&self) -> &str {
        LIVE.name
    }

    fn footprint(&self) -> Vec<Area> {
        Vec::new()
    }

    fn grows(&self) -> bool {
        true
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        if self.over {
            return Ok(false);
        }
        if !std::mem::replace(&mut self.begun, true) {
            let marker = Marker::Begin;
            out.push(Event::Mark { marker, gap: 0 });
        }
        if (self.stop)() {
            self.finish(out)?;
            return Ok(true);
        }
        while !out.is_full() {
            if !self.open && !self.next_part() {
                self.finish(out)?;
                break;
            }
            let step = self.decoder.next(&self.blocks, &mut self.addresses);
            let unsound = |found| InputError::new("what the recorder tells of the program", found).internal();
            match step.map_err(unsound)? {
                Some(Step::Run(number)) => self.run(number, out)?,
                // One thread alone waits for nobody, and has no regions.
                Some(Step::Special(_)) => {}
                None => self.open = false,
            }
        }
        Ok(true)
    }

    fn verify(&self) -> Result<(), String> {
        Ok(())
    }
}

/// A program of which nobody tells what it does.
struct Unfed(InputError);

impl Program for Unfed {
    fn name(&self) -> &str {
        LIVE.name
    }

    fn footprint(&self) -> Vec<Area> {
        Vec::new()
    }

    fn grows(&self) -> bool {
        true
    }

    fn next(&mut self, _: &mut Batch) -> Result<bool, InputError> {
        let error = self
            .0
            .clone()
            .allowed("it with `fresco record --live`, which runs the program");
        Err(error.help("record the program (`fresco record -o FILE`), and replay it with program = \"trace\""))
    }

    fn verify(&self) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Encoder, Site, Source};
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A load, an instruction without access, a store of what was loaded.
    fn block() -> Block {
        let site = |instruction, write| Site {
            instruction,
            size: 8,
            write,
            address: Source::default(),
            data: Source {
                load: u16::from(write),
                ..Source::default()
            },
            beside: 0,
            distance: 0,
        };
        Block {
            address: 0x1000,
            instructions: 3,
            sites: vec![site(0, false), site(2, true)],
            changed: Default::default(),
            code: None,
        }
    }

    fn chunk(thread: u16, runs: u64) -> Chunk {
        let (mut encoder, block) = (Encoder::new(thread), block());
        (0..runs).for_each(|run| encoder.run(0, &block, &[0x10_0000 + run * 4096, 0x20_0000]));
        encoder.take()
    }

    fn events(live: &mut Live) -> Result<Vec<Event>, InputError> {
        let (mut batch, mut events) = (Batch::new(), Vec::new());
        while live.next(&mut batch)? {
            events.extend_from_slice(batch.events());
            batch.clear();
        }
        Ok(events)
    }

    #[test]
    fn a_thread_is_what_was_told_of_it_and_ends_with_the_telling() {
        let (feeder, mut live) = Live::new(0, || false);
        assert!(feeder.feed(Fed::Blocks(vec![block()])) && feeder.feed(Fed::Chunk(chunk(0, 2))));
        assert!(feeder.feed(Fed::Chunk(chunk(1, 50))) && feeder.feed(Fed::Chunk(chunk(0, 1))));
        drop(feeder);
        let events = events(&mut live).expect("sound");
        let marks: Vec<Marker> = events.iter().filter_map(mark).collect();
        assert_eq!(marks, [Marker::Begin, Marker::Pass, Marker::End]);
        let op = |event: &Event| match event {
            Event::Op(op) => Some((op.addr.0, op.gap, op.dep, op.write)),
            _ => None,
        };
        let ops: Vec<_> = events.iter().filter_map(op).collect();
        let pair = |at| [(at, 0, 0, false), (0x20_0000, 1, 1, true)];
        assert_eq!(ops, [pair(0x10_0000), pair(0x10_1000), pair(0x10_0000)].concat());
    }

    fn mark(event: &Event) -> Option<Marker> {
        match event {
            Event::Mark { marker, .. } => Some(*marker),
            _ => None,
        }
    }

    #[test]
    fn it_ends_within_a_part_when_it_is_told_to_and_whoever_tells_of_it_does_not_wait() {
        let asked = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&asked);
        let (feeder, mut live) = Live::new(0, move || stop.load(Ordering::Relaxed));
        assert!(feeder.feed(Fed::Blocks(vec![block()])) && feeder.feed(Fed::Chunk(chunk(0, 100_000))));
        let mut batch = Batch::new();
        assert!(live.next(&mut batch).expect("sound"));
        asked.store(true, Ordering::Relaxed);
        let rest = events(&mut live).expect("sound");
        assert_eq!(
            rest.iter().filter_map(mark).collect::<Vec<_>>(),
            [Marker::Pass, Marker::End]
        );
        drop(live);
        assert!(!feeder.feed(Fed::Blocks(Vec::new())));
    }

    #[test]
    fn without_an_access_and_without_a_recorder_there_is_nothing() {
        let (feeder, mut live) = Live::new(3, || false);
        assert!(feeder.feed(Fed::Blocks(vec![block()])) && feeder.feed(Fed::Chunk(chunk(0, 1))));
        drop(feeder);
        let error = events(&mut live).expect_err("thread 0 is another one");
        assert!(error.to_string().contains("no access of thread 3"), "{error}");
        let mut unfed = crate::build("live", "", &crate::Setting::default()).expect("is built");
        let error = unfed.next(&mut Batch::new()).expect_err("is not fed").to_string();
        assert!(error.contains("fresco record --live"), "{error}");
    }
}
