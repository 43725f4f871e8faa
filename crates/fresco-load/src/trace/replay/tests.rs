// SPDX-License-Identifier: MIT OR Apache-2.0

use crate::testing::{Run, run};
use crate::trace::ftrace::{Header, TraceWriter, Unit, capture};
use crate::{Batch, Event, Marker, Op, Setting, build};
use fresco_dram::VirtAddr;
use std::io::Write;
use tempfile::TempDir;

/// A directory with one trace in it.
fn directory(name: &str, content: &[u8]) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join(name), content).expect("a file");
    directory
}

fn replay(directory: &TempDir, parameters: &str) -> Result<Run, String> {
    let setting = Setting {
        seed: 0,
        trace_dir: directory.path().into(),
    };
    build("trace", parameters, &setting)
        .map(run)
        .map_err(|error| error.to_string())
}

/// A trace of two threads that run `program` and one that does nothing.
fn recorded(program: &str, parameters: &str) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), &Header::default()).expect("memory");
    for thread in [0, 7] {
        let mut program = build(program, parameters, &Setting::default()).expect("a program");
        capture(&mut *program, thread, u64::MAX, &mut writer).expect("memory");
    }
    writer.finish().expect("memory")
}

#[test]
fn a_recorded_program_does_the_same_again() {
    let parameters = "class = 'S'\npasses = 1";
    let original = run(build("is", parameters, &Setting::default()).expect("a program"));
    let directory = directory("is.ftrace", &recorded("is", parameters));
    for thread in [0, 7] {
        let again = replay(&directory, &format!("file = 'is.ftrace'\nthread = {thread}")).expect("is replayed");
        assert!(again.events == original.events, "thread {thread}");
    }
}

#[test]
fn repeated_marks_of_a_recorded_program() {
    let parameters = "bytes = '4 KiB'\nwarmup = 1\npasses = 2";
    let original = run(build("latency", parameters, &Setting::default()).expect("a program"));
    let directory = directory("l.ftrace", &recorded("latency", parameters));
    let again = replay(&directory, "file = 'l.ftrace'\npasses = 3").expect("is replayed");
    assert_eq!(again.marks(), (1, 6, 1));
    assert_eq!(again.instructions(), 3 * original.instructions());
    assert!(matches!(
        again.events.last(),
        Some(Event::Mark {
            marker: Marker::End,
            ..
        })
    ));
}

#[test]
fn a_trace_that_marks_its_begin_alone_or_its_end_too_has_passes() {
    use crate::trace::ftrace::{Record, What};
    for end in [false, true] {
        let mut writer = TraceWriter::new(Vec::new(), &Header::default()).expect("memory");
        let access = |gap| Record {
            thread: 0,
            gap,
            what: What::Access {
                addr: 4096,
                size: 8,
                write: false,
                dep: 0,
            },
        };
        let mark = |gap, marker| Record {
            thread: 0,
            gap,
            what: What::Mark(marker),
        };
        let mut records = vec![access(1), mark(2, Marker::Begin), access(3)];
        if end {
            records.extend([mark(4, Marker::End), access(5)]);
        }
        for record in &records {
            writer.push(record).expect("memory");
        }
        let directory = directory("b.ftrace", &writer.finish().expect("memory"));
        let again = replay(&directory, "file = 'b.ftrace'\npasses = 3").expect("is replayed");
        assert_eq!(again.marks(), (1, 3, 1));
        let instructions = if end {
            3 * (1 + 2 + 3 + 4 + 5 + 3)
        } else {
            3 * (1 + 2 + 3 + 2)
        };
        assert_eq!(again.instructions(), instructions);
        let before_last = &again.events[again.events.len() - if end { 3 } else { 2 }..];
        let is = |event: &Event, wanted| matches!(event, Event::Mark { marker, .. } if *marker == wanted);
        assert!(is(&before_last[0], Marker::Pass) && is(&before_last[1], Marker::End));
    }
}

#[test]
fn a_ramulator_trace_gzipped() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder
        .write_all(b"3 20734016\n0 140736759616455 20734080\n")
        .expect("memory");
    let directory = directory("t.gz", &encoder.finish().expect("memory"));
    let again = replay(&directory, "file = 't.gz'\npasses = 2").expect("is replayed");
    let op = |gap, addr, write| {
        Event::Op(Op {
            addr: VirtAddr(addr),
            gap,
            dep: 0,
            size: 64,
            write,
        })
    };
    let mark = |marker| Event::Mark { marker, gap: 0 };
    let pass = [
        op(3, 20_734_016, false),
        op(0, 140_736_759_616_448, false),
        op(0, 20_734_080, true),
    ];
    let expected = [
        &[mark(Marker::Begin)][..],
        &pass,
        &[mark(Marker::Pass)],
        &pass,
        &[mark(Marker::Pass), mark(Marker::End)],
    ];
    assert_eq!(again.events, expected.concat());
}

#[test]
fn a_trace_of_another_format_begins_later_too() {
    let directory = directory("t.txt", b"5 64\n1 128\n2 192\n");
    let again = replay(&directory, "file = 't.txt'\nskip = 2\npasses = 2").expect("is replayed");
    let seen: Vec<(u32, u64)> = again.ops().iter().map(|op| (op.gap, op.addr.0)).collect();
    assert_eq!(seen, [(2, 192), (5, 64), (1, 128), (2, 192)]);
    assert_eq!(again.marks(), (1, 2, 1));
}

#[test]
fn a_long_trace_comes_in_batches() {
    let text: String = (0..30_000).map(|i| format!("{} {}\n", i % 7, 4096 + i * 64)).collect();
    let directory = directory("t.txt", text.as_bytes());
    let again = replay(&directory, "file = 't.txt'\nformat = 'ramulator-cpu'").expect("is replayed");
    assert!(
        again
            .ops()
            .iter()
            .map(|op| op.addr.0)
            .eq((0..30_000).map(|i| 4096 + i * 64))
    );
}

#[test]
fn faults() {
    let fault = |content: &[u8], parameters: &str| {
        let directory = directory("t", content);
        let error = replay(&directory, &format!("file = 't'\n{parameters}"))
            .err()
            .expect("a fault");
        error.replace(&directory.path().display().to_string(), "")
    };
    assert!(fault(b"0x40 READ 5\n", "").contains("(dramsim3) cannot be replayed by a core"));
    assert!(fault(b"1 64\n", "thread = 1").contains("no access of thread 1"));
    assert!(
        fault(b"1 64\n2 99999999999999999\n", "").starts_with("/t:2: address 0x16345785d89ffc0\n  allowed: virtual")
    );
    assert!(fault(b"1 64\n2 x\n", "").starts_with("/t:2: read address: found \"x\""));
    assert!(fault(b"1 64\n", "format = 'load-store'").starts_with("/t:1: operation: found \"1\""));
    assert!(fault(&recorded("idle", ""), "").contains("no access of thread 0"));
    let other = fault(&recorded("latency", "bytes = '4 KiB'"), "thread = 3");
    assert!(
        other.contains("no access of thread 3") && other.contains("a thread that the trace has: 0, 7\n"),
        "{other}"
    );
    assert!(other.contains("--set task.NAME.parameters.thread=0"), "{other}");
    let header = Header {
        unit: Unit::Cycles,
        ..Header::default()
    };
    let cycles = TraceWriter::new(Vec::new(), &header)
        .and_then(TraceWriter::finish)
        .expect("memory");
    assert!(fault(&cycles, "").contains("in memory cycles cannot be replayed"));
    let missing = replay(&directory("t", b""), "\nfile = 'nowhere'")
        .err()
        .expect("a fault");
    assert!(
        missing.starts_with("parameters of trace:2: file: ") && missing.contains("No such file"),
        "{missing}"
    );
}

#[test]
fn a_trace_that_changes_meanwhile_is_told() {
    let directory = directory("t", b"1 64\n2 128\n");
    let setting = Setting {
        seed: 0,
        trace_dir: directory.path().into(),
    };
    let mut program = build("trace", "file = 't'", &setting).expect("a program");
    std::fs::write(directory.path().join("t"), b"1 64\n2 192\n").expect("a file");
    let error = program.next(&mut Batch::new()).expect_err("has changed");
    assert_eq!(error.found, "has changed while it was being replayed");
}

#[test]
fn what_can_be_read_only_once_is_refused() {
    let directory = directory("a.trace", b"LD 64\n");
    std::os::unix::fs::symlink("/dev/null", directory.path().join("pipe")).expect("a link");
    let error = replay(&directory, "file = 'pipe'").err().expect("is refused");
    assert!(error.contains("is no regular file"), "{error}");
    assert!(error.contains("help: save it as a file first"), "{error}");
}
