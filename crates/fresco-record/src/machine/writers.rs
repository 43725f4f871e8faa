// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace for each processor.

use super::streams::{Sink, Streams};
use super::{Processor, Recorded, output};
use crate::Failure;
use fresco_load::Marker;
use fresco_load::trace::ftrace::{Addresses, Header, Record, TraceWriter, What};
use fresco_load::trace::shortened;
use fresco_ring::Taken;
use std::fs::File;
use std::io::{self, BufWriter};

/// A trace.
struct Writer {
    file: TraceWriter<BufWriter<File>>,
    accesses: u64,
}

impl Sink for Writer {
    #[inline(always)]
    fn take(&mut self, record: &Record) -> io::Result<()> {
        self.accesses += 1;
        self.file.push(record)
    }
}

/// The traces.
pub struct Writers<'a> {
    processors: &'a [Processor],
    streams: Streams<Writer>,
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
                .map(|file| Writer { file, accesses: 0 })
                .map_err(|error| output(&processor.trace, &error))
        };
        let writers = processors.iter().map(open).collect::<Result<_, _>>()?;
        let numbers = processors.iter().map(|processor| processor.number).collect();
        Ok(Self {
            processors,
            streams: Streams::new(numbers, writers),
        })
    }

    /// Takes words.
    pub fn take(&mut self, taken: Taken<'_>) {
        self.streams.take(taken);
    }

    /// Returns true if a trace cannot be written any more.
    pub fn has_failed(&self) -> bool {
        self.streams.has_failed()
    }

    /// Ends the traces; instructions behind the last access stand before a mark.
    pub fn finish(mut self) -> Result<Vec<Recorded>, Failure> {
        self.streams.end();
        if let Some(error) = self.streams.take_failure() {
            return Err(output(&self.processors[0].trace, &error));
        }
        let rests: Vec<(u64, u64)> = (0..self.processors.len())
            .map(|number| self.streams.rest(number))
            .collect();
        let mut all = Vec::new();
        for (number, mut writer) in self.streams.into_sinks().into_iter().enumerate() {
            let failed = |error: io::Error| output(&self.processors[number].trace, &error);
            let (gap, instructions) = rests[number];
            all.push(Recorded {
                instructions,
                accesses: writer.accesses,
            });
            if gap > 0 {
                let record = Record {
                    thread: 0,
                    gap: gap.min(u32::MAX.into()),
                    what: What::Mark(Marker::Pass),
                };
                writer.file.push(&record).map_err(failed)?;
            }
            writer.file.finish().map_err(failed)?;
        }
        Ok(all)
    }

    /// Instructions recorded so far.
    pub fn instructions(&self) -> u64 {
        self.streams.instructions()
    }
}

#[cfg(test)]
mod tests;
