// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that compresses and writes the trace, and sums up.

use crate::disk::Disk;
use crate::live::Simulated;
use fresco_load::trace::ftrace::recorded::{
    About, Block, Chunk, Dependences, Ending, Kind, Range, RecordedWriter, Region, ThreadTotals, Trailer, dependences,
};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// What is written.
#[derive(Debug)]
pub enum Message {
    /// Blocks, before chunks that need them.
    Blocks(Vec<Block>),
    /// A part of what a thread did, and the pages that it touched there for the first time.
    Chunk(Chunk, Vec<(u64, Kind)>),
    /// All that a thread did is said.
    Over(u16),
    /// All is said; and the regions that the program marked.
    End(Ending, Vec<Region>),
}

/// Parts that wait to be written: the analysis need not wait for each.
const WAITING: usize = 4;

/// A written trace: what its trailer says, and its bytes.
pub type Written = io::Result<(Trailer, u64)>;

/// Why nothing more can be written, once that is so.
pub type Fault = Arc<OnceLock<String>>;

/// Where messages go.
pub enum Sender {
    /// Into a file.
    File(FileSender),
    /// Into a simulation.
    Simulation(Simulated),
}

impl Sender {
    /// Hands on a message.
    ///
    /// # Errors
    /// Nothing more can be written; the end is to be said all the same.
    pub fn send(&mut self, message: Message) -> Result<(), String> {
        match self {
            Self::File(file) => file.send(message),
            Self::Simulation(simulated) => {
                simulated.take(message);
                Ok(())
            }
        }
    }

    /// Returns true if nothing more is wanted.
    pub fn has_enough(&self) -> bool {
        matches!(self, Self::Simulation(simulated) if simulated.has_enough())
    }
}

/// Where messages for a file go.
pub struct FileSender {
    messages: SyncSender<Message>,
    fault: Fault,
}

impl FileSender {
    fn send(&self, message: Message) -> Result<(), String> {
        let sent = self.messages.send(message);
        match self.fault.get() {
            Some(fault) => Err(fault.clone()),
            None => sent.map_err(|_| "the trace cannot be written".to_owned()),
        }
    }

    /// Why nothing more can be written.
    pub fn fault(&self) -> Fault {
        Arc::clone(&self.fault)
    }
}

/// Begins the trace `path` and the thread that writes it.
pub fn begin(path: &Path, about: &About) -> io::Result<(FileSender, JoinHandle<Written>)> {
    let writer = RecordedWriter::new(Disk::create(path)?, about)?;
    let (messages, receiver) = sync_channel(WAITING);
    let fault = Fault::default();
    let writing = Writing {
        writer,
        blocks: Vec::new(),
        threads: BTreeMap::new(),
        pages: 0,
        counter: dependences::Counter::default(),
        fault: Arc::clone(&fault),
    };
    let thread = std::thread::Builder::new()
        .name("trace".into())
        .spawn(move || writing.all(&receiver))?;
    Ok((FileSender { messages, fault }, thread))
}

/// A thread as far as it is written.
#[derive(Default)]
struct Thread {
    dependences: Dependences,
    pages: Vec<(u64, Kind)>,
}

struct Writing {
    writer: RecordedWriter<Disk>,
    blocks: Vec<Block>,
    threads: BTreeMap<u16, Thread>,
    /// Of all threads.
    pages: u64,
    counter: dependences::Counter,
    fault: Fault,
}

impl Writing {
    fn all(mut self, messages: &Receiver<Message>) -> Written {
        let mut ending = Ending::Failed;
        for message in messages {
            let is_full = self.fault.get().is_some();
            match message {
                Message::Blocks(fresh) if !is_full => {
                    let done = self.writer.blocks(&fresh);
                    self.blocks.extend(fresh);
                    self.wrote(done)?;
                }
                Message::Chunk(chunk, pages) if !is_full => self.chunk(&chunk, pages)?,
                Message::Blocks(_) | Message::Chunk(..) => {}
                Message::Over(thread) => {
                    self.threads.entry(thread).or_default();
                }
                Message::End(how, regions) => {
                    // Of a program that ended before this was noticed.
                    ending = if is_full { Ending::Failed } else { how };
                    self.writer.regions(regions);
                    break;
                }
            }
        }
        let totals = self.threads.into_iter().map(|(thread, of)| ThreadTotals {
            thread,
            dependences: of.dependences,
            ranges: ranges(of.pages),
            ..ThreadTotals::default()
        });
        self.writer.out().use_up();
        let (disk, trailer) = self.writer.finish(ending, totals.collect())?;
        Ok((trailer, disk.finish()?))
    }

    fn chunk(&mut self, chunk: &Chunk, pages: Vec<(u64, Kind)>) -> io::Result<()> {
        let found = self.counter.count(chunk, &self.blocks).map_err(io::Error::other)?;
        let sections = self.writer.sections() as u64;
        self.writer.out().spare(sections, self.pages + pages.len() as u64);
        let done = self.writer.chunk(chunk);
        if done.is_ok() {
            self.pages += pages.len() as u64;
            let of = self.threads.entry(chunk.thread).or_default();
            of.dependences.add(&found);
            of.pages.extend(pages);
        }
        self.wrote(done)
    }

    /// A section was written, or could not be: then the trace ends before it.
    fn wrote(&mut self, done: io::Result<()>) -> io::Result<()> {
        let Err(error) = done else { return Ok(()) };
        let sound = self.writer.bytes();
        self.writer.out().back_to(sound)?;
        let _ = self.fault.set(error.to_string());
        Ok(())
    }
}

/// Pages as ranges.
fn ranges(mut pages: Vec<(u64, Kind)>) -> Vec<Range> {
    pages.sort_unstable();
    let mut ranges: Vec<Range> = Vec::new();
    for (page, kind) in pages {
        match ranges.last_mut() {
            Some(range) if range.first + range.pages == page && range.kind == kind => range.pages += 1,
            _ => ranges.push(Range {
                first: page,
                pages: 1,
                kind,
            }),
        }
    }
    ranges
}
