// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coherent private caches in whole runs: threads that share lines, and tasks that do not. That states fit together is checked in every run of
//! a debug build.

use crate::common::threads::{self, Step};
use crate::common::{results, results_on};
use fresco_load::trace::ftrace::recorded::Special;
use fresco_memory::CoherenceCounts;
use fresco_system::results::{ScenarioResult, TaskResult};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::path::Path;

/// What a thread does: it loads or stores eight bytes at so many bytes of the memory that all share, or passes a place in the order of all.
#[derive(Clone, Copy, Debug)]
enum Did {
    Load(u64),
    Store(u64),
    /// It is the turn of this number.
    Turn(u32),
}

/// Where the memory of all threads begins, and its bytes.
const BASE: u64 = 1 << 20;
const BYTES: u64 = 1 << 16;

/// A trace of threads that do this.
fn written(path: &Path, threads: &[Vec<Did>]) {
    let step = |did: &Did| match *did {
        Did::Load(offset) => Step::Load(BASE + offset),
        Did::Store(offset) => Step::Store(BASE + offset),
        Did::Turn(ticket) => Step::Pass(Special::Order {
            at: 0,
            object: 1,
            ticket,
        }),
    };
    threads::written(path, threads.iter().map(|all| all.iter().map(step)), &[(BASE, BYTES)]);
}

/// 12 ns beyond the 26 ns of the last-level cache.
const MESI: &str = "coherence = { protocol = \"mesi\", transfer = \"12 ns\" }\n";

/// The trace of these threads, replayed twice, the second time measured, on cores from 0 on; with keys of the machine.
fn replayed(machine: &str, threads: &[Vec<Did>]) -> ScenarioResult {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.ftrace");
    written(&path, threads);
    results(&format!(
        r#"
        name = "sharing"
        machine = "small.toml"
        check = true
        warm_up.passes = 1
        measure.passes = 1
        {machine}
        [[task]]
        name = "program"
        program = "trace-parallel"
        cores = "0-{}"
        parameters.file = {:?}
        "#,
        threads.len() - 1,
        path.display().to_string()
    ))
}

fn tasks(result: &ScenarioResult) -> &[TaskResult] {
    &result.points[0].runs[0].tasks
}

fn counts(task: &TaskResult) -> CoherenceCounts {
    task.caches.coherence.expect("is coherent")
}

/// Two threads that add one to a counter each, `distance` bytes apart, so often.
fn counters(distance: u64, times: usize) -> [Vec<Did>; 2] {
    [0, distance].map(|at| [Did::Load(at), Did::Store(at)].repeat(times))
}

#[test]
fn false_sharing_shows_in_time_and_in_counters() {
    let apart = replayed(MESI, &counters(64, 2000));
    let together = replayed(MESI, &counters(8, 2000));
    let off = replayed("", &counters(8, 2000));
    let time = |result: &ScenarioResult| tasks(result)[0].run_time_ps;
    assert!(
        time(&together) > 5 * time(&apart),
        "{} {}",
        time(&together),
        time(&apart)
    );
    assert!(time(&off) <= time(&apart));
    assert_eq!(tasks(&off)[0].caches.coherence, None);
    for task in tasks(&apart) {
        assert_eq!(counts(task), CoherenceCounts::default(), "{}", task.name);
    }
    let [one, other] = tasks(&together) else {
        panic!("two threads")
    };
    let (one, other) = (counts(one), counts(other));
    // Whoever stores takes the line from the other.
    let asked = |counts: CoherenceCounts| counts.transfers + counts.upgrades;
    assert!(one.transfers > 50 && other.transfers > 50, "{one:?} {other:?}");
    assert!(one.invalidations <= asked(other) && other.invalidations <= asked(one));
    assert!(one.invalidations + other.invalidations > 100, "{one:?} {other:?}");
}

/// In order, and in turns: nothing overlaps, and what a store takes is what it waits for.
#[test]
fn turns_at_a_line_cost_a_transfer_each() {
    const TURNS: u32 = 100;
    let turns = |first: u32, at: u64| -> Vec<Did> {
        let own = (0..TURNS).filter(|turn| turn % 2 == first);
        own.flat_map(|turn| [Did::Turn(2 * turn), Did::Store(at), Did::Turn(2 * turn + 1)])
            .collect()
    };
    let core = "core = { kind = \"in-order\", window = 1, mshrs = 1 }\n";
    let run = |distance| replayed(&format!("{core}{MESI}"), &[turns(0, 0), turns(1, distance)]);
    let (together, apart) = (run(8), run(64));
    let time = |result: &ScenarioResult| tasks(result)[0].run_time_ps;
    // A hit takes 1.5 ns, an access of a line that the other has 38 ns, rounded up to a slot of a third of a nanosecond by both.
    let each = (time(&together) - time(&apart)) as f64 / f64::from(TURNS);
    assert!((each - 36_500.0).abs() < 350.0, "{each} ps");
    for task in tasks(&together) {
        let expected = CoherenceCounts {
            transfers: u64::from(TURNS) / 2,
            invalidations: u64::from(TURNS) / 2,
            ..CoherenceCounts::default()
        };
        assert_eq!(counts(task), expected, "{}", task.name);
    }
}

#[test]
fn what_all_read_costs_nothing_after_the_first_read() {
    let reads: Vec<Did> = (0..4000).map(|number| Did::Load(number * 64 % 4096)).collect();
    let threads = [reads.clone(), reads.clone(), reads];
    let (on, off) = (replayed(MESI, &threads), replayed("", &threads));
    for (on, off) in std::iter::zip(tasks(&on), tasks(&off)) {
        assert_eq!(counts(on), CoherenceCounts::default());
        assert_eq!(on.run_time_ps, off.run_time_ps, "{}", on.name);
    }
}

#[test]
fn a_consumer_takes_what_a_producer_has_written() {
    // 64 lines in each round: written by one, then read by the other.
    let lines = || (0..64u64).map(|line| line * 64);
    let (mut producer, mut consumer) = (Vec::new(), Vec::new());
    for round in 0..10 {
        producer.push(Did::Turn(4 * round));
        producer.extend(lines().map(Did::Store));
        producer.push(Did::Turn(4 * round + 1));
        consumer.push(Did::Turn(4 * round + 2));
        consumer.extend(lines().map(Did::Load));
        consumer.push(Did::Turn(4 * round + 3));
    }
    let result = replayed(MESI, &[producer, consumer]);
    let [producer, consumer] = tasks(&result) else {
        panic!("two threads")
    };
    let expected = CoherenceCounts {
        upgrades: 640,
        write_backs: 640,
        ..CoherenceCounts::default()
    };
    assert_eq!(counts(producer), expected);
    let expected = CoherenceCounts {
        transfers: 640,
        invalidations: 640,
        ..CoherenceCounts::default()
    };
    assert_eq!(counts(consumer), expected);
}

/// Each of four threads counts in 128 lines of its own, and then reads a quarter of those of the three others. Before it clears the 96 of its own
/// that were read, it has to ask for them.
#[test]
fn a_program_whose_sharing_is_known_is_counted_exactly() {
    let result = results(&format!(
        r#"
        name = "histogram"
        machine = "xeon-w3530"
        check = true
        warm_up.passes = 1
        measure.passes = 5
        {MESI}
        [[task]]
        name = "team"
        program = "histogram"
        cores = "0-3"
        parameters.elements = 20000
        parameters.bins = 2048
        "#
    ));
    for task in tasks(&result) {
        let each = 5 * 96;
        let expected = CoherenceCounts {
            transfers: each,
            upgrades: each,
            invalidations: each,
            write_backs: each,
        };
        assert_eq!(counts(task), expected, "{}", task.name);
    }
}

/// Tasks that share no line.
fn strangers(machine: &str) -> String {
    format!(
        r#"
        name = "strangers"
        machine = "small.toml"
        check = true
        warm_up.operations = 5000
        measure.operations = 5000
        {machine}
        [[task]]
        name = "victim"
        program = "latency"
        core = 0
        parameters.bytes = "96 KiB"
        [[task]]
        name = "writer"
        program = "random"
        core = 1
        parameters.bytes = "256 KiB"
        parameters.write_percent = 50
        role = "background"
        [[task]]
        name = "streams"
        program = "stream"
        core = 4
        parameters.elements = 20000
        role = "background"
        "#
    )
}

#[test]
fn tasks_that_share_no_line_lose_nothing() {
    for machine in [
        "",
        "llc.inclusion = \"inclusive\"\n",
        "core.prefetch = { next_line = true, stream = {} }\n",
        "llc.inclusion = \"exclusive\"\ncore.prefetch = { next_line = true }\n",
    ] {
        let off = results(&strangers(machine));
        let on = results(&strangers(&format!("{machine}{MESI}")));
        let text = |result: &ScenarioResult, takes: bool| {
            let mut run = serde_json::to_value(&result.points[0].runs[0]).expect("is data");
            for task in run["tasks"].as_array_mut().expect("there are tasks") {
                let coherence = task["caches"]
                    .as_object_mut()
                    .expect("there are caches")
                    .remove("coherence");
                assert_eq!(coherence.is_some(), takes);
                if let Some(coherence) = coherence {
                    let zero = serde_json::to_value(CoherenceCounts::default()).expect("is data");
                    assert_eq!(coherence, zero, "{machine}");
                }
            }
            run.to_string()
        };
        assert_eq!(text(&on, true), text(&off, false), "{machine}");
    }
}

#[test]
fn results_do_not_depend_on_host_threads() {
    let text = strangers(MESI);
    let [one, two] = [1, 2].map(|threads| results_on(threads, &text));
    let text = |result: &ScenarioResult| serde_json::to_string(result).expect("is data");
    assert_eq!(text(&one), text(&two));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(61), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever threads do to the same lines, in all kinds of last-level caches: states fit together, which debug builds check, and all ends.
    #[test]
    fn random_threads_end(
        steps in prop::collection::vec((0..4usize, 0..40u64, any::<bool>(), 1..20u64), 1..400),
        kind in 0..5usize,
        clusters in prop::sample::select(vec![1, 2, 4]),
        in_order: bool,
        prefetches: bool,
    ) {
        let mut threads = vec![vec![Did::Load(0)]; 4];
        for (thread, line, write, repeats) in steps {
            // Few sets, so that lines are displaced.
            for repeat in 0..repeats {
                let at = line * 1024 + (repeat * 8) % 64;
                threads[thread].push(if write { Did::Store(at) } else { Did::Load(at) });
            }
        }
        let kinds = ["non-inclusive", "inclusive", "exclusive"];
        let mut machine = format!("{MESI}llc.cores_per_cache = {clusters}\n");
        match kinds.get(kind) {
            Some(inclusion) => machine += &format!("llc.inclusion = \"{inclusion}\"\n"),
            None => machine += "llc.size = \"8 KiB\"\n",
        }
        if in_order {
            machine += "core.kind = \"in-order\"\ncore.window = 1\ncore.mshrs = 2\ncore.prefetch.next_line = true\n";
        } else if prefetches {
            machine += "core.prefetch = { next_line = true, stride = {}, stream = {} }\n";
        }
        let result = replayed(&machine, &threads);
        for (task, did) in std::iter::zip(tasks(&result), &threads) {
            prop_assert_eq!(task.operations, did.len() as u64);
        }
    }
}
