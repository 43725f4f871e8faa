// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes records in any format that can be written, and counts what it cannot hold.

mod champsim;
mod lines;
#[cfg(test)]
mod tests;

use super::format::Format;
use super::ftrace::{Header, Record, TraceWriter, Unit, What};
use super::records::Lost;
use champsim::ChampSimWriter;
use lines::LineWriter;
use std::io::{self, Write};

/// How records are written.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    /// The format; [`Format::Lackey`] is not written.
    pub format: Format,
    /// The thread to write. `None`: all of them where the format has threads, or the records are requests in cycles; else the one that comes
    /// first.
    pub thread: Option<u16>,
    /// Instructions that pass in a cycle of the memory, at least 1: what times of accesses are made from, where records count instructions.
    pub instructions_per_cycle: u64,
}

impl Format {
    /// The formats that can be written, and their names.
    pub const WRITTEN: [(&'static str, Self); 6] = [
        ("fresco", Self::Fresco),
        ("ramulator-cpu", Self::RamulatorCpu),
        ("ramulator", Self::Ramulator),
        ("load-store", Self::LoadStore),
        ("dramsim3", Self::DramSim3),
        ("champsim", Self::ChampSim),
    ];
}

/// What could not be held, by name, in the order in which it was met.
#[derive(Debug, Default)]
struct Losses(Vec<Lost>);

impl Losses {
    fn add(&mut self, count: u64, what: &'static str) {
        if count == 0 {
            return;
        }
        match self.0.iter_mut().find(|lost| lost.what == what) {
            Some(lost) => lost.count += count,
            None => self.0.push(Lost { count, what }),
        }
    }
}

/// A trace that is being written. Memory is bounded: buffers, some bytes per thread.
pub struct Exporter<W: Write> {
    sink: Sink<W>,
    unit: Unit,
    /// Holds threads side by side.
    threaded: bool,
    thread: Option<u16>,
    /// Cycles of records that were left out, for the next one.
    late: u64,
    accesses: u64,
    losses: Losses,
}

enum Sink<W: Write> {
    Fresco(Box<TraceWriter<W>>),
    Lines(LineWriter<W>),
    ChampSim(Box<ChampSimWriter<W>>),
}

/// A trace that has been written.
pub struct Exported<W> {
    /// Where it was written to.
    pub out: W,
    /// Accesses written.
    pub accesses: u64,
    /// What the format could not hold.
    pub lost: Vec<Lost>,
}

impl<W: Write> Exporter<W> {
    /// Begins a trace in `out`; `header` says of the records what program they are of and what their gaps count.
    ///
    /// # Errors
    /// `out` fails, or a text of the header is too long.
    pub fn new(out: W, export: &Export, header: &Header) -> io::Result<Self> {
        let sink = match export.format {
            Format::Fresco => {
                let header = Header {
                    expected: None,
                    ..header.clone()
                };
                Sink::Fresco(Box::new(TraceWriter::new(out, &header)?))
            }
            Format::ChampSim => Sink::ChampSim(Box::new(ChampSimWriter::new(out, header.unit))),
            format => Sink::Lines(LineWriter::new(out, format, header.unit, export.instructions_per_cycle)),
        };
        Ok(Self {
            sink,
            unit: header.unit,
            threaded: export.format == Format::Fresco,
            thread: export.thread,
            late: 0,
            accesses: 0,
            losses: Losses::default(),
        })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// The output fails, or the record breaks the format ([`io::ErrorKind::InvalidInput`]).
    #[inline]
    pub fn push(&mut self, record: &Record) -> io::Result<()> {
        let mut record = *record;
        let is_access = matches!(record.what, What::Access { .. });
        if !self.threaded && self.unit == Unit::Instructions && self.thread.is_none() {
            self.thread = Some(record.thread);
        }
        if self.thread.is_some_and(|thread| thread != record.thread) {
            self.losses
                .add(u64::from(is_access), "accesses of other threads (--thread chooses one)");
            if self.unit == Unit::Cycles {
                self.late = self.late.saturating_add(record.gap);
            }
            return Ok(());
        }
        record.gap = record.gap.saturating_add(std::mem::take(&mut self.late));
        if !self.threaded && record.thread != 0 && self.thread.is_none() {
            self.losses.add(u64::from(is_access), "numbers of threads");
        }
        self.accesses += u64::from(is_access);
        match &mut self.sink {
            Sink::Fresco(writer) => writer.push(&record),
            Sink::Lines(writer) => writer.push(&record, &mut self.losses),
            Sink::ChampSim(writer) => writer.push(&record, &mut self.losses),
        }
    }

    /// Accesses so far.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The output fails.
    pub fn finish(mut self) -> io::Result<Exported<W>> {
        let out = match self.sink {
            Sink::Fresco(writer) => writer.finish()?,
            Sink::Lines(writer) => writer.finish(&mut self.losses)?,
            Sink::ChampSim(writer) => writer.finish()?,
        };
        Ok(Exported {
            out,
            accesses: self.accesses,
            lost: self.losses.0,
        })
    }
}
