// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces with physical addresses, replayed where they were recorded.

use crate::common::{parse, task};
use fresco_frames::TaskId;
use fresco_load::trace::ftrace::{Addresses, Header, Record, TraceWriter, What};
use fresco_scenario::allocator;
use fresco_system::results::{PointResult, TaskResult};
use fresco_system::run_all;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;

const PAGE: u64 = 4096;

/// A trace of loads and stores of 8 bytes, with so many instructions before each.
fn trace(path: &Path, addresses: Addresses, accesses: impl IntoIterator<Item = (u64, bool)>) {
    let header = Header {
        program: "test".to_owned(),
        addresses,
        ..Header::default()
    };
    let mut writer = TraceWriter::new(File::create(path).expect("writable"), &header).expect("writable");
    for (number, (addr, write)) in (0..).zip(accesses) {
        let (size, dep) = (8, 0);
        let record = Record {
            thread: 0,
            gap: number % 5,
            what: What::Access { addr, size, write, dep },
        };
        writer.push(&record).expect("a record");
    }
    writer.finish().expect("writable");
}

/// A scenario of tasks that replay these files, each with more keys, on cores 0, 1 …
fn scenario(machine: &str, head: &str, tasks: &[(&Path, &str)]) -> String {
    let mut text = format!("name = \"recorded\"\nmachine = {machine:?}\ncheck = true\n{head}\n");
    for (core, (file, keys)) in tasks.iter().enumerate() {
        write!(
            text,
            "[[task]]\nname = \"t{core}\"\nprogram = \"trace\"\ncore = {core}\nparameters.file = {file:?}\n{keys}\n"
        )
        .expect("text");
    }
    text
}

fn run(text: &str) -> PointResult {
    let scenario = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut result = run_all(&scenario, 1, &|_| {}).unwrap_or_else(|error| panic!("{error}"));
    result.points.remove(0)
}

/// Where a program has its pages by PALLOC, and what a recording with those addresses does, is the same.
#[test]
fn a_recording_does_what_the_recorded_program_did() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name);
    let mut random = Pcg64::seed_from_u64(7);
    let mut accesses = |base: u64| -> Vec<(u64, bool)> {
        let one = |_| {
            (
                base + random.random_range(0..200 * PAGE / 8) * 8,
                random.random_ratio(1, 4),
            )
        };
        (0..4000).map(one).collect()
    };
    let programs = [accesses(0x40_0000), accesses(0x7f00_0000_0000)];
    let banks = ["banks = \"0-1\"", "banks = \"1-3\""];
    let virtually = [file("virtual0"), file("virtual1")];
    let physically = [file("physical0"), file("physical1")];
    for (path, program) in virtually.iter().zip(&programs) {
        trace(path, Addresses::Virtual, program.iter().copied());
    }
    let head = "warm_up.jobs = 1\nmeasure.jobs = 3\n";
    let period = "period = \"2 ms\"\n";
    let keys = banks.map(|banks| format!("{period}{banks}\n"));
    let colored = scenario(
        "small.toml",
        &format!("{head}[policy]\nframes = \"palloc\""),
        &[(&virtually[0], &keys[0]), (&virtually[1], &keys[1])],
    );
    // The frames that the run gives: the pages of each task in ascending order.
    let read = parse(&colored).expect("a scenario");
    let setup = &read.runs()[0].point.setup;
    let mut frames =
        allocator::frames(&setup.machine, &setup.space, setup.frames, None, read.runs()[0].seed).expect("an allocator");
    for (number, copy) in (0u32..).zip(&setup.copies) {
        let program = &programs[number as usize];
        let mut pages: Vec<u64> = program.iter().map(|(addr, _)| addr / PAGE).collect();
        pages.sort_unstable();
        pages.dedup();
        let memory = allocator::of_task(setup, copy);
        frames.register(TaskId(number), memory).expect("colors");
        let given: Vec<u64> = pages
            .iter()
            .map(|_| frames.alloc(TaskId(number)).expect("a frame").0.0)
            .collect();
        let place = |addr: u64| given[pages.binary_search(&(addr / PAGE)).expect("a page")] * PAGE + addr % PAGE;
        let placed = program.iter().map(|(addr, write)| (place(*addr), *write));
        trace(&physically[number as usize], Addresses::Physical, placed);
    }
    let recorded = scenario(
        "small.toml",
        &format!("{head}[policy]\nframes = \"recorded\""),
        &[(&physically[0], period), (&physically[1], period)],
    );
    let (colored, recorded) = (run(&colored), run(&recorded));
    for (one, other) in colored.runs[0].tasks.iter().zip(&recorded.runs[0].tasks) {
        let what = |task: &TaskResult| format!("{:?} {:?} {:?}", task.jobs, task.reads, task.caches);
        assert_eq!(what(one), what(other), "{}", one.name);
        assert!(one.reads.count > 5000, "{}", one.reads.count);
        assert_eq!(one.pages.by_bank, other.pages.by_bank);
        assert_eq!(other.pages.faults, 0);
    }
}

/// Two readers of random lines in frames of the same bank disturb each other, in frames of different banks hardly.
#[test]
fn the_banks_of_the_recording_are_those_of_the_replay() {
    let directory = tempfile::tempdir().expect("a directory");
    // Bits 12, 13, 19 and 20 select the bank (PALLOC, section VI-A).
    let page = |number: u64, bank: u64| {
        let (low, high) = (bank & 3, bank >> 2);
        (low | (number & 31) << 2 | high << 7 | (number >> 5) << 9) * PAGE
    };
    let mut random = Pcg64::seed_from_u64(3);
    let mut reader = |name: &str, pages: std::ops::Range<u64>, bank: u64| {
        let path = directory.path().join(name);
        let accesses: Vec<(u64, bool)> = (0..20_000)
            .map(|_| {
                (
                    page(random.random_range(pages.clone()), bank) + random.random_range(0..64) * 64,
                    false,
                )
            })
            .collect();
        trace(&path, Addresses::Physical, accesses);
        path
    };
    let victim = reader("victim", 0..8192, 0);
    let same = reader("same", 8192..16384, 0);
    let other = reader("other", 0..8192, 5);
    let head = "warm_up.operations = 2000\nmeasure.operations = 10_000\n[policy]\nframes = \"recorded\"";
    let latency = |beside: Option<&Path>| {
        let mut tasks = vec![(victim.as_path(), "")];
        tasks.extend(beside.map(|path| (path, "role = \"background\"")));
        let result = run(&scenario("xeon-w3530", head, &tasks));
        let shown = &result.runs[0].tasks[0];
        assert_eq!(shown.pages.by_bank.iter().map(|of| of.0).collect::<Vec<_>>(), [0]);
        assert_eq!(task(&result, "t0").name, "t0");
        shown.reads.latency.mean_ns
    };
    let (alone, shared, apart) = (latency(None), latency(Some(&same)), latency(Some(&other)));
    assert!(shared > alone * 1.3, "{alone} {shared}");
    assert!(apart < alone * 1.1, "{alone} {apart}");
}

#[test]
fn what_is_no_recording_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let (virtually, physically) = (directory.path().join("v"), directory.path().join("p"));
    trace(&virtually, Addresses::Virtual, [(0x1000, false)]);
    trace(&physically, Addresses::Physical, [(0x1000, false)]);
    let far = directory.path().join("far");
    trace(&far, Addresses::Physical, [(128 << 20, false)]);
    let text = directory.path().join("text");
    std::fs::write(&text, "LD 4096\nST 8192\n").expect("writable");
    let recorded = "[policy]\nframes = \"recorded\"";
    let refused = |head: &str, path: &Path, keys: &str| {
        let error = parse(&scenario("small.toml", head, &[(path, keys)]))
            .err()
            .expect("is refused");
        error.to_string()
    };
    let error = refused(recorded, &virtually, "");
    assert!(
        error.contains("found trace with virtual addresses under the policy \"recorded\""),
        "{error}"
    );
    let error = refused("", &physically, "");
    assert!(error.contains("found a trace whose addresses are physical"), "{error}");
    let error = refused(recorded, &far, "");
    assert!(
        error.contains("found the address 0x8000000, where small has no memory"),
        "{error}"
    );
    assert!(error.contains("0x0 to 0x1ffffff"), "{error}");
    let error = refused(recorded, &physically, "banks = 0");
    assert!(error.contains("found banks under the policy \"recorded\""), "{error}");
    let error = refused("[policy]\nframes = \"recorded\"\nboot = \"aged\"", &physically, "");
    assert!(error.contains("boot"), "{error}");
    // A format that does not say what its addresses are is believed.
    assert!(parse(&scenario("small.toml", recorded, &[(&text, "")])).is_ok());
}
