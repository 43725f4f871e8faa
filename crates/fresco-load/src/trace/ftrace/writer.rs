// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a trace record by record.

use super::header::{Addresses, Header, MAX_TEXT, Unit};
use super::record::{Record, Threads, What};
use super::{END, EXPLICIT_SIZE, HAS_DEP, HAS_GAP, HAS_THREAD, LOAD, MAGIC, MARK, PHYSICAL, STORE, VERSION, varint};
use crate::Marker;
use std::io::{self, ErrorKind, Write};
use zstd::zstd_safe::CParameter;

/// zstd's default level.
const LEVEL: i32 = 3;
/// Window of the frame: 512 KiB, so that a reader needs little memory.
const WINDOW_LOG: u32 = 19;
/// Bytes handed to the compressor at a time.
const CHUNK: usize = 32 * 1024;

/// A trace that is being written. Memory is bounded: one chunk, the compressor, 16 bytes per thread.
pub struct TraceWriter<W: Write> {
    frame: zstd::Encoder<'static, W>,
    chunk: Vec<u8>,
    threads: Threads,
    unit: Unit,
    expected: Option<u64>,
    records: u64,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace in `out`.
    ///
    /// # Errors
    /// `out` fails, or a text of the header is longer than 255 bytes ([`ErrorKind::InvalidInput`]).
    pub fn new(mut out: W, header: &Header) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        let flags = match header.addresses {
            Addresses::Virtual => 0,
            Addresses::Physical => PHYSICAL,
        };
        out.write_all(&flags.to_le_bytes())?;
        let mut frame = zstd::Encoder::new(out, LEVEL)?;
        frame.set_parameter(CParameter::WindowLog(WINDOW_LOG))?;
        frame.include_checksum(true)?;
        let mut chunk = Vec::with_capacity(CHUNK + 64);
        for text in [&header.program, &header.tool] {
            if text.len() > MAX_TEXT {
                return Err(invalid("a text of the header is longer than 255 bytes"));
            }
            varint::put(&mut chunk, text.len() as u64);
            chunk.extend_from_slice(text.as_bytes());
        }
        varint::put(&mut chunk, header.seed);
        chunk.push(match header.unit {
            Unit::Instructions => 0,
            Unit::Cycles => 1,
        });
        varint::put(
            &mut chunk,
            header.expected.map_or(0, |expected| expected.saturating_add(1)),
        );
        let (unit, expected) = (header.unit, header.expected);
        Ok(Self {
            frame,
            chunk,
            threads: Threads::default(),
            unit,
            expected,
            records: 0,
        })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// The output fails, or the record breaks the format ([`ErrorKind::InvalidInput`]): a thread, size, gap or dependence
    /// out of range.
    pub fn push(&mut self, record: &Record) -> io::Result<()> {
        let accesses = if record.thread < super::MAX_THREADS {
            self.threads.of(record.thread).accesses
        } else {
            0
        };
        if let Some(fault) = record.fault(accesses) {
            return Err(invalid(fault));
        }
        if self.unit == Unit::Instructions && record.gap > u64::from(u32::MAX) {
            return Err(invalid("a gap of more than 2^32 - 1 instructions"));
        }
        self.encode(record);
        self.records += 1;
        if self.chunk.len() >= CHUNK {
            self.flush_chunk()
        } else {
            Ok(())
        }
    }

    fn encode(&mut self, record: &Record) {
        let Self { chunk, threads, .. } = self;
        let mut tag = match record.what {
            What::Access { write, size, dep, .. } => {
                let code = if size.is_power_of_two() {
                    size.ilog2() as u8
                } else {
                    EXPLICIT_SIZE
                };
                let dep = if dep > 0 { HAS_DEP } else { 0 };
                (if write { STORE } else { LOAD }) | code << 2 | dep
            }
            What::Mark(Marker::Begin) => MARK,
            What::Mark(Marker::Pass) => MARK | 1 << 2,
            What::Mark(Marker::End) => MARK | 2 << 2,
            What::Mark(Marker::Fork) => MARK | 3 << 2,
            What::Mark(Marker::Join) => MARK | 4 << 2,
        };
        if record.thread != threads.current {
            tag |= HAS_THREAD;
        }
        if record.gap > 0 {
            tag |= HAS_GAP;
        }
        chunk.push(tag);
        if record.thread != threads.current {
            varint::put(chunk, u64::from(record.thread));
            threads.current = record.thread;
        }
        if let What::Access { size, .. } = record.what
            && !size.is_power_of_two()
        {
            chunk.push(size);
        }
        if record.gap > 0 {
            varint::put(chunk, record.gap);
        }
        if let What::Access { addr, dep, .. } = record.what {
            if dep > 0 {
                varint::put(chunk, u64::from(dep));
            }
            let thread = threads.of(record.thread);
            varint::put(chunk, varint::zigzag(addr.wrapping_sub(thread.addr)));
            thread.addr = addr;
            thread.accesses += 1;
        }
    }

    fn flush_chunk(&mut self) -> io::Result<()> {
        self.frame.write_all(&self.chunk)?;
        self.chunk.clear();
        Ok(())
    }

    /// Ends the trace and gives the output back. A trace that is dropped without it has no trailer: readers take it for
    /// truncated.
    ///
    /// # Errors
    /// The output fails, or the number of records is not the one that the header announced ([`ErrorKind::InvalidInput`]).
    pub fn finish(mut self) -> io::Result<W> {
        if self.expected.is_some_and(|expected| expected != self.records) {
            return Err(invalid("another number of records than the header announced"));
        }
        self.chunk.push(END);
        varint::put(&mut self.chunk, self.records);
        self.flush_chunk()?;
        let mut out = self.frame.finish()?;
        out.flush()?;
        Ok(out)
    }
}

fn invalid(fault: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, fault)
}
