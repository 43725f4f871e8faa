// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entry points for fuzzers: any bytes go in, nothing may panic, hang, or take memory without bound.

use super::cpu::CpuTrace;
use super::ftrace::{Record, TraceReader, frame_of};
use super::input::Input;
use super::{Format, MemoryRecord, MemoryTrace};
use fresco_input::InputError;
use std::io::Cursor;

/// Reads `data` as a trace of requests, of the format found and of each text format; the requests of the first.
///
/// # Errors
/// The fault found with the format left open.
pub fn requests(data: &[u8]) -> Result<Vec<MemoryRecord>, InputError> {
    let read = |format| MemoryTrace::new("fuzz", Cursor::new(data.to_vec()), format)?.collect();
    for (_, format) in Format::ALL {
        let _: Result<Vec<MemoryRecord>, InputError> = read(Some(format));
    }
    read(None)
}

/// Reads `data` as a processor trace; the number of its events.
///
/// # Errors
/// The fault found.
pub fn processor(data: &[u8]) -> Result<u64, InputError> {
    let mut trace = CpuTrace::new(Input::new("fuzz", Cursor::new(data.to_vec()))?, None, 0)?;
    let mut events = 0;
    while trace.next()?.is_some() {
        events += 1;
    }
    Ok(events)
}

/// Reads `content` as what is in the frame of a Fresco trace, so that a fuzzer need not find its way through zstd; the
/// records.
///
/// # Errors
/// The fault found.
pub fn content(content: &[u8]) -> Result<Vec<Record>, InputError> {
    let mut reader = TraceReader::new("fuzz", Cursor::new(frame_of(content)))?;
    let mut records = Vec::new();
    while let Some(record) = reader.next()? {
        records.push(record);
    }
    Ok(records)
}
