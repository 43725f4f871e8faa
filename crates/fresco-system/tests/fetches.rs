// SPDX-License-Identifier: MIT OR Apache-2.0
//! Code that recorded programs fetch, on machines with and without an instruction cache.

use fresco_load::trace::ftrace::recorded::{
    About, Block, Code, Encoder, Ending, Kind, Range, RecordedWriter, Site, Source, ThreadTotals,
};
use fresco_system::results::TaskResult;
use fresco_system::{Scenario, run_all};
use std::path::Path;

/// An instruction cache as large as the data cache of the machine.
const L1I: &str = "[l1i]\nsize = \"32 KiB\"\nways = 4\nline = 64\nreplacement = \"lru\"\n";

/// A block of so many instructions of four bytes, the first of which loads.
fn block(address: u64, instructions: u16) -> Block {
    let site = Site {
        instruction: 0,
        size: 8,
        write: false,
        address: Source::default(),
        data: Source::default(),
        beside: 0,
        distance: 0,
    };
    Block {
        address,
        instructions,
        sites: vec![site],
        changed: Default::default(),
        code: Code::new(address, &vec![4; usize::from(instructions)]).map(Box::new),
    }
}

/// A trace of rounds over these blocks; each loads from the same word.
fn written(path: &Path, blocks: &[Block], rounds: usize, fetches: bool) {
    let about = About {
        program: "code".to_owned(),
        tool: "test".to_owned(),
        architecture: "x86-64".to_owned(),
        fetches,
    };
    let mut writer = RecordedWriter::new(std::fs::File::create(path).expect("writable"), &about).expect("writable");
    writer.blocks(blocks).expect("writable");
    let mut encoder = Encoder::new(0);
    for _ in 0..rounds {
        for (number, block) in (0u32..).zip(blocks) {
            encoder.run(number, block, &[0x10_0000]);
        }
    }
    writer.chunk(&encoder.take()).expect("writable");
    let mut pages: Vec<u64> = encoder.fresh_pages().filter(|page| fetches || *page == 0x100).collect();
    pages.sort_unstable();
    let range = |first| Range {
        first,
        pages: 1,
        kind: Kind::Other,
    };
    let totals = ThreadTotals {
        ranges: pages.into_iter().map(range).collect(),
        ..ThreadTotals::default()
    };
    writer.finish(Ending::Status(0), vec![totals]).expect("writable");
}

/// The task, replayed twice, the second time measured, on the Xeon with caches of LRU: as it is, or with an instruction cache, and with a last level
/// of so many MiB.
fn replayed(path: &Path, l1i: &str, llc: u32) -> TaskResult {
    let machine = fresco_machine::builtin_text("xeon-w3530").expect("is built in");
    let machine = machine
        .replace("tree-plru", "lru")
        // Cycles are whole picoseconds.
        .replace("2.8 GHz", "2 GHz")
        .replace("size = \"8 MiB\"", &format!("size = \"{llc} MiB\""))
        .replace("name = \"xeon-w3530\"", "name = \"code\"");
    let directory = path.parent().expect("a directory");
    std::fs::write(directory.join("code.toml"), machine + "\n" + l1i).expect("writable");
    let text = format!(
        "name = \"code\"\nmachine = \"code.toml\"\ncheck = true\nwarm_up.passes = 1\nmeasure.passes = 1\n[[task]]\nname = \"code\"\n\
         program = \"trace\"\ncore = 0\nparameters.file = {path:?}\n"
    );
    let scenario = Scenario::parse("scenario.toml", &text, directory, &[]).expect("sound");
    let result = run_all(&scenario, 1, &|_| {}).expect("runs");
    result.points[0].runs[0].tasks[0].clone()
}

#[test]
fn a_loop_of_two_lines_costs_nothing_once_it_is_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.ftrace");
    let code = [block(0x40_1030, 8)];
    written(&path, &code, 1000, false);
    let plain = replayed(&path, L1I, 8);
    assert_eq!((plain.fetches, plain.caches.l1i.is_none()), (0, true));
    written(&path, &code, 1000, true);
    let task = replayed(&path, L1I, 8);
    assert_eq!((task.fetches, task.operations), (2000, 1000));
    let l1i = task.caches.l1i.expect("there is one");
    assert_eq!((l1i.hits, l1i.misses), (2000, 0));
    assert_eq!(task.caches.l1, plain.caches.l1, "data do not see the code");
    // What follows the last event of a trace is not replayed: there the last fetch comes after three instructions more.
    assert_eq!((task.instructions, task.reads.count), (plain.instructions + 3, 0));
    let longer = task.run_time_ps - plain.run_time_ps;
    assert!(longer <= 500, "{longer} ps");
    // Without a cache of its own the code is in level 1 with the data.
    let shared = replayed(&path, "", 8);
    assert_eq!((shared.fetches, shared.caches.l1i.is_none()), (2000, true));
    let l1 = shared.caches.l1.expect("there is one");
    assert_eq!((l1.hits, l1.misses), (3000, 0));
    assert_eq!(shared.run_time_ps, task.run_time_ps);
}

#[test]
fn code_larger_than_its_cache_comes_from_level_two_at_its_latency() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.ftrace");
    // 128 blocks of 8 lines each, 64 KiB: a round pushes all of it out of 32 KiB, and stays in the 256 KiB of level 2.
    let code: Vec<Block> = (0..128).map(|number| block(0x40_0000 + 512 * number, 128)).collect();
    written(&path, &code, 10, true);
    let task = replayed(&path, L1I, 8);
    assert_eq!(task.fetches, 10 * 1024);
    let l1i = task.caches.l1i.expect("there is one");
    assert_eq!((l1i.hits, l1i.misses), (0, 10 * 1024));
    let l2 = task.caches.l2.expect("there is one");
    assert_eq!((l2.hits, l2.misses, task.reads.count), (10 * 1024, 0, 0));
    // 16 instructions of a line take 4 cycles at 4 a cycle, the line before that 10; at 2 GHz.
    let cycles = task.run_time_ps as f64 * 2.0 / 1000.0;
    let expected = 10.0 * 1024.0 * (4.0 + 10.0);
    assert!((cycles - expected).abs() < expected * 0.001, "{cycles} {expected}");
}

#[test]
fn code_that_is_nowhere_is_read_from_the_memory() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.ftrace");
    // 4 MiB of code, four times as large as the last level here.
    let code: Vec<Block> = (0..8192).map(|number| block(0x4000_0000 + 512 * number, 128)).collect();
    written(&path, &code, 2, true);
    let task = replayed(&path, L1I, 1);
    let fetches = 2 * 65_536;
    assert_eq!((task.fetches, task.operations), (fetches, 2 * 8192));
    assert!(task.reads.count > fetches * 9 / 10, "{}", task.reads.count);
    // One after the other: no two are under way at once.
    let each = task.run_time_ps as f64 / 1000.0 / task.reads.count as f64;
    assert!(each >= task.reads.latency.mean_ns, "{each} {:?}", task.reads.latency);
}
