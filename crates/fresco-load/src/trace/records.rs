// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace of any format, record by record.

use super::format::{Format, Opened, open_file, open_stream};
use super::ftrace::recorded::{About, RegionRecords, Trailer};
use super::ftrace::{Header, Record, TraceReader, Unit, What};
use super::memory::{MemoryTrace, parsed};
use super::tap::Tap;
use super::text::{Lines, load_store, ramulator_cpu};
use fresco_input::{InputError, file_name};
use std::io::Read;
use std::path::Path;

/// Bytes of a line of a cache: what an access of unknown size is taken to touch at most.
const LINE: u64 = 64;

/// Something that did not go from one format into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// How many.
    pub count: u64,
    /// Of what.
    pub what: &'static str,
}

/// What [`Lost`] calls instructions that no record stands for.
pub const AFTER_LAST: &str = "instructions after the last access";

/// What [`Lost`] calls lines of code that were fetched.
pub const FETCHES: &str = "instruction fetches";

/// Reads what another tool made of a program as records.
pub(crate) trait Records: Send {
    /// The next record; `None` at the end.
    fn next_record(&mut self) -> Result<Option<Record>, InputError>;
    /// An error about what was read last.
    fn error_here(&self, found: String) -> InputError;
    /// What of the trace is in no record, so far.
    fn lost(&self) -> Vec<Lost>;
}

/// Instructions as records count them: each access is one, after those of its gap. An instruction of several accesses counts for more
/// than one; those too many are taken from the gaps that follow, as far as there are any.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Instructions that have begun.
    instructions: u64,
    /// Instructions that records stand for.
    told: u64,
}

impl Pace {
    /// Another instruction begins.
    #[inline]
    pub fn instruction(&mut self) {
        self.instructions += 1;
    }

    /// The gap before an access of the present instruction.
    #[inline]
    pub fn gap(&mut self) -> u64 {
        let gap = self.instructions.saturating_sub(1).saturating_sub(self.told);
        self.told += gap + 1;
        gap.min(u64::from(u32::MAX))
    }

    /// Instructions that no record stands for.
    pub fn left(&self) -> u64 {
        self.instructions.saturating_sub(self.told)
    }

    /// What of a trace of so many instructions is in no record.
    pub fn lost(&self, instructions: u64) -> Vec<Lost> {
        vec![
            Lost {
                count: instructions,
                what: "addresses of instructions",
            },
            Lost {
                count: self.left(),
                what: AFTER_LAST,
            },
        ]
    }
}

/// A trace of any format that is being read as records.
///
/// Accesses of text formats without sizes go to the end of their line of 64 bytes, so that they touch one line whatever their address.
/// Requests (`ramulator`, `dramsim3`) are records in cycles, of thread 0; samples (`perf`) are in cycles of a nanosecond.
pub struct AnyTrace {
    source: Source,
    header: Header,
    tap: Tap,
}

enum Source {
    Fresco(Box<TraceReader>),
    /// Requests, and the arrival of the one before.
    Requests(Box<MemoryTrace>, u64),
    /// Ramulator's processor traces, and a write-back that is due.
    Processor(Lines, Option<u64>),
    LoadStore(Lines),
    Instructions(Box<dyn Records>, Format),
}

impl AnyTrace {
    /// Opens a trace file, compressed or not; `-` is standard input. Without a `format` it is found out.
    ///
    /// # Errors
    /// The file cannot be read, or is no trace of that (or any) format.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Self, InputError> {
        let (opened, tap) = open_file(path, format)?;
        Self::of(&file_name(path), opened, tap)
    }

    /// Reads a trace from any stream; `name` is for errors.
    ///
    /// # Errors
    /// As [`AnyTrace::open`].
    pub fn new(name: &str, reader: impl Read + Send + 'static, format: Option<Format>) -> Result<Self, InputError> {
        let (opened, tap) = open_stream(name, reader, format)?;
        Self::of(name, opened, tap)
    }

    fn of(name: &str, opened: Opened, tap: Tap) -> Result<Self, InputError> {
        let mut header = Header {
            program: shortened(name),
            ..Header::default()
        };
        let source = match opened {
            Opened::Binary(input) => {
                let reader = TraceReader::begin(input)?;
                header = reader.header().clone();
                Source::Fresco(Box::new(reader))
            }
            Opened::Text(lines, Format::RamulatorCpu) => Source::Processor(lines, None),
            Opened::Text(lines, Format::LoadStore) => Source::LoadStore(lines),
            Opened::Instructions(records, format) => {
                if format == Format::Perf {
                    header.unit = Unit::Cycles;
                }
                Source::Instructions(records, format)
            }
            opened @ Opened::Text(..) => {
                header.unit = Unit::Cycles;
                Source::Requests(Box::new(MemoryTrace::of(opened, tap.clone())?), 0)
            }
        };
        Ok(Self { source, header, tap })
    }

    /// What lies in a region that a recorded program marks: all visits of each thread, one after the other, each of which ends with the mark
    /// of a pass.
    ///
    /// # Errors
    /// The file cannot be read, is no recorded program, or has no such region.
    pub fn of_region(path: &Path, region: &str) -> Result<Self, InputError> {
        let name = file_name(path);
        Ok(Self {
            source: Source::Instructions(Box::new(RegionRecords::open(path, region)?), Format::Fresco),
            header: Header {
                program: shortened(&format!("{region} of {name}")),
                ..Header::default()
            },
            tap: Tap::new(std::io::empty()),
        })
    }

    /// Its format.
    pub fn format(&self) -> Format {
        match &self.source {
            Source::Fresco(_) => Format::Fresco,
            Source::Requests(trace, _) => trace.format(),
            Source::Processor(..) => Format::RamulatorCpu,
            Source::LoadStore(_) => Format::LoadStore,
            Source::Instructions(_, format) => *format,
        }
    }

    /// Version of the format, of Fresco's own.
    pub fn version(&self) -> Option<u16> {
        match &self.source {
            Source::Fresco(reader) => Some(reader.version()),
            _ => None,
        }
    }

    /// What a recorded program's trace (version 2) says of itself and counts, once all of it was read.
    pub fn recorded(&self) -> Option<(&About, &Trailer)> {
        match &self.source {
            Source::Fresco(reader) => reader.recorded(),
            _ => None,
        }
    }

    /// What it says about itself; of a foreign trace its name as program, and the unit.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of the file that have been read.
    pub fn bytes_read(&self) -> u64 {
        self.tap.length()
    }

    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// The trace is truncated or damaged; the error says where.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        match &mut self.source {
            Source::Fresco(reader) => reader.next_record(),
            Source::Requests(trace, before) => Ok(trace.next_record()?.map(|request| {
                let gap = request.arrival - *before;
                *before = request.arrival;
                rest_of_line(gap, request.addr.0, request.write)
            })),
            Source::Processor(lines, write_back) => match write_back.take() {
                Some(addr) => Ok(Some(rest_of_line(0, addr, true))),
                None => Ok(parsed(lines, ramulator_cpu)?.map(|line| {
                    *write_back = line.write_back;
                    rest_of_line(u64::from(line.gap), line.read, false)
                })),
            },
            Source::LoadStore(lines) => {
                Ok(parsed(lines, load_store)?.map(|line| rest_of_line(0, line.addr, line.write)))
            }
            Source::Instructions(records, _) => records.next_record(),
        }
    }

    /// An error about the record that came last.
    #[cold]
    pub fn error_here(&self, found: impl Into<String>) -> InputError {
        match &self.source {
            Source::Fresco(reader) => reader.error_here(found),
            Source::Requests(trace, _) => trace.error_here(found),
            Source::Processor(lines, _) | Source::LoadStore(lines) => lines.error(found),
            Source::Instructions(records, _) => records.error_here(found.into()),
        }
    }

    /// What of the trace is in no record, so far: branches and addresses of instructions, what pages of a recorded program are for
    /// and how its threads wait for each other.
    pub fn lost(&self) -> Vec<Lost> {
        match &self.source {
            Source::Fresco(reader) => reader.lost(),
            Source::Instructions(records, _) => records.lost(),
            _ => Vec::new(),
        }
    }
}

impl Iterator for AnyTrace {
    type Item = Result<Record, InputError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

/// Bytes from `addr` to the end of its line.
pub(crate) fn to_end_of_line(addr: u64) -> u8 {
    (LINE - addr % LINE) as u8
}

fn rest_of_line(gap: u64, addr: u64, write: bool) -> Record {
    let what = What::Access {
        addr,
        size: to_end_of_line(addr),
        write,
        dep: 0,
    };
    Record { thread: 0, gap, what }
}

/// A name that fits in a header: at most 255 bytes of it.
pub fn shortened(name: &str) -> String {
    let mut end = name.len().min(255);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// Gap, address, size and direction.
    type Access = (u64, u64, u8, bool);

    fn all(text: &str) -> (Format, Unit, Vec<Access>) {
        let trace = AnyTrace::new("t", Cursor::new(text.to_owned()), None).expect("is a trace");
        let (format, unit) = (trace.format(), trace.header().unit);
        let access = |record: Result<Record, InputError>| match record.expect("is sound") {
            Record {
                thread: 0,
                gap,
                what:
                    What::Access {
                        addr,
                        size,
                        write,
                        dep: 0,
                    },
            } => (gap, addr, size, write),
            record => panic!("{record:?}"),
        };
        (format, unit, trace.map(access).collect())
    }

    #[test]
    fn text_formats_as_records() {
        assert_eq!(
            all("0x40 READ 7\n0x83 WRITE 9\n"),
            (
                Format::DramSim3,
                Unit::Cycles,
                vec![(7, 0x40, 64, false), (2, 0x83, 61, true)]
            )
        );
        assert_eq!(
            all("0x40 R\n0x80 W\n"),
            (
                Format::Ramulator,
                Unit::Cycles,
                vec![(0, 0x40, 64, false), (0, 0x80, 64, true)]
            )
        );
        assert_eq!(
            all("LD 0x7f\nST 64\n"),
            (
                Format::LoadStore,
                Unit::Instructions,
                vec![(0, 0x7f, 1, false), (0, 64, 64, true)]
            )
        );
        assert_eq!(
            all("3 64 128\n0 192\n"),
            (
                Format::RamulatorCpu,
                Unit::Instructions,
                vec![(3, 64, 64, false), (0, 128, 64, true), (0, 192, 64, false)]
            )
        );
    }

    #[test]
    fn instructions_with_several_accesses_are_taken_from_later_gaps() {
        let mut pace = Pace::default();
        pace.instruction();
        pace.instruction();
        assert_eq!([pace.gap(), pace.gap(), pace.gap()], [1, 0, 0]);
        for _ in 0..4 {
            pace.instruction();
        }
        // Six instructions: one without access, three records of the second, and one of the two that are between.
        assert_eq!((pace.gap(), pace.left()), (1, 0));
        pace.instruction();
        assert_eq!(pace.left(), 1);
        assert_eq!(Pace::default().gap(), 0, "an access before the first instruction");
    }

    #[test]
    fn names_are_shortened_between_characters() {
        let name = "ä".repeat(200);
        assert_eq!(shortened(&name), "ä".repeat(127));
        assert_eq!(shortened("short"), "short");
    }
}
