// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::Marker;
use crate::trace::ftrace::TraceWriter;
use proptest::prelude::*;
use std::io::Cursor;

fn all(bytes: impl Into<Vec<u8>>, format: Option<Format>) -> Result<Vec<(u64, u64, bool)>, String> {
    let trace = MemoryTrace::new("t", Cursor::new(bytes.into()), format).map_err(|error| error.to_string())?;
    let plain = |record: MemoryRecord| (record.arrival, record.addr.0, record.write);
    trace
        .map(|record| record.map(plain).map_err(|error| error.to_string()))
        .collect()
}

#[test]
fn each_format_is_found_and_read() {
    type Case = (&'static str, &'static [(u64, u64, bool)]);
    let cases: [Case; 4] = [
        (
            "0x40 READ 3\n0x80 WRITE 3\n0xc0 READ 900\n",
            &[(3, 64, false), (3, 128, true), (900, 192, false)],
        ),
        ("0x40 R\r\n80 W\r\n", &[(0, 64, false), (0, 128, true)]),
        ("LD 64\nST 0x80", &[(0, 64, false), (0, 128, true)]),
        (
            "# gap read write-back\n3 64 128\n0 192\n",
            &[(0, 64, false), (0, 128, true), (0, 192, false)],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(all(text, None).as_deref(), Ok(expected));
    }
}

#[test]
fn a_trace_may_pause_but_not_for_ever() {
    let after = |first: u64, second: u64| all(format!("0x40 READ {first}\n0x80 READ {second}\n"), None);
    assert!(after(LONGEST_GAP, 2 * LONGEST_GAP).is_ok());
    for (first, second, line) in [
        (u64::MAX, u64::MAX, 1),
        (LONGEST_GAP + 1, LONGEST_GAP + 1, 1),
        (3, LONGEST_GAP + 4, 2),
        (0, u64::MAX, 2),
    ] {
        let error = after(first, second).expect_err("pauses for ever");
        let start = format!(
            "t:{line}: cycle: found cycle {}",
            if line == 1 { first } else { second }
        );
        assert!(error.starts_with(&start), "{error}");
        assert!(
            error.contains("at most 17179869184 cycles from one request to the next"),
            "{error}"
        );
    }
    assert!(after(5, 4).expect_err("goes back").contains("sort the trace"));
}

#[test]
fn the_digest_is_that_of_the_file_as_it_lies_there() {
    let digest = |bytes: Vec<u8>| {
        let mut trace = MemoryTrace::new("t", Cursor::new(bytes), None).expect("a trace");
        while trace.next_record().expect("sound").is_some() {}
        trace.digest().expect("memory")
    };
    let text = b"0x40 R\n0x80 W\n".to_vec();
    let packed = zstd::encode_all(text.as_slice(), 3).expect("memory");
    let expected = format!("{:016x}", twox_hash::XxHash64::oneshot(0, &text));
    assert_eq!(digest(text.clone()), expected);
    assert_ne!(digest(text.clone()), digest(packed));
    assert_ne!(digest(text), digest(b"0x40 R\n0x80 R\n".to_vec()));
}

#[test]
fn fresco_traces_in_cycles_and_in_instructions() {
    let access = |addr, gap, write| Record {
        thread: 0,
        gap,
        what: What::Access {
            addr,
            size: 64,
            write,
            dep: 0,
        },
    };
    let mark = Record {
        thread: 1,
        gap: 7,
        what: What::Mark(Marker::Pass),
    };
    let written = |unit| {
        let header = Header {
            unit,
            ..Header::default()
        };
        let mut writer = TraceWriter::new(Vec::new(), &header).expect("memory");
        for record in [access(64, 5, false), mark, access(128, 0, true), access(0, 10, false)] {
            writer.push(&record).expect("memory");
        }
        writer.finish().expect("memory")
    };
    let cycles = all(written(Unit::Cycles), None);
    assert_eq!(cycles, Ok(vec![(5, 64, false), (12, 128, true), (22, 0, false)]));
    let instructions = all(written(Unit::Instructions), None);
    assert_eq!(instructions, Ok(vec![(0, 64, false), (0, 128, true), (0, 0, false)]));
}

#[test]
fn faults_name_line_field_and_cure() {
    let cases = [
        (
            "0x40 READ 5\n0x40 READ 4\n",
            "t:2: cycle: found cycle 4, after cycle 5\n  allowed: cycles that do not go",
        ),
        (
            "0x40 READ 5\n0x40 RE",
            "t:2: operation: found \"RE\"\n  allowed: READ, WRITE",
        ),
        (
            "0x40 READ 5\n\n0x40 READ",
            "t:3: cycle: missing\n  allowed: a decimal number of at most 64 bits\n  help: the line",
        ),
        (
            "0x40 READ 5\n0x40 READ 99999999999999999999",
            "t:2: cycle: found \"99999999999999999999\"",
        ),
        ("0x40 R\n0x11112222333344445 R\n", "t:2: address: found"),
        ("3 64\n-3 64\n", "t:2: instructions before: found \"-3\""),
        ("LD 64\n\u{1}\u{2} 64\n", "t:2: operation: binary data"),
        ("", "t: contains no access"),
    ];
    for (text, expected) in cases {
        let error = all(text, None).expect_err(expected);
        assert!(error.starts_with(expected) && error.contains("help: "), "{error}");
    }
    let error = all(b"0x40 READ 5\n0x40 \xff\xff 5\n", None).expect_err("is not UTF-8");
    assert!(error.starts_with("t:2: operation: not UTF-8 text"), "{error}");
}

#[test]
fn the_place_of_a_request_is_known() {
    let mut trace = MemoryTrace::new("t", Cursor::new("0x40 READ 1\n\n0x80 READ 2\n"), None).expect("is a trace");
    assert!(trace.by_ref().take(2).all(|record| record.is_ok()));
    assert_eq!(trace.error_here("too far").to_string(), "t:3: too far");
}

proptest! {
    #![proptest_config(crate::testing::cases(256))]

    #[test]
    fn any_bytes_are_a_trace_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for format in [None, Some(Format::DramSim3), Some(Format::RamulatorCpu), Some(Format::LoadStore)] {
            let _ = all(bytes.clone(), format);
        }
    }

    #[test]
    fn nearly_good_lines_are_a_trace_or_an_error(text in "((0x)?[0-9a-f]{0,18} ?(READ|WRITE|R|W|LD|ST|[0-9]{1,20})? ?[0-9-]{0,4}\r?\n){0,8}") {
        let _ = all(text, None);
    }

    #[test]
    fn lines_are_read_as_written(requests in proptest::collection::vec((0u64..1000, any::<u64>(), any::<bool>()), 1..100)) {
        let mut arrival = 0;
        let requests: Vec<_> = requests.into_iter().map(|(gap, addr, write)| { arrival += gap; (arrival, addr, write) }).collect();
        let line = |&(arrival, addr, write): &(u64, u64, bool)| {
            format!("{addr:#x} {} {arrival}\n", if write { "WRITE" } else { "READ" })
        };
        let text: String = requests.iter().map(line).collect();
        prop_assert_eq!(all(text, None), Ok(requests));
    }
}
