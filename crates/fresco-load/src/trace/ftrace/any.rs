// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a trace of either version.

use super::header::{Addresses, Header, Unit};
use super::reader::PlainReader;
use super::record::Record;
use super::recorded::{self, About, RecordedStream, Trailer};
use super::{MAGIC, PHYSICAL, PRELUDE, VERSION};
use crate::trace::input::Input;
use crate::trace::records::Lost;
use fresco_input::InputError;
use std::io::Read;
use std::path::Path;

/// A trace that is being read, from its begin to its end. Memory is bounded whatever the file says: buffers and windows of some MiB; of
/// version 2 also the descriptions of its blocks, which the file must hold.
pub struct TraceReader {
    name: String,
    header: Header,
    records: u64,
    version: Version,
}

enum Version {
    Plain(Box<PlainReader>),
    Recorded(Box<RecordedStream>),
}

impl TraceReader {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// The file cannot be read, is no trace of this format, or of a later version.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Self::begin(Input::open(path)?)
    }

    /// Reads the header from any stream; `name` is for errors.
    ///
    /// # Errors
    /// As [`TraceReader::open`].
    pub fn new(name: &str, reader: impl Read + Send + 'static) -> Result<Self, InputError> {
        Self::begin(Input::new(name, reader)?)
    }

    pub(crate) fn begin(input: Input) -> Result<Self, InputError> {
        let name = input.name.clone();
        let mut reader = input.into_read();
        let mut prelude = [0; PRELUDE];
        let fault =
            |found: String| InputError::new(&name, found).allowed("a trace in Fresco's own format, version 1 or 2");
        if let Err(error) = reader.read_exact(&mut prelude) {
            return Err(fault(format!("has no header ({error})")).help("copy or write it again"));
        }
        if prelude[..8] != *MAGIC {
            return Err(fault(format!("begins with {:02x?}", &prelude[..8])).help("check the name and the format"));
        }
        let (version, flags) = (u16::from_le_bytes([prelude[8], prelude[9]]), [prelude[10], prelude[11]]);
        let (header, version) = match (version, flags, recorded::fetches_by(flags)) {
            (VERSION, _, _) if u16::from_le_bytes(flags) <= PHYSICAL => {
                let plain = PlainReader::new(&name, Box::new(reader))?;
                let header = Header {
                    addresses: match u16::from_le_bytes(flags) {
                        PHYSICAL => Addresses::Physical,
                        _ => Addresses::Virtual,
                    },
                    ..plain.header().clone()
                };
                (header, Version::Plain(Box::new(plain)))
            }
            (recorded::VERSION, _, Some(fetches)) => {
                let recorded = RecordedStream::new(&name, fetches, Box::new(reader))?;
                let about = recorded.about();
                let header = Header {
                    program: about.program.clone(),
                    tool: about.tool.clone(),
                    seed: 0,
                    unit: Unit::Instructions,
                    addresses: Addresses::Virtual,
                    expected: None,
                };
                (header, Version::Recorded(Box::new(recorded)))
            }
            _ => {
                let found = format!("has version {version}, flags {flags:?}");
                return Err(fault(found).help("read it with the version of the tool that wrote it, or a later one"));
            }
        };
        Ok(Self {
            name,
            header,
            records: 0,
            version,
        })
    }

    /// What the trace says about itself. Of version 2 there is no seed, and the number of records is not known.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Version of the format.
    pub fn version(&self) -> u16 {
        match self.version {
            Version::Plain(_) => VERSION,
            Version::Recorded(_) => recorded::VERSION,
        }
    }

    /// What a trace of version 2 says of itself and counts, once all of it was read.
    pub fn recorded(&self) -> Option<(&About, &Trailer)> {
        match &self.version {
            Version::Plain(_) => None,
            Version::Recorded(recorded) => Some((recorded.about(), recorded.trailer()?)),
        }
    }

    /// Returns true if it has fetches of instructions, which are in no record.
    pub(crate) fn has_fetches(&self) -> bool {
        matches!(&self.version, Version::Recorded(recorded) if recorded.about().fetches)
    }

    /// Records read so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The next record; `None` after the last, when the whole file has proved sound. Records of different threads come as they stand in
    /// the file, which says nothing of their order in time.
    ///
    /// # Errors
    /// The file is truncated or damaged; the error says where.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        let record = match &mut self.version {
            Version::Plain(plain) => plain.next_record()?,
            Version::Recorded(recorded) => recorded.next_record()?,
        };
        self.records += u64::from(record.is_some());
        Ok(record)
    }

    /// What of the trace is in no record, so far: of version 2, which knows more than accesses.
    pub fn lost(&self) -> Vec<Lost> {
        match &self.version {
            Version::Plain(_) => Vec::new(),
            Version::Recorded(recorded) => recorded.lost(),
        }
    }

    /// An error about the record that came last.
    #[cold]
    pub fn error_here(&self, found: impl Into<String>) -> InputError {
        InputError::new(&self.name, format!("record {}: {}", self.records, found.into()))
    }
}

impl Iterator for TraceReader {
    type Item = Result<Record, InputError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}
