// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address traces for the memory alone: what reaches it, and when.

use super::format::{Format, Opened, open_file, open_stream};
use super::ftrace::{Header, Record, TraceReader, Unit, What};
use super::records::Records;
use super::tap::Tap;
use super::text::{Field, Lines, MemoryLine, canonical_dramsim3, dramsim3, load_store, ramulator, ramulator_cpu};
use fresco_dram::{Cycle, LONGEST_GAP, PhysAddr};
use fresco_input::{InputError, file_name};
use std::io::Read;
use std::path::Path;

/// One request to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRecord {
    /// The earliest cycle of the memory controller in which it arrives. Never less than that of the record before. 0
    /// throughout where the trace has no times: requests come as fast as they are accepted.
    pub arrival: Cycle,
    /// Address.
    pub addr: PhysAddr,
    /// A write.
    pub write: bool,
}

/// Requests out of a trace of any format, one by one; memory is bounded whatever the length of the trace.
///
/// Times are those of DRAMsim3 traces and of Fresco traces in cycles. Processor traces are read as requests without
/// times: the gaps are skipped, and a write-back follows its read; so are traces of instructions (lackey, ChampSim, drmemtrace).
pub struct MemoryTrace {
    source: Source,
    /// Write-back of the line read last, still to be handed out.
    write_back: Option<u64>,
    /// Arrival of the record before.
    arrival: Cycle,
    /// The stream below all decoding.
    tap: Tap,
}

enum Source {
    DramSim3(Lines),
    Ramulator(Lines),
    LoadStore(Lines),
    Processor(Lines),
    Fresco(Box<TraceReader>),
    Instructions(Box<dyn Records>, Format),
}

impl MemoryTrace {
    /// Opens a trace file, compressed or not; `-` is standard input. Without a `format` it is found out from the first
    /// access.
    ///
    /// # Errors
    /// The file cannot be read, or is no trace of that (or any) format, or holds samples.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self, InputError> {
        let (opened, tap) = open_file(path, format)?;
        opened.check_whole(&file_name(path))?;
        Self::of(opened, tap)
    }

    /// Reads a trace from any stream; `name` is for errors.
    ///
    /// # Errors
    /// As [`MemoryTrace::open`].
    pub fn new(name: &str, reader: impl Read + Send + 'static, format: Option<Format>) -> Result<Self, InputError> {
        let (opened, tap) = open_stream(name, reader, format)?;
        opened.check_whole(name)?;
        Self::of(opened, tap)
    }

    /// Reads a trace whose format is known.
    ///
    /// # Errors
    /// A header that is damaged.
    pub(super) fn of(opened: Opened, tap: Tap) -> Result<Self, InputError> {
        let source = match opened {
            Opened::Instructions(records, format) => Source::Instructions(records, format),
            Opened::Binary(input) => Source::Fresco(Box::new(TraceReader::begin(input)?)),
            Opened::Text(lines, Format::RamulatorCpu) => Source::Processor(lines),
            Opened::Text(lines, Format::Ramulator) => Source::Ramulator(lines),
            Opened::Text(lines, Format::LoadStore) => Source::LoadStore(lines),
            Opened::Text(lines, _) => Source::DramSim3(lines),
        };
        Ok(Self {
            source,
            write_back: None,
            arrival: 0,
            tap,
        })
    }

    /// The digest of the file as it lies there: XXH64, in 16 hexadecimal digits. Asked for when the trace is over; what
    /// is left of it is read.
    ///
    /// # Errors
    /// The file cannot be read to its end.
    pub fn digest(&self) -> std::io::Result<String> {
        self.tap.digest()
    }

    /// Its format.
    pub fn format(&self) -> Format {
        match &self.source {
            Source::DramSim3(_) => Format::DramSim3,
            Source::Ramulator(_) => Format::Ramulator,
            Source::LoadStore(_) => Format::LoadStore,
            Source::Processor(_) => Format::RamulatorCpu,
            Source::Fresco(_) => Format::Fresco,
            Source::Instructions(_, format) => *format,
        }
    }

    /// Returns true if the trace is of a program and says how many instructions lie between its accesses: there is no core here that would
    /// take time for them, so they are left out.
    pub fn leaves_gaps_out(&self) -> bool {
        match &self.source {
            Source::DramSim3(_) | Source::Ramulator(_) | Source::LoadStore(_) => false,
            Source::Processor(_) | Source::Instructions(..) => true,
            Source::Fresco(reader) => reader.header().unit == Unit::Instructions,
        }
    }

    /// The next request; `None` at the end of the trace.
    ///
    /// # Errors
    /// A line or record that is damaged or truncated, arrives before the one before it, or more than [`LONGEST_GAP`]
    /// after it.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<MemoryRecord>, InputError> {
        let line = match &mut self.source {
            Source::DramSim3(lines) => next_of_dramsim3(lines)?,
            Source::Ramulator(lines) => parsed(lines, ramulator)?,
            Source::LoadStore(lines) => parsed(lines, load_store)?,
            Source::Processor(lines) => next_of_processor(lines, &mut self.write_back)?,
            Source::Fresco(reader) => next_access(reader, self.arrival)?,
            Source::Instructions(records, _) => next_of_instructions(&mut **records)?,
        };
        let Some(line) = line else { return Ok(None) };
        // Goes the wrong way, too: the difference is then huge.
        if line.arrival.wrapping_sub(self.arrival) > LONGEST_GAP {
            return Err(self.out_of_time(line.arrival));
        }
        self.arrival = line.arrival;
        Ok(Some(MemoryRecord {
            arrival: line.arrival,
            addr: PhysAddr(line.addr),
            write: line.write,
        }))
    }

    /// An error about the request that came last, with its place: an address beyond the memory, for example.
    #[cold]
    pub fn error_here(&self, found: impl Into<String>) -> InputError {
        match &self.source {
            Source::DramSim3(lines)
            | Source::Ramulator(lines)
            | Source::LoadStore(lines)
            | Source::Processor(lines) => lines.error(found),
            Source::Fresco(reader) => reader.error_here(found),
            Source::Instructions(records, _) => records.error_here(found.into()),
        }
    }

    #[cold]
    fn out_of_time(&self, arrival: Cycle) -> InputError {
        let found = format!("found cycle {arrival}, after cycle {}", self.arrival);
        let error = self.error_here(found).in_field("cycle");
        if arrival < self.arrival {
            return error
                .allowed("cycles that do not go backwards")
                .help("sort the trace by its cycles");
        }
        let help = match self.arrival {
            0 => "subtract the cycle of the first request from all, or correct the line",
            _ => "shorten the pause, or correct the line",
        };
        error
            .allowed(format!("at most {LONGEST_GAP} cycles from one request to the next"))
            .help(help)
    }

    /// What a trace in Fresco's own format says about itself.
    pub fn header(&self) -> Option<&Header> {
        match &self.source {
            Source::Fresco(reader) => Some(reader.header()),
            _ => None,
        }
    }
}

impl Iterator for MemoryTrace {
    type Item = Result<MemoryRecord, InputError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

/// The next line, read by `parse`.
#[inline]
pub(super) fn parsed<T>(lines: &mut Lines, parse: impl Fn(&[u8]) -> Field<T>) -> Result<Option<T>, InputError> {
    match lines.next()?.map(parse) {
        Some(Ok(line)) => Ok(Some(line)),
        Some(Err(fault)) => Err(lines.field_error(*fault)),
        None => Ok(None),
    }
}

#[inline]
fn next_of_dramsim3(lines: &mut Lines) -> Result<Option<MemoryLine>, InputError> {
    if let Some((line, length)) = canonical_dramsim3(lines.buffered()) {
        lines.skip_line(length);
        return Ok(Some(line));
    }
    parsed(lines, dramsim3)
}

/// The write-back that is still to come, or the read of the next line.
fn next_of_processor(lines: &mut Lines, write_back: &mut Option<u64>) -> Result<Option<MemoryLine>, InputError> {
    if let Some(addr) = write_back.take() {
        return Ok(Some(MemoryLine {
            arrival: 0,
            addr,
            write: true,
        }));
    }
    let line = parsed(lines, ramulator_cpu)?;
    *write_back = line.and_then(|line| line.write_back);
    Ok(line.map(|line| MemoryLine {
        arrival: 0,
        addr: line.read,
        write: false,
    }))
}

/// The next access of a trace of instructions.
fn next_of_instructions(records: &mut dyn Records) -> Result<Option<MemoryLine>, InputError> {
    while let Some(Record { what, .. }) = records.next_record()? {
        if let What::Access { addr, write, .. } = what {
            return Ok(Some(MemoryLine {
                arrival: 0,
                addr,
                write,
            }));
        }
    }
    Ok(None)
}

/// The next access of a Fresco trace, if the record before it arrived at `before`.
fn next_access(reader: &mut TraceReader, before: Cycle) -> Result<Option<MemoryLine>, InputError> {
    let timed = reader.header().unit == Unit::Cycles;
    let mut arrival = before;
    while let Some(Record { gap, what, .. }) = reader.next_record()? {
        if timed {
            let sum = arrival.checked_add(gap);
            arrival = sum.ok_or_else(|| reader.error_here("arrives after cycle 2^64"))?;
        }
        if let What::Access { addr, write, .. } = what {
            return Ok(Some(MemoryLine { arrival, addr, write }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
