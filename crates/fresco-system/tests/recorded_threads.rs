// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of a recorded program, replayed together. That no thread runs ahead of what it waited for is watched in every run of a debug build
//! (`engine/witness.rs`).

use crate::common::threads::{self, Step};
use crate::common::{parse, results};
use fresco_load::trace::ftrace::recorded::Special;
use fresco_system::results::{ScenarioResult, TaskResult};
use fresco_system::run_all;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::path::Path;

/// What a thread does.
#[derive(Clone, Copy, Debug)]
enum Did {
    /// So many loads.
    Loads(u64),
    Order(u16, u32),
    After(u16, u32),
}

/// Bytes from one thread's data to the next.
const SPACE: u64 = 1 << 20;

/// A trace of threads that do this, each in a space of its own.
fn written(path: &Path, threads: &[Vec<Did>]) {
    let areas: Vec<(u64, u64)> = (1..)
        .map(|number| (SPACE * number, SPACE))
        .take(threads.len())
        .collect();
    let steps = |(area, all): (&(u64, u64), &Vec<Did>)| {
        let (first, mut next) = (area.0, 0);
        let mut steps = Vec::new();
        for did in all {
            match *did {
                Did::Loads(count) => {
                    let load = |number| Step::Load(first + number * 7 * 64 % SPACE);
                    steps.extend((next..next + count).map(load));
                    next += count;
                }
                Did::Order(object, ticket) => steps.push(Step::Pass(Special::Order { at: 0, object, ticket })),
                Did::After(object, ticket) => steps.push(Step::Pass(Special::After { at: 0, object, ticket })),
            }
        }
        steps
    };
    threads::written(path, std::iter::zip(&areas, threads).map(steps), &areas);
}

fn scenario(path: &Path, cores: usize, phases: &str) -> String {
    format!(
        r#"
        name = "threads"
        machine = "small.toml"
        check = true
        {phases}
        [[task]]
        name = "program"
        program = "trace-parallel"
        cores = "0-{}"
        parameters.file = {:?}
        "#,
        cores - 1,
        path.display().to_string()
    )
}

/// The trace of these threads, replayed twice, the second time measured.
fn replayed(threads: &[Vec<Did>]) -> ScenarioResult {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.ftrace");
    written(&path, threads);
    results(&scenario(
        &path,
        threads.len(),
        "warm_up.passes = 1\nmeasure.passes = 1",
    ))
}

fn tasks(result: &ScenarioResult) -> &[TaskResult] {
    &result.points[0].runs[0].tasks
}

fn idle(task: &TaskResult) -> u64 {
    task.thread.expect("a thread").idle_ps
}

#[test]
fn a_thread_waits_for_what_woke_it() {
    let result = replayed(&[
        vec![Did::Loads(3000), Did::Order(1, 0), Did::Loads(10)],
        vec![Did::Loads(10), Did::After(1, 1), Did::Loads(1000)],
    ]);
    let [waker, waiter] = tasks(&result) else {
        panic!("two threads")
    };
    assert_eq!((waker.operations, waiter.operations), (3010, 1010));
    // The waker waits for the end of the other.
    let busy = |task: &TaskResult| task.run_time_ps - idle(task);
    assert!(
        idle(waiter) > busy(waker) / 2 && idle(waiter) < busy(waker),
        "{} of {}",
        idle(waiter),
        busy(waker)
    );
    assert!(idle(waker) > busy(waiter) / 2, "{} of {}", idle(waker), busy(waiter));
    assert_eq!(
        result.points[0].teams[0].total_idle_ns.mean,
        (idle(waker) + idle(waiter)) as f64 / 1000.0
    );
    assert_eq!(waiter.thread.map(|thread| thread.given_up), Some(0));
}

#[test]
fn a_lock_is_taken_in_the_order_of_the_recording() {
    // The lock of 2 threads, taken in turn, by atomic instructions at its begin and end.
    let turns = |first: u32| -> Vec<Did> {
        let turn = |turn: u32| {
            [
                Did::Order(9, 4 * turn + first),
                Did::Loads(100),
                Did::Order(9, 4 * turn + first + 1),
            ]
        };
        (0..5).flat_map(turn).collect()
    };
    let result = replayed(&[turns(0), turns(2)]);
    let [first, second] = tasks(&result) else {
        panic!("two threads")
    };
    // Nothing overlaps: each waits while the other has the lock.
    let share = |task: &TaskResult| idle(task) as f64 / task.run_time_ps as f64;
    assert!(
        (0.4..0.6).contains(&share(first)) && (0.4..0.6).contains(&share(second)),
        "{} {}",
        share(first),
        share(second)
    );
}

#[test]
fn what_was_not_recorded_is_not_waited_for() {
    // Tickets 0 to 2 and 4 were given before the recording began.
    let result = replayed(&[
        vec![Did::After(1, 3), Did::Loads(10), Did::Order(1, 3)],
        vec![Did::Loads(10), Did::After(1, 6), Did::Loads(10), Did::Order(1, 5)],
    ]);
    // The second waits for the own order that comes later: nothing will ever come.
    let given_up = |task: &TaskResult| task.thread.expect("a thread").given_up;
    assert_eq!(tasks(&result).iter().map(given_up).collect::<Vec<_>>(), [0, 1]);
    let sound = replayed(&[
        vec![Did::After(1, 3), Did::Loads(10), Did::Order(1, 3)],
        vec![Did::Loads(10), Did::After(1, 5), Did::Loads(10), Did::Order(1, 5)],
    ]);
    assert!(tasks(&sound).iter().all(|task| given_up(task) == 0));
}

#[test]
fn threads_that_would_wait_for_each_other_for_ever_go_on() {
    let result = replayed(&[
        vec![Did::Loads(10), Did::After(1, 1), Did::Order(2, 0), Did::Loads(10)],
        vec![Did::Loads(10), Did::After(2, 1), Did::Order(1, 0), Did::Loads(10)],
        vec![Did::Loads(10)],
    ]);
    let given_up = tasks(&result)
        .iter()
        .map(|task| task.thread.expect("a thread").given_up);
    assert_eq!(given_up.sum::<u64>(), 1);
}

#[test]
fn phases_in_operations_end_with_the_thread_that_has_most() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.ftrace");
    // The master makes the other and waits for its end, as most programs do.
    let master = vec![Did::Loads(5), Did::Order(1, 0), Did::After(2, 1), Did::Loads(5)];
    written(
        &path,
        &[master, vec![Did::After(1, 1), Did::Loads(5000), Did::Order(2, 0)]],
    );
    let text = scenario(&path, 2, "warm_up.operations = 1000\nmeasure.operations = 2000");
    let result = results(&text);
    let [master, worker] = tasks(&result) else {
        panic!("two threads")
    };
    assert_eq!((master.operations, worker.operations), (0, 2000));
    assert_eq!((master.from_ps, master.to_ps), (worker.from_ps, worker.to_ps));
    assert_eq!((idle(master), idle(worker)), (master.run_time_ps, 0));
    // The same in time.
    let text = scenario(&path, 2, "warm_up.time = \"20 us\"\nmeasure.time = \"40 us\"");
    let result = results(&text);
    let [master, worker] = tasks(&result) else {
        panic!("two threads")
    };
    assert_eq!((master.run_time_ps, idle(master)), (40_000_000, 40_000_000));
    // One that executes stops at its next operation, for which it may have to fetch a line or a page.
    assert!(
        (40_000_000..44_000_000).contains(&worker.run_time_ps),
        "{}",
        worker.run_time_ps
    );
}

fn refused(text: &str) -> String {
    parse(text).err().expect("refused").to_string()
}

#[test]
fn cores_are_as_many_as_threads() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.ftrace");
    written(
        &path,
        &[vec![Did::Loads(10)], vec![Did::Loads(10)], vec![Did::Loads(10)]],
    );
    for cores in [1, 2, 4] {
        let error = refused(&scenario(&path, cores, ""));
        assert!(
            error.contains(&format!("found {cores} cores for the 3 threads of")),
            "{error}"
        );
        assert!(error.contains("write cores = \"0-2\""), "{error}");
    }
    let text = scenario(Path::new("nowhere.ftrace"), 2, "");
    let error = refused(&text);
    assert!(error.contains("no trace of version 2, or not there"), "{error}");
}

/// Threads in some interleaving: at each step one of them works, does something that others come after, or comes after that.
fn recorded(threads: usize, steps: &[(usize, u8, u16, bool)]) -> Vec<Vec<Did>> {
    let (mut did, mut tickets) = (vec![vec![Did::Loads(1)]; threads], [0u32; 4]);
    for &(thread, what, object, is_kept) in steps {
        let did = &mut did[thread % threads];
        let ticket = &mut tickets[usize::from(object)];
        match what {
            0 | 1 => {
                // Some of it lies outside of the recording.
                if is_kept {
                    did.push(Did::Order(object, *ticket));
                }
                *ticket += 1;
            }
            2 => did.push(Did::After(object, *ticket)),
            loads => did.push(Did::Loads(u64::from(loads))),
        }
    }
    did
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(1901), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn whatever_was_recorded_ends(
        threads in 1..7usize,
        steps in prop::collection::vec((0..6usize, 0..40u8, 0..4u16, prop::bool::weighted(0.9)), 0..200),
    ) {
        let did = recorded(threads, &steps);
        let loads = |did: &Vec<Did>| did.iter().map(|what| if let Did::Loads(count) = what { *count } else { 0 }).sum::<u64>();
        let result = replayed(&did);
        for (task, did) in tasks(&result).iter().zip(&did) {
            prop_assert_eq!(task.operations, loads(did));
            let thread = task.thread.expect("a thread");
            prop_assert_eq!(thread.given_up, 0);
            prop_assert_eq!(thread.idle_ps + thread.busy_ps, task.run_time_ps);
        }
    }

    #[test]
    fn whatever_a_file_says_ends(
        threads in 1..5usize,
        steps in prop::collection::vec((0..5usize, 0..6u8, 0..3u16, 0..6u32), 0..60),
    ) {
        let mut did = vec![vec![Did::Loads(1)]; threads];
        for (thread, what, object, ticket) in steps {
            did[thread % threads].push(match what {
                0 | 1 => Did::Order(object, ticket),
                2 | 3 => Did::After(object, ticket),
                loads => Did::Loads(u64::from(loads)),
            });
        }
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("t.ftrace");
        written(&path, &did);
        let scenario = parse(&scenario(&path, threads, "")).expect("is read");
        let run = run_all(&scenario, 1, &|_| {});
        prop_assert!(run.is_ok());
    }
}
