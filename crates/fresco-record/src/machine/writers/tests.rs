// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use fresco_load::trace::ftrace::TraceReader;
use fresco_ring::physical::{BEGIN, access, block, definition, elsewhere, end, hit};
use std::path::Path;

const KERNEL: u64 = 0xffff_ffff_8100_0000;

fn processor(directory: &Path, number: u32) -> Processor {
    Processor {
        number,
        program: format!("program {number}"),
        trace: directory.join(number.to_string()),
    }
}

fn words(writers: &mut Writers<'_>, stream: u32, words: &[u64]) {
    let definitions = false;
    writers.take(Taken {
        stream,
        definitions,
        words,
    });
}

/// Records of a trace, and its header.
fn read(path: &Path) -> (Header, Vec<Record>) {
    let trace = TraceReader::open(path).expect("a trace");
    let header = trace.header().clone();
    (header, trace.collect::<Result<_, _>>().expect("sound"))
}

fn made(gap: u64, addr: u64, size: u8, write: bool, dep: u32) -> Record {
    let what = What::Access { addr, size, write, dep };
    Record { thread: 0, gap, what }
}

#[test]
fn words_of_processors_become_traces() {
    let directory = tempfile::tempdir().expect("a directory");
    let processors = [0, 2].map(|number| processor(directory.path(), number));
    let mut writers = Writers::new(&processors, "test").expect("writable");
    // Ten NOPs.
    let ten = definition(3, KERNEL, &[&[0x90][..]; 10]);
    words(
        &mut writers,
        7,
        &[&[BEGIN | 2], &ten[..], &[block(3); 100], &[access(5, 0x1040, 8, true)]].concat(),
    );
    // Nobody has asked for this one, nor does anybody know that one.
    words(&mut writers, 8, &[BEGIN | 1, block(3), access(0, 0, 8, false)]);
    words(&mut writers, 9, &[access(0, 0, 8, false)]);
    words(
        &mut writers,
        7,
        &[
            access(5, 0x100_0000_0000, 64, false),
            elsewhere(0x80, 4, false),
            block(3),
            block(3),
        ],
    );
    words(&mut writers, 7, &[access(1, 0, 3, false), end(9)]);
    words(&mut writers, 10, &[BEGIN]);
    let recorded = writers.finish().expect("written");
    // 99 runs and five instructions come before the first access; the last run has nine.
    let (instructions, accesses) = (101 * 10 + 9, 4);
    assert_eq!(recorded, [Recorded::default(), Recorded { instructions, accesses }]);
    let (header, records) = read(&processors[1].trace);
    assert_eq!(
        (header.addresses, header.program.as_str()),
        (Addresses::Physical, "program 2")
    );
    let pass = Record {
        thread: 0,
        gap: 7,
        what: What::Mark(Marker::Pass),
    };
    let all = [
        made(995, 0x1040, 8, true, 0),
        made(0, 0x100_0000_0000, 64, false, 0),
        made(0, 0x80, 4, false, 0),
        made(14 - 1, 0, 3, false, 0),
        pass,
    ];
    assert_eq!(records, all);
}

/// mov rbx, [rbx]; jmp to it: a list.
const LIST: [&[u8]; 2] = [&[0x48, 0x8b, 0x1b], &[0xeb, 0xfb]];

#[test]
fn loads_need_those_whose_values_they_use_until_something_comes_between() {
    let directory = tempfile::tempdir().expect("a directory");
    let processors = [processor(directory.path(), 0)];
    let mut writers = Writers::new(&processors, "test").expect("writable");
    let mut all = vec![BEGIN];
    all.extend(definition(0, 0x1000, &LIST));
    // mov rax, [rbx], an interrupt's first block; iretq.
    all.extend(definition(1, KERNEL, &[&[0x48, 0x8b, 0x03], &[0x48, 0xcf]]));
    let load = |line: u64| access(0, line * 64, 8, false);
    all.extend([block(0), load(1), block(0), load(2), block(0), block(0), load(3)]);
    all.extend([block(1), load(4), block(0), load(5), block(0), load(6)]);
    // A hit of the line of the one before the last.
    all.extend([block(0), hit(0, 1), block(0), load(7), end(2)]);
    words(&mut writers, 0, &all);
    writers.finish().expect("written");
    let (_, records) = read(&processors[0].trace);
    let found: Vec<(u64, u32)> = records
        .iter()
        .filter_map(|record| match record.what {
            What::Access { addr, dep, .. } => Some((addr / 64, dep)),
            What::Mark(_) => None,
        })
        .collect();
    assert_eq!(found, [(1, 0), (2, 1), (3, 1), (4, 0), (5, 0), (6, 1), (7, 1)]);
}

/// Within a stream a word may be split from those before it; nothing that is written is believed.
#[test]
fn a_stream_of_another_version_is_a_failure() {
    for (bad, expected) in [
        (vec![4 << 61], "a word of no meaning"),
        (vec![block(5), block(5)], "a block that was not defined"),
        (definition(0, 0, &[&[0x90]])[..2].to_vec(), "cut off"),
        (definition(u32::MAX, 0, &[&[0x90]]), "more code than any machine has"),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let processors = [processor(directory.path(), 0)];
        let mut writers = Writers::new(&processors, "test").expect("writable");
        words(&mut writers, 0, &[BEGIN]);
        words(&mut writers, 0, &bad);
        assert!(writers.has_failed());
        let failure = writers.finish().expect_err("refused");
        assert!(failure.what.contains(expected), "{expected}: {}", failure.what);
    }
}
