// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entry points for fuzzers: any bytes go in, nothing may panic, hang, or take memory without bound.

use super::cpu::CpuTrace;
use super::ftrace::recorded::sections_of;
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
    TraceReader::new("fuzz", Cursor::new(frame_of(content)))?.collect()
}

/// Reads `data` as sections of a trace of version 2, so that a fuzzer need not find its way through zstd: each is its tag, the length of its
/// content (two bytes, little-endian) and the content. The records.
///
/// # Errors
/// The fault found.
pub fn recorded(data: &[u8]) -> Result<Vec<Record>, InputError> {
    let file = sections_of(data);
    let _ = TraceReader::new("fuzz", Cursor::new(data.to_vec())).map(Iterator::count);
    TraceReader::new("fuzz", Cursor::new(file))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn any_bytes_are_a_trace_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (requests(&bytes), processor(&bytes), content(&bytes), recorded(&bytes));
        }
    }

    #[test]
    fn a_bomb_takes_no_memory() {
        // 256 MiB of zeros in 256 KiB of gzip: one endless line, refused after its first kilobytes.
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for _ in 0..256 {
            encoder.write_all(&[0; 1 << 20]).expect("memory");
        }
        let bomb = encoder.finish().expect("memory");
        assert!(
            requests(&bomb)
                .expect_err("is no trace")
                .found
                .contains("a line of more than")
        );
        assert!(processor(&bomb).is_err());
    }
}
