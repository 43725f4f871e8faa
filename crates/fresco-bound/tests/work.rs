// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bound of work by hand, from what it was alone.

use fresco_bound::{Alone, Sources, TaskReads, Unbounded, Unknown, WorkBound};
use fresco_dram::Ps;
use fresco_machine::Scheduler;
use fresco_scenario::{Scenario, Setup};
use std::path::Path;
use std::sync::Arc;

/// Two cores that store, each in a bank and ways of its own, beside a device that reads in a third bank.
fn setup(refresh: &str) -> Setup {
    let text = format!(
        "name = \"pair\"\nmachine = \"raspberry-pi-4\"\nmemory.controller = {{ hit_cap = 4, drain_once = true, refresh = \"{refresh}\" }}\n\
         policy.frames = \"palloc\"\n\
         [[task]]\nname = \"own\"\nprogram = \"random\"\ncore = 0\nbanks = \"0\"\nways = \"0-7\"\nparameters.write_percent = 50\n\
         [[task]]\nname = \"other\"\nprogram = \"random\"\ncore = 1\nbanks = \"1\"\nways = \"8-15\"\nparameters.write_percent = 50\n\
         [[agent]]\nname = \"device\"\nbytes = \"1 MiB\"\nbanks = \"2\"\nin_flight = 2\n"
    );
    let mut scenario =
        Scenario::parse("pair.toml", &text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    let point = Arc::into_inner(scenario.points.remove(0)).expect("nobody else has it");
    Arc::into_inner(point.setup).expect("nobody else has it")
}

/// Six hundred reads of 50 ns on average, up to six at once.
const OVERLAPPING: Alone = Alone {
    time_ps: 20_000_000,
    reads: 600,
    hits: 0,
    cached: 0,
    in_memory_ps: 30_000_000,
    chain: 150,
    shortest_ps: 40_000,
    write_backs: 0,
};

fn bounds(setup: &Setup, alone: Alone) -> (TaskReads, WorkBound) {
    let sources = Sources::of(setup);
    let reads = sources.reads_of(0).expect("bounded");
    let work = sources.work(0, alone, &reads).expect("bounded");
    (reads, work)
}

/// From the core to the controller and back.
fn path_ps(setup: &Setup) -> Ps {
    let (reads, work) = bounds(setup, OVERLAPPING);
    let certified = Sources::of(setup).certified(0, &reads, Some(&work));
    let certified = serde_json::to_value(certified).expect("JSON");
    let path = certified["work"]["path_ps"].as_u64().expect("a time");
    assert!(path > 0);
    path
}

/// The longest chain, and the time for which all six registers are in use besides.
#[test]
fn overlapping_reads_are_late_by_their_longest_chain_and_wait_for_registers() {
    let setup = setup("none");
    let machine = &setup.machine;
    let cycle = 1_000_000u64.div_ceil(u64::from(machine.core.mhz));
    let path = path_ps(&setup);
    let (reads, work) = bounds(&setup, OVERLAPPING);
    let longest = reads.longest_ps;
    let late = 150 * (longest - 40_000) + (450 * (longest + path)).div_ceil(6);
    let slot = 1_000_000u64.div_ceil(u64::from(machine.core.mhz * machine.core.issue_width));
    let edges = 150 * (machine.memory.timing.clock.longest_ps(1) + slot);
    assert_eq!((work.reads_ps, work.edges_ps), (late, edges));
    assert_eq!(work.longest_ps, 20_000_000 + cycle + late + edges);
    // One after the other nothing is beside the chain.
    let sequential = Alone {
        chain: 600,
        ..OVERLAPPING
    };
    assert_eq!(bounds(&setup, sequential).1.reads_ps, 600 * (longest - 40_000));
    // Hits that may be reads take the way to the controller besides; all hits have a register.
    let hits = Alone {
        hits: 200,
        cached: 300,
        shortest_ps: 0,
        ..OVERLAPPING
    };
    let (_, work) = bounds(&setup, hits);
    let hit = machine.llc.as_ref().expect("a cache").cache.latency + slot;
    let late = 150 * (longest + path) + (450 * (longest + path) + 300 * hit).div_ceil(6);
    assert_eq!((work.reads_ps, work.edges_ps), (late, edges + 300 * slot));
}

/// In order, if most of them took longer than the shortest: each by itself.
#[test]
fn reads_in_order_are_late_each_by_itself() {
    let mut setup = setup("none");
    (setup.machine.core.window, setup.machine.core.mshrs) = (1, 1);
    let sequential = Alone {
        chain: 600,
        ..OVERLAPPING
    };
    let (reads, work) = bounds(&setup, sequential);
    assert_eq!(work.reads_ps, 600 * reads.longest_ps - 30_000_000);
    let alike = Alone {
        in_memory_ps: 600 * 40_000,
        ..sequential
    };
    assert_eq!(bounds(&setup, alike).1.reads_ps, 600 * (reads.longest_ps - 40_000));
}

#[test]
fn a_refresh_delays_all_reads_that_overlap_once() {
    let (with, without) = (setup("all-bank-independent"), setup("none"));
    let (_, work) = bounds(&with, OVERLAPPING);
    let (_, base) = bounds(&without, OVERLAPPING);
    let reads = Sources::of(&with).reads_of(0).expect("bounded");
    let document = serde_json::to_value(Sources::of(&with).certified(0, &reads, Some(&work))).expect("JSON");
    let clock = with.machine.memory.timing.clock;
    let cycles = |name: &str| document["work"]["costs"][name].as_u64().expect("cycles");
    let (every, each) = (clock.to_ps(cycles("interval")), clock.longest_ps(cycles("refresh")));
    let refreshes = |whole: Ps| (whole / every + 2) * each;
    assert!(work.longest_ps >= base.longest_ps + refreshes(work.longest_ps));
    // As if a part of an interval had a part of a refresh, which is less than two refreshes more.
    let less = work.longest_ps - 2 * each;
    assert!(less < base.longest_ps + refreshes(less), "two too many");
    // By reads each of the chain, and each that has a register meanwhile, would meet them.
    let path = path_ps(&with);
    let by_reads = 150 * (reads.longest_ps - 40_000) + (450 * (reads.longest_ps + path)).div_ceil(6);
    assert!(work.reads_ps < by_reads);
}

/// Eight lines fill the write-back buffer of a core with six miss registers.
#[test]
fn a_core_waits_for_displaced_lines_once_for_each_buffer_of_them() {
    let setup = setup("none");
    let held = |write_backs: u64, reads: u64| {
        let alone = Alone {
            write_backs,
            reads,
            in_memory_ps: reads * 50_000,
            chain: reads.min(150),
            ..OVERLAPPING
        };
        let (_, work) = bounds(&setup, alone);
        assert_eq!(work.hold_ps > 0, write_backs >= 8);
        work.write_backs_ps.checked_div(work.hold_ps).unwrap_or(0)
    };
    let entries = 8;
    for (write_backs, reads, waits) in [
        (0, 600, 0),
        (entries - 1, 600, 0),
        (entries, 600, 1),
        (2 * entries - 1, 600, 1),
        (600, 600, 75),
        (600, 1, 75),
    ] {
        assert_eq!(held(write_backs, reads), waits, "{write_backs} lines, {reads} reads");
    }
}

/// Reads of the task are alone in their bank, so that no hits overtake them; but lines that it displaces wait until the device's have been served.
#[test]
fn displaced_lines_wait_without_end_for_reads_that_do() {
    let mut setup = setup("none");
    setup.machine.core.mshrs = 1;
    setup.machine.memory.controller.scheduler = Scheduler::FrFcfs { hit_cap: u32::MAX };
    let sources = Sources::of(&setup);
    let reads = sources.reads_of(0).expect("bounded");
    assert!(sources.work(0, OVERLAPPING, &reads).is_ok(), "nothing is displaced");
    let dirty = Alone {
        write_backs: 8,
        ..OVERLAPPING
    };
    assert_eq!(
        sources.work(0, dirty, &reads),
        Err(Unknown::Drains(Unbounded::NoHitCap))
    );
}
