// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entry points for fuzzers: any bytes go in, nothing may panic, hang, or take memory without bound.

use super::cpu::CpuTrace;
use super::ftrace::recorded::sections_of;
use super::ftrace::{Record, TraceReader, frame_of};
use super::input::Input;
use super::{AnyTrace, Export, Exporter, Format, MemoryRecord, MemoryTrace};
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

/// Reads `data` as a trace of any format, named or found out, and writes what is sound of it in each format that can be written; the
/// records of the format found.
///
/// # Errors
/// The fault found with the format left open.
///
/// # Panics
/// A sound record cannot be written.
pub fn converted(data: &[u8]) -> Result<Vec<Record>, InputError> {
    let read = |format| -> Result<Vec<Record>, InputError> {
        let mut trace = AnyTrace::new("fuzz", Cursor::new(data.to_vec()), format)?;
        let mut exporters: Vec<Exporter<std::io::Sink>> = Vec::new();
        for (_, format) in Format::WRITTEN {
            let export = Export {
                format,
                thread: None,
                instructions_per_cycle: 3,
            };
            exporters.extend(Exporter::new(std::io::sink(), &export, trace.header()));
        }
        let mut records = Vec::new();
        while let Some(record) = trace.next_record()? {
            // Each instruction of a gap is written, in ChampSim's format: that is no fault, and takes long.
            if record.gap < 1 << 12 {
                for exporter in &mut exporters {
                    exporter.push(&record).expect("a sound record");
                }
                records.push(record);
            }
        }
        for exporter in exporters {
            exporter.finish().expect("nothing is written");
        }
        Ok(records)
    };
    for (_, format) in Format::ALL {
        let _ = read(Some(format));
    }
    read(None)
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
    let _ = TraceReader::new("fuzz", Cursor::new(sections_of(data, true))).map(Iterator::count);
    let file = sections_of(data, false);
    let _ = TraceReader::new("fuzz", Cursor::new(data.to_vec())).map(Iterator::count);
    TraceReader::new("fuzz", Cursor::new(file))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Packed, Packing};
    use proptest::prelude::*;
    use std::io::Write;

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn any_bytes_are_a_trace_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (requests(&bytes), processor(&bytes), content(&bytes), recorded(&bytes), converted(&bytes));
        }
    }

    /// Bytes such that many are right: small numbers, lines of lackey, of drmemtrace's view and of perf.
    fn likely() -> impl Strategy<Value = Vec<u8>> {
        let instruction = (
            1..1u64 << 40,
            any::<[u8; 6]>(),
            0..3u8,
            proptest::collection::vec(0..1u64 << 40, 6),
        );
        let instruction = instruction.prop_map(|(address, registers, flag, words)| {
            let words = words.into_iter().flat_map(u64::to_le_bytes);
            address
                .to_le_bytes()
                .into_iter()
                .chain([flag / 2, 0])
                .chain(registers)
                .chain(words)
                .collect::<Vec<u8>>()
        });
        let line = ("(I | L| S| M|  X) ", any::<u32>(), 0..70u32, "[,;] ?")
            .prop_map(|(operation, addr, size, comma)| format!("{operation}{addr:x}{comma}{size}\n").into_bytes());
        let view = (
            "(read|write|ifetch|pref|<marker:)",
            0..4u8,
            0..4u8,
            0..100u32,
            any::<u64>(),
            "( by PC 0x1)?",
        );
        let view = view.prop_map(|(what, number, thread, size, addr, end)| {
            format!("1 {number}: {thread} {what} {size} byte(s) @ 0x{addr:x}{end}\n").into_bytes()
        });
        let sample = (
            "(a |b c )?[0-9]{1,3}",
            "[0-9]{1,12}[.][0-9]{1,10}",
            "(load|store):?",
            any::<u64>(),
        );
        let sample =
            sample.prop_map(|(who, time, event, addr)| format!("{who} {time}: {event} {addr:x}\n").into_bytes());
        prop_oneof![
            proptest::collection::vec(instruction, 1..20),
            proptest::collection::vec(line, 1..20),
            proptest::collection::vec(view, 1..20),
            proptest::collection::vec(sample, 1..20),
        ]
        .prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn what_is_nearly_right_is_a_trace_or_an_error(bytes in likely(), cut: usize, flipped: usize, packing in 0..4usize) {
            let packing = [Packing::Plain, Packing::Gzip, Packing::Zstd, Packing::Xz][packing];
            let mut packed = Packed::new(Vec::new(), packing).expect("memory");
            packed.write_all(&bytes).expect("memory");
            let mut bytes = packed.finish().expect("memory");
            let _ = (requests(&bytes), processor(&bytes), converted(&bytes));
            bytes.truncate(bytes.len() - cut % bytes.len() / 2);
            let flipped = flipped % bytes.len();
            bytes[flipped] ^= 1 << (cut % 8);
            let _ = (requests(&bytes), processor(&bytes), converted(&bytes));
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
