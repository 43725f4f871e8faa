// SPDX-License-Identifier: MIT OR Apache-2.0
//! A gallery with a small recording, means, and an observer that stops all.

use crate::{Means, Observer, Steps, Unobserved};
use fresco_load::trace::ftrace::recorded::{
    About, Block, Encoder, Ending, Kind, Range, RecordedWriter, Site, Source, ThreadTotals,
};
use fresco_programs::{Entry, Gallery};
use std::collections::BTreeMap;
use tempfile::TempDir;

/// Loads of the recording.
pub(crate) const LOADS: u64 = 60_000;
/// Its thread.
pub(crate) const THREAD: u16 = 4;
/// Lines that it loads from: twice the largest cache of the co-design's machine.
const LINES: u64 = 32_768;

/// A directory with a recording of this name: loads here and there in 2 MiB, one in 20 instructions.
pub(crate) fn gallery(name: &str) -> (Gallery, TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let bytes = trace();
    let path = fresco_programs::trace(directory.path(), name);
    std::fs::write(path, &bytes).expect("writable");
    let recipe = fresco_programs::named(&[name.to_owned()]).expect("there").remove(0);
    let entry = Entry {
        schema: "fresco-program/1".to_owned(),
        name: name.to_owned(),
        stands_for: recipe.stands_for.clone(),
        recipe: recipe.digest().expect("a digest"),
        packages: BTreeMap::new(),
        command: Vec::new(),
        instructions: 20 * LOADS,
        loads: LOADS,
        stores: 0,
        threads: 1,
        thread: THREAD,
        bytes: bytes.len() as u64,
        pages: LINES / 64,
        dependent_percent: None,
        trace: "its digest".to_owned(),
        quick: false,
        measured: None,
    };
    Gallery::keep(directory.path(), &entry).expect("writable");
    (Gallery::read(directory.path()).expect("sound"), directory)
}

fn trace() -> Vec<u8> {
    const BASE: u64 = 0x1000_0000;
    let load = Site {
        instruction: 19,
        size: 8,
        write: false,
        address: Source::default(),
        data: Source::default(),
        beside: 0,
        distance: 0,
    };
    let block = Block {
        address: 0x40_1000,
        instructions: 20,
        sites: vec![load],
        changed: Default::default(),
        code: None,
    };
    let about = About {
        program: "a program".to_owned(),
        tool: "test".to_owned(),
        architecture: "x86-64".to_owned(),
        fetches: false,
    };
    let mut writer = RecordedWriter::new(Vec::new(), &about).expect("memory");
    writer.blocks([&block]).expect("memory");
    let mut encoder = Encoder::new(THREAD);
    for load in 0..LOADS {
        // Every line in turn, in another order (an odd factor).
        encoder.run(0, &block, &[BASE + load * 12_345 % LINES * 64]);
    }
    writer.chunk(&encoder.take()).expect("memory");
    let range = Range {
        first: BASE / 4096,
        pages: LINES / 64,
        kind: Kind::Heap,
    };
    let totals = ThreadTotals {
        thread: THREAD,
        ranges: vec![range],
        ..ThreadTotals::default()
    };
    writer.finish(Ending::Status(0), vec![totals]).expect("memory").0
}

/// Stops before anything begins.
pub(crate) struct Stopped;

impl Observer for Stopped {
    fn begin(&self, _: &str, _: u64) -> Box<dyn Steps> {
        Box::new(Unobserved)
    }

    fn is_stopped(&self) -> bool {
        true
    }
}

/// One thread, and nothing that is known before.
pub(crate) fn means(observer: &dyn Observer) -> Means<'_> {
    Means {
        threads: 1,
        observer,
        store: None,
    }
}
