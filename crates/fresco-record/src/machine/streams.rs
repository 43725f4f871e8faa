// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the words of processors to records of what each does.

use super::code::{Code, Index};
use super::values::{Seen, Values};
use fresco_load::trace::ftrace::{Record, What};
use fresco_ring::Taken;
use fresco_ring::physical::{Access, Defined, PAUSE, Word};
use std::collections::BTreeMap;
use std::io;

/// Where the records of a processor go.
pub trait Sink {
    /// Takes the next one.
    ///
    /// # Errors
    /// It cannot be written.
    fn take(&mut self, record: &Record) -> io::Result<()>;
}

/// A processor's stream of words.
#[derive(Default)]
struct Stream {
    /// Index among the processors; `None` for one that nobody asked for.
    processor: Option<usize>,
    /// The block that runs.
    running: Option<Index>,
    /// What was seen of it so far.
    seen: Vec<Seen>,
    /// Accesses that have come.
    came: u64,
    values: Values,
    clock: Clock,
    /// Instructions for which a PAUSE counts beyond itself.
    pause: u64,
    /// Its end was told.
    is_over: bool,
}

/// Instructions of a processor: those before the block that runs, and those that the records so far account for.
#[derive(Clone, Copy, Default)]
struct Clock {
    before: u64,
    told: u64,
}

impl Clock {
    /// Instructions without access before the access at this place of the block.
    fn gap(&mut self, place: u64) -> u64 {
        let gap = (self.before + place).saturating_sub(self.told);
        self.told += gap + 1;
        gap
    }

    /// Instructions without access since the last one; from here on they have been told.
    fn rest(&mut self) -> u64 {
        let rest = self.before.saturating_sub(self.told);
        self.told += rest;
        rest
    }
}

/// The streams of all processors, and where they go.
pub struct Streams<S> {
    /// Numbers of the processors that are asked for.
    numbers: Vec<u32>,
    /// Of each, where its records go.
    sinks: Vec<S>,
    streams: BTreeMap<u32, Stream>,
    code: Code,
    pause: u64,
    failed: Option<io::Error>,
}

impl<S: Sink> Streams<S> {
    /// Of processors with these numbers, each with its sink.
    pub fn new(numbers: Vec<u32>, sinks: Vec<S>) -> Self {
        Self {
            numbers,
            sinks,
            streams: BTreeMap::new(),
            code: Code::default(),
            pause: 0,
            failed: None,
        }
    }

    /// A PAUSE counts for [`PAUSE`] instructions, since a processor that waits executes it.
    pub fn heeding_pauses(self) -> Self {
        Self {
            pause: PAUSE - 1,
            ..self
        }
    }

    /// Takes words.
    pub fn take(&mut self, taken: Taken<'_>) {
        if let Err(error) = self.words(taken) {
            self.failed.get_or_insert(error);
        }
    }

    /// Returns true if nothing can be taken any more.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Why, asked once.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    fn words(&mut self, taken: Taken<'_>) -> io::Result<()> {
        let pause = self.pause;
        let stream = self.streams.entry(taken.stream).or_insert_with(|| Stream {
            pause,
            ..Stream::default()
        });
        let mut rest = taken.words;
        while let Some((word, more)) = rest.split_first() {
            rest = more;
            match Word::of(*word) {
                Some(Word::Block(number)) => {
                    let next = self.code.block(number);
                    if next.is_none() && stream.processor.is_some() {
                        return Err(unknown("a block that was not defined"));
                    }
                    stream.finish_run(&self.code, next, &mut self.sinks)?;
                }
                // Before its first block a stream says nothing.
                Some(Word::Access(_) | Word::Hit { .. }) if stream.running.is_none() => {}
                Some(Word::Access(access)) => {
                    stream.came += 1;
                    stream.seen.push(Seen::Access(access));
                }
                Some(Word::Hit { place, after }) => {
                    let load = stream.came.saturating_sub(after.into());
                    stream.seen.push(Seen::Hit(place, load));
                }
                Some(Word::Define { instructions, number }) => {
                    let (defined, taken) =
                        Defined::read(instructions, more).ok_or_else(|| unknown("a definition that is cut off"))?;
                    self.code.define(number, defined).map_err(unknown)?;
                    rest = &more[taken..];
                }
                Some(Word::Begin(number)) => {
                    stream.processor = self.numbers.iter().position(|of| *of == number);
                }
                Some(Word::End(instructions)) => stream.end(instructions, &self.code, &mut self.sinks)?,
                None => return Err(unknown("a word of no meaning")),
            }
        }
        Ok(())
    }

    /// All that was begun is over.
    pub fn end(&mut self) {
        for stream in self.streams.values_mut() {
            let done = stream.finish_run(&self.code, None, &mut self.sinks);
            if let Err(error) = done {
                self.failed.get_or_insert(error);
            }
        }
    }

    /// Where the records of the processor at this place go.
    pub fn sink(&mut self, processor: usize) -> &mut S {
        &mut self.sinks[processor]
    }

    /// All of them.
    pub fn into_sinks(self) -> Vec<S> {
        self.sinks
    }

    /// Instructions of a processor since its last access, which are told thereby, and all of them.
    pub fn rest(&mut self, processor: usize) -> (u64, u64) {
        let stream = self
            .streams
            .values_mut()
            .find(|stream| stream.processor == Some(processor));
        stream.map_or((0, 0), |stream| (stream.clock.rest(), stream.clock.told))
    }

    /// Returns true if the end of a processor was told.
    pub fn is_over(&self, processor: usize) -> bool {
        let mut streams = self.streams.values();
        streams.any(|stream| stream.processor == Some(processor) && stream.is_over)
    }

    /// Instructions so far.
    pub fn instructions(&self) -> u64 {
        self.streams.values().map(|stream| stream.clock.told).sum()
    }
}

fn unknown(what: &str) -> io::Error {
    io::Error::other(format!("the emulator's plugin wrote {what}: it is of another version"))
}

impl Stream {
    /// The block that runs is over, and this one runs.
    #[inline(always)]
    fn finish_run<S: Sink>(&mut self, code: &Code, next: Option<Index>, sinks: &mut [S]) -> io::Result<()> {
        let Some(running) = std::mem::replace(&mut self.running, next) else {
            return Ok(());
        };
        let block = &code[running];
        match self.processor {
            Some(processor) if !self.seen.is_empty() => {
                let (sink, clock) = (&mut sinks[processor], &mut self.clock);
                self.values.run_seen(&block.flow, &self.seen, |access, dep| {
                    sink.take(&record(access, dep, clock.gap(access.place.into())))
                })?;
            }
            _ => self.values.run(&block.flow),
        }
        self.seen.clear();
        self.values.pass(block.instructions);
        self.clock.before += block.instructions + u64::from(block.pauses) * self.pause;
        if next.is_none_or(|next| !code.leads_to(block, &code[next])) {
            self.values.forget();
        }
        Ok(())
    }

    /// Of the last block so many instructions are recorded.
    fn end<S: Sink>(&mut self, instructions: u64, code: &Code, sinks: &mut [S]) -> io::Result<()> {
        let before = self.clock.before;
        self.finish_run(code, None, sinks)?;
        self.clock.before = self.clock.before.min(before.saturating_add(instructions));
        self.is_over = true;
        Ok(())
    }
}

fn record(access: &Access, dep: u32, gap: u64) -> Record {
    Record {
        thread: 0,
        // A processor that has slept for longer has slept long enough.
        gap: gap.min(u32::MAX.into()),
        what: What::Access {
            addr: access.address,
            size: access.size,
            write: access.store,
            dep,
        },
    }
}
