// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of programs of several threads, as tests make them up.

use fresco_load::trace::ftrace::recorded::{
    About, Block, Encoder, Ending, Kind, Range, RecordedWriter, Site, Source, Special, ThreadTotals,
};
use std::path::Path;

/// What a thread does next.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// It loads the eight bytes at an address.
    Load(u64),
    /// It stores them.
    Store(u64),
    /// It passes a place in the order of threads.
    Pass(Special),
}

/// Writes the trace of threads that do this. Of `areas`, first byte and length, each thread brings the one of its number, if there is one.
pub fn written<S: IntoIterator<Item = Step>>(path: &Path, threads: impl IntoIterator<Item = S>, areas: &[(u64, u64)]) {
    let about = About {
        program: "threads".to_owned(),
        tool: "test".to_owned(),
        architecture: "x86-64".to_owned(),
        fetches: false,
    };
    let (load, store) = (block(false), block(true));
    let mut writer = RecordedWriter::new(std::fs::File::create(path).expect("writable"), &about).expect("writable");
    writer.blocks([&load, &store]).expect("writable");
    let mut totals = Vec::new();
    for (thread, steps) in (0u16..).zip(threads) {
        let mut encoder = Encoder::new(thread);
        for step in steps {
            match step {
                Step::Load(address) => encoder.run(0, &load, &[address]),
                Step::Store(address) => encoder.run(1, &store, &[address]),
                Step::Pass(special) => encoder.special(special),
            }
        }
        writer.chunk(&encoder.take()).expect("writable");
        let range = |&(first, bytes): &(u64, u64)| Range {
            first: first >> 12,
            pages: bytes >> 12,
            kind: Kind::Heap,
        };
        totals.push(ThreadTotals {
            thread,
            ranges: areas.get(usize::from(thread)).map(range).into_iter().collect(),
            ..ThreadTotals::default()
        });
    }
    writer.finish(Ending::Status(0), totals).expect("writable");
}

/// Four instructions, the second of which loads or stores.
fn block(write: bool) -> Block {
    Block {
        address: 0x40_1000 + u64::from(write) * 64,
        instructions: 4,
        sites: vec![Site {
            instruction: 1,
            size: 8,
            write,
            address: Source::default(),
            data: Source::default(),
            beside: 0,
            distance: 0,
        }],
        changed: Default::default(),
        code: None,
    }
}
