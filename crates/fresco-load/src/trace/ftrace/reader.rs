// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a trace of version 1 record by record, and believes nothing it says.

use super::bytes::{Broken, Bytes};
use super::header::{Header, MAX_TEXT, Unit};
use super::record::{Record, Threads, What};
use super::{END, EXPLICIT_SIZE, HAS_DEP, HAS_GAP, HAS_THREAD, MARK, MAX_THREADS, PRELUDE, STORE};
use crate::Marker;
use crate::trace::input::unreadable;
use fresco_input::InputError;
use std::io::Read;

/// A trace of version 1 that is being read. Memory is bounded whatever the file says: buffers, a window of at most 8 MiB, 16 bytes
/// per thread.
pub(super) struct PlainReader {
    name: String,
    bytes: Bytes,
    header: Header,
    threads: Threads,
    records: u64,
    over: bool,
}

impl PlainReader {
    /// Reads the header from what comes after magic, version and flags.
    pub fn new(name: &str, reader: Box<dyn Read + Send>) -> Result<Self, InputError> {
        let bytes = Bytes::new(reader, PRELUDE as u64).map_err(|error| unreadable(name, &error))?;
        let mut trace = Self {
            name: name.to_owned(),
            bytes,
            header: Header::default(),
            threads: Threads::default(),
            records: 0,
            over: false,
        };
        trace.header = trace.read_header()?;
        Ok(trace)
    }

    fn read_header(&mut self) -> Result<Header, InputError> {
        let program = self.text("program")?;
        let tool = self.text("tool")?;
        let seed = self.integer()?;
        let unit = match self.byte()? {
            0 => Unit::Instructions,
            1 => Unit::Cycles,
            unit => return Err(self.damaged(format!("unit {unit} of the gaps"))),
        };
        let expected = self.integer()?.checked_sub(1);
        Ok(Header {
            program,
            tool,
            seed,
            unit,
            expected,
            ..Header::default()
        })
    }

    fn text(&mut self, field: &str) -> Result<String, InputError> {
        let length = self.integer()?;
        if length > MAX_TEXT as u64 {
            return Err(self.damaged(format!("a name of {length} bytes as {field}")));
        }
        let bytes = (0..length).map(|_| self.byte()).collect::<Result<Vec<u8>, _>>()?;
        String::from_utf8(bytes).map_err(|_| self.damaged(format!("a {field} that is not UTF-8")))
    }

    /// What the trace says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next record; `None` after the last, when the whole file has proved sound.
    ///
    /// # Errors
    /// The file is truncated or damaged; the error says after how many records and bytes.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        if self.over {
            return Ok(None);
        }
        let tag = self.byte()?;
        if tag & 3 == END {
            return self.end(tag).map(|()| None);
        }
        if tag & HAS_THREAD != 0 {
            let thread = self.integer()?;
            match u16::try_from(thread) {
                Ok(thread) if thread < MAX_THREADS => self.threads.current = thread,
                _ => return Err(self.damaged(format!("thread {thread}"))),
            }
        }
        let thread = self.threads.current;
        let record = if tag & 3 == MARK {
            self.mark(tag, thread)?
        } else {
            self.access(tag, thread)?
        };
        self.records += 1;
        Ok(Some(record))
    }

    #[inline]
    fn gap(&mut self, tag: u8) -> Result<u64, InputError> {
        let gap = if tag & HAS_GAP != 0 { self.integer()? } else { 0 };
        if gap > u64::from(u32::MAX) && self.header.unit == Unit::Instructions {
            return Err(self.damaged(format!("a gap of {gap} instructions")));
        }
        Ok(gap)
    }

    #[inline]
    fn access(&mut self, tag: u8, thread: u16) -> Result<Record, InputError> {
        let size = match tag >> 2 & 7 {
            EXPLICIT_SIZE => self.byte()?,
            code => 1 << code,
        };
        let gap = self.gap(tag)?;
        let dep = if tag & HAS_DEP != 0 { self.integer()? } else { 0 };
        let Ok(dep) = u32::try_from(dep) else {
            return Err(self.damaged(format!("a dependence over {dep} accesses")));
        };
        let difference = super::varint::unzigzag(self.integer()?);
        let state = self.threads.of(thread);
        let addr = state.addr.wrapping_add(difference);
        let record = Record {
            thread,
            gap,
            what: What::Access {
                addr,
                size,
                write: tag & 3 == STORE,
                dep,
            },
        };
        if let Some(fault) = record.fault(state.accesses) {
            return Err(self.damaged(fault));
        }
        state.addr = addr;
        state.accesses += 1;
        Ok(record)
    }

    fn mark(&mut self, tag: u8, thread: u16) -> Result<Record, InputError> {
        let marker = match tag >> 2 & 0xf {
            0 => Marker::Begin,
            1 => Marker::Pass,
            2 => Marker::End,
            3 => Marker::Fork,
            4 => Marker::Join,
            _ => return Err(self.damaged(format!("tag {tag:#04x}"))),
        };
        Ok(Record {
            thread,
            gap: self.gap(tag)?,
            what: What::Mark(marker),
        })
    }

    /// Checks the trailer and what is behind it.
    #[cold]
    fn end(&mut self, tag: u8) -> Result<(), InputError> {
        if tag != END {
            return Err(self.damaged(format!("tag {tag:#04x}")));
        }
        let said = self.integer()?;
        for said in [Some(said), self.header.expected].into_iter().flatten() {
            if said != self.records {
                return Err(self.damaged(format!("{} records where it says {said}", self.records)));
            }
        }
        match self.bytes.is_over() {
            Ok(true) => self.over = true,
            Ok(false) => return Err(self.damaged("more bytes after the trailer")),
            Err(broken) => return Err(self.broken(broken)),
        }
        Ok(())
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, InputError> {
        self.bytes.byte().map_err(|broken| self.broken(broken))
    }

    #[inline]
    fn integer(&mut self) -> Result<u64, InputError> {
        self.bytes.integer().map_err(|broken| self.broken(broken))
    }

    #[cold]
    fn broken(&self, broken: Broken) -> InputError {
        let place = self.place();
        match broken {
            Broken::Early => InputError::new(&self.name, format!("ends {place}, without its trailer: truncated"))
                .help("copy or write it again"),
            Broken::Integer => self.damaged("an integer of more than 64 bits"),
            Broken::Io(error) => {
                let error = unreadable(&self.name, &error);
                InputError::new(&self.name, format!("{}, {place}", error.found)).help(&error.help)
            }
        }
    }

    #[cold]
    fn damaged(&self, found: impl Into<String>) -> InputError {
        let found = format!("{}, {}", found.into(), self.place());
        InputError::new(&self.name, found)
            .allowed("a sound trace in Fresco's own format")
            .help("the file is damaged: copy or write it again")
    }

    fn place(&self) -> String {
        format!(
            "after {} records, about byte {} of the file",
            self.records,
            self.bytes.offset()
        )
    }
}
