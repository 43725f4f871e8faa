// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace convert`, `cut`, `merge` and `diff` as a user has them.

mod convert;
mod info;
mod parts;
mod sample;

use crate::common::fresco;
use fresco_load::trace::AnyTrace;
use fresco_load::trace::ftrace::recorded::{
    About, Block, Encoder, Ending, Kind, Range, RecordedWriter, Site, Source, Special, ThreadTotals,
};
use fresco_load::trace::ftrace::{Record, What};
use std::path::Path;

/// What valgrind 3.19's lackey writes of a loop that adds to an array, shortened.
const LACKEY: &str = "==5553== Lackey, an example Valgrind tool\n==5553== \nI  00401000,5\nI  00401005,7\nI  0040100c,3\n\
                      I  0040100f,3\n L 00403000,4\nI  00401012,2\nI  00401014,3\n S 00403000,4\nI  00401017,3\n M 00403008,8\n\
                      I  0040101a,3\nI  0040101d,2\nI  0040100c,3\n==5553== \n==5553== Exit code:       0\n";

/// What a run that must end well tells on standard error.
fn told(arguments: &[&str], directory: &Path) -> String {
    let done = fresco(arguments, directory);
    let told = String::from_utf8(done.stderr).expect("UTF-8");
    assert_eq!(done.status.code(), Some(0), "{arguments:?}: {told}");
    told
}

/// Status, and the text on standard output.
fn compared(arguments: &[&str], directory: &Path) -> (Option<i32>, String) {
    let done = fresco(arguments, directory);
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    (done.status.code(), text)
}

/// The records of a trace.
fn records(path: &Path) -> Vec<Record> {
    let trace = AnyTrace::open(path, None).expect("is a trace");
    trace.collect::<Result<_, _>>().expect("is sound")
}

/// Gap, address, size, direction and dependence.
type Access = (u64, u64, u8, bool, u32);

/// The accesses of a thread.
fn accesses(path: &Path, thread: u16) -> Vec<Access> {
    let of = records(path).into_iter().filter(|record| record.thread == thread);
    of.filter_map(|record| match record.what {
        What::Access { addr, size, write, dep } => Some((record.gap, addr, size, write, dep)),
        What::Mark(_) => None,
    })
    .collect()
}

/// A trace of version 2: a list of eight entries in thread 0, two of another in thread 1, with an order between them, and a page of the heap.
fn recorded(path: &Path) {
    let about = About {
        program: "list".to_owned(),
        tool: "test".to_owned(),
        architecture: "x86-64".to_owned(),
        fetches: false,
    };
    let register = |entry| Source { load: 0, entry };
    let site = Site {
        instruction: 1,
        size: 8,
        write: false,
        address: register(1 << 3),
        data: Source::default(),
        beside: 0,
        distance: 0,
    };
    let chase = Block {
        address: 0x40_1000,
        instructions: 3,
        sites: vec![site],
        changed: vec![(3, Source { load: 1, entry: 0 })].into(),
        code: None,
    };
    let file = std::fs::File::create(path).expect("writable");
    let mut writer = RecordedWriter::new(file, &about).expect("writable");
    writer.blocks([&chase]).expect("writable");
    let mut totals = Vec::new();
    for (thread, entries) in [(0u16, 8u64), (1, 2)] {
        let mut encoder = Encoder::new(thread);
        encoder.special(Special::Order {
            at: 0,
            object: 1,
            ticket: u32::from(thread),
        });
        for entry in 0..entries {
            encoder.run(0, &chase, &[0x1000 + 0x40 * (entry * 5 % 16)]);
        }
        writer.chunk(&encoder.take()).expect("writable");
        totals.push(ThreadTotals {
            thread,
            ranges: vec![Range {
                first: 1,
                pages: 1,
                kind: Kind::Heap,
            }],
            ..ThreadTotals::default()
        });
    }
    writer.finish(Ending::Status(0), totals).expect("writable");
}
