// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::Marker;
use proptest::prelude::*;
use std::io::Cursor;

fn written(header: &Header, records: &[Record]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), header).expect("memory");
    for record in records {
        writer.push(record).expect("memory");
    }
    writer.finish().expect("memory")
}

fn read(bytes: Vec<u8>) -> Result<(Header, Vec<Record>), String> {
    let mut reader = TraceReader::new("t.ftrace", Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let records = reader
        .by_ref()
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())?;
    assert_eq!(reader.next_record(), Ok(None));
    Ok((reader.header().clone(), records))
}

fn load(addr: u64) -> Record {
    Record {
        thread: 0,
        gap: 0,
        what: What::Access {
            addr,
            size: 8,
            write: false,
            dep: 0,
        },
    }
}

#[test]
fn bytes_as_documented() {
    let header = Header {
        program: "ab".into(),
        tool: "t".into(),
        seed: 300,
        unit: Unit::Cycles,
        expected: Some(3),
        ..Header::default()
    };
    let records = [
        Record {
            thread: 0,
            gap: 0,
            what: What::Access {
                addr: 64,
                size: 64,
                write: false,
                dep: 0,
            },
        },
        Record {
            thread: 5,
            gap: 130,
            what: What::Mark(Marker::End),
        },
        Record {
            thread: 5,
            gap: 0,
            what: What::Access {
                addr: u64::MAX,
                size: 12,
                write: true,
                dep: 0,
            },
        },
    ];
    let bytes = written(&header, &records);
    assert_eq!(
        bytes[..12],
        [0x89, 0x46, 0x54, 0x52, 0x41, 0x43, 0x45, 0x0a, 1, 0, 0, 0]
    );
    let content = zstd::decode_all(&bytes[12..]).expect("is a frame");
    let expected = [
        &[2, b'a', b'b', 1, b't', 0xac, 0x02, 1, 4][..], // header
        &[0b0001_1000, 0x80, 0x01],                      // load of 2^6 bytes at +64
        &[0b1100_1010, 5, 0x82, 0x01],                   // end mark, thread 5, gap 130
        &[0b0001_1101, 12, 1],                           // store of 12 bytes at -1
        &[3, 3],                                         // trailer
    ];
    assert_eq!(content, expected.concat());
    assert_eq!(read(bytes), Ok((header, records.to_vec())));
}

#[test]
fn every_truncation_is_told() {
    let records: Vec<Record> = (0..3000u64).map(|i| load(i * i * 64)).collect();
    let whole = written(&Header::default(), &records);
    assert_eq!(read(whole.clone()).map(|(_, records)| records.len()), Ok(3000));
    for length in (0..whole.len()).step_by(7).chain(whole.len() - 5..whole.len()) {
        let error = read(whole[..length].to_vec()).expect_err("is truncated");
        assert!(
            error.starts_with("t.ftrace: ") && error.contains("help: "),
            "{length}: {error}"
        );
    }
    let error = read(whole[..whole.len() - 1].to_vec()).expect_err("is truncated");
    assert!(
        error.contains("truncated") && error.contains("records, about byte"),
        "{error}"
    );
}

#[test]
fn every_flipped_bit_is_told_or_harmless() {
    let records: Vec<Record> = (0..300u64).map(|i| load(i * i * 64)).collect();
    let whole = written(&Header::default(), &records);
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        if let Ok((_, read)) = read(bytes) {
            assert_eq!(read, records, "byte {at}");
        }
    }
}

#[test]
fn a_trace_that_was_never_finished_is_told() {
    let error = read(frame_of(&[0, 0, 0, 0, 0, 0b0000_1100, 0])).expect_err("has no trailer");
    assert!(
        error.contains("ends after 1 records") && error.contains("without its trailer"),
        "{error}"
    );
}

#[test]
fn lies_are_told() {
    let cases: [(&[u8], &str); 12] = [
        (&[0xff, 0xff, 0xff, 0xff, 0x0f], "a name of 4294967295 bytes"),
        (&[1, 0xff, 0], "not UTF-8"),
        (&[0, 0, 0, 2, 0], "unit 2"),
        (&[0, 0, 0, 0, 0, 3, 1], "0 records where it says 1"),
        (&[0, 0, 0, 0, 9, 3, 0], "0 records where it says 8"),
        (&[0, 0, 0, 0, 0, 3, 0, 0], "more bytes after the trailer"),
        (&[0, 0, 0, 0, 0, 7], "tag 0x07"),
        (&[0, 0, 0, 0, 0, 0b0001_0110], "tag 0x16"),
        (&[0, 0, 0, 0, 0, 0x40, 0x80, 0x08], "thread 1024"),
        (&[0, 0, 0, 0, 0, 7 << 2, 65, 0], "1 to 64 bytes"),
        (&[0, 0, 0, 0, 0, HAS_DEP, 1, 0], "before the first"),
        (
            &[
                0, 0, 0, 0, 0, HAS_GAP, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,
            ],
            "more than 64 bits",
        ),
    ];
    for (content, expected) in cases {
        let error = read(frame_of(content)).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    let later = [&MAGIC[..], &[3, 0, 0, 0]].concat();
    assert!(read(later).expect_err("is too new").contains("version 3"));
    let trailing = [written(&Header::default(), &[]), vec![0]].concat();
    assert!(read(trailing).expect_err("goes on").contains("more bytes after"));
}

#[test]
fn a_window_that_would_take_gigabytes_is_refused() {
    // Frame header: no single segment, window descriptor 0xa8 = 2^(10 + 21) bytes; then one empty last raw block.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00];
    let file = [&MAGIC[..], &VERSION.to_le_bytes(), &[0, 0], &frame].concat();
    assert!(read(file).expect_err("is refused").contains("too much memory"));
}

#[test]
fn the_writer_refuses_what_the_format_cannot_hold() {
    let access = |thread, gap, size, dep| Record {
        thread,
        gap,
        what: What::Access {
            addr: 0,
            size,
            write: false,
            dep,
        },
    };
    for record in [
        access(1024, 0, 8, 0),
        access(0, 1 << 32, 8, 0),
        access(0, 0, 0, 0),
        access(0, 0, 65, 0),
        access(0, 0, 8, 1),
    ] {
        let mut writer = TraceWriter::new(Vec::new(), &Header::default()).expect("memory");
        assert_eq!(
            writer.push(&record).expect_err("is refused").kind(),
            std::io::ErrorKind::InvalidInput
        );
    }
    let promised = Header {
        expected: Some(1),
        ..Header::default()
    };
    assert!(
        TraceWriter::new(Vec::new(), &promised)
            .expect("memory")
            .finish()
            .is_err()
    );
    let long = Header {
        tool: "x".repeat(256),
        ..Header::default()
    };
    assert!(TraceWriter::new(Vec::new(), &long).is_err());
}

#[test]
fn physical_addresses_are_a_flag() {
    let header = Header {
        addresses: Addresses::Physical,
        ..Header::default()
    };
    let mut bytes = written(&header, &[]);
    assert_eq!(bytes[10..12], [1, 0]);
    assert_eq!(read(bytes.clone()), Ok((header, Vec::new())));
    for flags in [[2, 0], [3, 0], [0, 1]] {
        bytes[10..12].copy_from_slice(&flags);
        let error = read(bytes.clone()).expect_err("is refused");
        assert!(error.contains("has version 1, flags"), "{error}");
    }
}

prop_compose! {
    fn any_record()(
        thread in prop_oneof![Just(0u16), 0..MAX_THREADS],
        gap in prop_oneof![Just(0u64), 0..1u64 << 32],
        addr in prop_oneof![0..1u64 << 20, any::<u64>()],
        size in 1..=64u8,
        write: bool,
        dep in prop_oneof![Just(0u32), 1..6u32],
        mark in 0..20u8,
    ) -> Record {
        let what = match mark {
            0 => What::Mark(Marker::Begin),
            1 => What::Mark(Marker::Pass),
            2 => What::Mark(Marker::End),
            3 => What::Mark(Marker::Fork),
            4 => What::Mark(Marker::Join),
            _ => What::Access { addr, size, write, dep },
        };
        Record { thread, gap, what }
    }
}

/// Cuts dependences to what the thread has done before.
fn mended(mut records: Vec<Record>) -> Vec<Record> {
    let mut accesses = vec![0u32; usize::from(MAX_THREADS)];
    for record in &mut records {
        let before = &mut accesses[usize::from(record.thread)];
        if let What::Access { dep, .. } = &mut record.what {
            *dep = (*dep).min(*before);
            *before += 1;
        }
    }
    records
}

proptest! {
    #![proptest_config(crate::testing::cases(256))]

    #[test]
    fn what_is_written_is_read_back(
        records in proptest::collection::vec(any_record(), 0..300),
        program in "\\PC{0,20}",
        seed: u64,
        announced: bool,
        physical: bool,
    ) {
        let records = mended(records);
        let expected = announced.then_some(records.len() as u64);
        let addresses = if physical { Addresses::Physical } else { Addresses::Virtual };
        let header = Header { program, tool: "test".into(), seed, unit: Unit::Instructions, addresses, expected };
        prop_assert_eq!(read(written(&header, &records)), Ok((header, records)));
    }

    #[test]
    fn any_content_is_a_trace_or_an_error(content in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(frame_of(&[&[0, 0, 0, 0, 0], &content[..]].concat()));
        let _ = read(frame_of(&content));
    }

    #[test]
    fn any_bytes_are_a_trace_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(bytes.clone());
        let _ = read([&MAGIC[..], &[1, 0, 0, 0], &bytes].concat());
        let _ = read([&MAGIC[..], &[1, 0, 0, 0, 0x28, 0xb5, 0x2f, 0xfd], &bytes].concat());
    }
}
