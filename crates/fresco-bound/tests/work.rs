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

#[test]
fn overlapping_reads_are_late_by_their_longest_chain() {
    let setup = setup("none");
    let cycle = 1_000_000u64.div_ceil(u64::from(setup.machine.core.mhz));
    let (reads, work) = bounds(&setup, OVERLAPPING);
    let late = 150 * (reads.longest_ps - 40_000);
    assert_eq!(work.longest_ps, 20_000_000 + cycle + late);
    // One after the other, and most of them longer than the shortest: each by itself.
    let sequential = Alone {
        chain: 600,
        ..OVERLAPPING
    };
    let (_, work) = bounds(&setup, sequential);
    assert_eq!(work.reads_ps, 600 * reads.longest_ps - 30_000_000);
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
    // By reads each of the chain would meet them.
    assert!(work.reads_ps < 150 * (reads.longest_ps - 40_000));
}

/// Eight lines fill the write-back buffer of a core with six miss registers.
#[test]
fn misses_wait_for_displaced_lines_once_for_each_buffer_of_them() {
    let setup = setup("none");
    let held = |write_backs: u64, chain: u64| {
        let alone = Alone {
            write_backs,
            chain,
            ..OVERLAPPING
        };
        let (_, work) = bounds(&setup, alone);
        assert!(write_backs == 0 || work.hold_ps > 0);
        work.write_backs_ps.checked_div(work.hold_ps).unwrap_or(0)
    };
    let entries = 8;
    for (write_backs, chain, waits) in [
        (0, 150, 0),
        (1, 150, 1),
        (entries - 1, 150, 1),
        (entries, 150, 2),
        (10 * entries, 150, 11),
        (600, 150, 76),
        (600, 100, 76),
        (600, 60, 60),
    ] {
        assert_eq!(held(write_backs, chain), waits, "{write_backs} lines, {chain} reads");
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
        write_backs: 1,
        ..OVERLAPPING
    };
    assert_eq!(
        sources.work(0, dirty, &reads),
        Err(Unknown::Drains(Unbounded::NoHitCap))
    );
}
