// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the words of processors to a trace for each.

use super::code::{Code, Index};
use super::values::{Seen, Values};
use super::{Processor, Recorded, output};
use crate::Failure;
use fresco_load::Marker;
use fresco_load::trace::ftrace::{Addresses, Header, Record, TraceWriter, What};
use fresco_load::trace::shortened;
use fresco_ring::Taken;
use fresco_ring::physical::{Access, Defined, Word};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};

type Writer = TraceWriter<BufWriter<File>>;

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
}

/// The traces.
pub struct Writers<'a> {
    processors: &'a [Processor],
    writers: Vec<Writer>,
    recorded: Vec<Recorded>,
    streams: BTreeMap<u32, Stream>,
    code: Code,
    failed: Option<io::Error>,
}

impl<'a> Writers<'a> {
    /// Begins the traces of these processors.
    ///
    /// # Errors
    /// One cannot be written.
    pub fn new(processors: &'a [Processor], tool: &str) -> Result<Self, Failure> {
        let open = |processor: &Processor| {
            let header = Header {
                program: shortened(&processor.program),
                tool: tool.to_owned(),
                addresses: Addresses::Physical,
                ..Header::default()
            };
            File::create(&processor.trace)
                .and_then(|file| TraceWriter::new(BufWriter::new(file), &header))
                .map_err(|error| output(&processor.trace, &error))
        };
        Ok(Self {
            processors,
            writers: processors.iter().map(open).collect::<Result<_, _>>()?,
            recorded: vec![Recorded::default(); processors.len()],
            streams: BTreeMap::new(),
            code: Code::default(),
            failed: None,
        })
    }

    /// Takes words.
    pub fn take(&mut self, taken: Taken<'_>) {
        if let Err(error) = self.words(taken) {
            self.failed.get_or_insert(error);
        }
    }

    /// Returns true if a trace cannot be written any more.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    fn words(&mut self, taken: Taken<'_>) -> io::Result<()> {
        let stream = self.streams.entry(taken.stream).or_default();
        let mut rest = taken.words;
        while let Some((word, more)) = rest.split_first() {
            rest = more;
            match Word::of(*word) {
                Some(Word::Block(number)) => {
                    let next = self.code.block(number);
                    if next.is_none() && stream.processor.is_some() {
                        return Err(unknown("a block that was not defined"));
                    }
                    stream.finish_run(&self.code, next, &mut self.writers, &mut self.recorded)?;
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
                    stream.processor = self.processors.iter().position(|processor| processor.number == number);
                }
                Some(Word::End(instructions)) => {
                    stream.end(instructions, &self.code, &mut self.writers, &mut self.recorded)?
                }
                None => return Err(unknown("a word of no meaning")),
            }
        }
        Ok(())
    }

    /// Ends the traces; instructions behind the last access stand before a mark.
    pub fn finish(mut self) -> Result<Vec<Recorded>, Failure> {
        for stream in self.streams.values_mut() {
            let done = stream.finish_run(&self.code, None, &mut self.writers, &mut self.recorded);
            if let Err(error) = done {
                self.failed.get_or_insert(error);
            }
        }
        if let Some(error) = self.failed {
            return Err(output(&self.processors[0].trace, &error));
        }
        for (number, mut writer) in self.writers.into_iter().enumerate() {
            let failed = |error: io::Error| output(&self.processors[number].trace, &error);
            let stream = self.streams.values().find(|stream| stream.processor == Some(number));
            let clock = stream.map_or(Clock::default(), |stream| stream.clock);
            let gap = clock.before.saturating_sub(clock.told);
            self.recorded[number].instructions = clock.told + gap;
            if gap > 0 {
                let record = Record {
                    thread: 0,
                    gap: gap.min(u32::MAX.into()),
                    what: What::Mark(Marker::Pass),
                };
                writer.push(&record).map_err(failed)?;
            }
            writer.finish().map_err(failed)?;
        }
        Ok(self.recorded)
    }

    /// Instructions recorded so far.
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
    fn finish_run(
        &mut self,
        code: &Code,
        next: Option<Index>,
        writers: &mut [Writer],
        recorded: &mut [Recorded],
    ) -> io::Result<()> {
        let Some(running) = std::mem::replace(&mut self.running, next) else {
            return Ok(());
        };
        let block = &code[running];
        match self.processor {
            Some(processor) if !self.seen.is_empty() => {
                let (writer, recorded, clock) = (&mut writers[processor], &mut recorded[processor], &mut self.clock);
                self.values.run_seen(&block.flow, &self.seen, |access, dep| {
                    recorded.accesses += 1;
                    writer.push(&record(access, dep, clock.gap(access.place.into())))
                })?;
            }
            _ => self.values.run(&block.flow),
        }
        self.seen.clear();
        self.values.pass(block.instructions);
        self.clock.before += block.instructions;
        if next.is_none_or(|next| !code.leads_to(block, &code[next])) {
            self.values.forget();
        }
        Ok(())
    }

    /// Of the last block so many instructions are recorded.
    fn end(
        &mut self,
        instructions: u64,
        code: &Code,
        writers: &mut [Writer],
        recorded: &mut [Recorded],
    ) -> io::Result<()> {
        let before = self.clock.before;
        self.finish_run(code, None, writers, recorded)?;
        self.clock.before = self.clock.before.min(before.saturating_add(instructions));
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

#[cfg(test)]
mod tests;
