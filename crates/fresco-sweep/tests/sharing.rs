// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runners on one directory share what is left.

use crate::common::{directory, merged, run, sweep};
use fresco_sweep::{Progress, Runner, Shard, Store, Sweep};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// Points that take some milliseconds by themselves.
const POINTS: u32 = 8;

fn points(here: &Path) -> Sweep {
    let seeds: Vec<u32> = (0..POINTS).collect();
    let text = format!("scenario = \"./tiny.toml\"\ngrid.seed = {seeds:?}\n");
    fs::write(here.join("s.toml"), text).expect("written");
    sweep(here)
}

/// Runs the sweep on one thread, which calls `before` ahead of each point.
fn run_slowly(sweep: &Sweep, out: &Path, before: &(dyn Fn() + Sync), told: &(dyn Fn(Progress) + Sync)) -> Progress {
    let store = Store::open(out, sweep, false).expect("a store");
    // Points are handed out by the thread that calls, and run by another one.
    let dispatcher = thread::current().id();
    let stop = || {
        if thread::current().id() != dispatcher {
            before();
        }
        false
    };
    let runner = Runner {
        sweep,
        store: &store,
        shard: Shard::WHOLE,
        threads: 1,
        retry_failed: false,
        progress: told,
        stop: &stop,
        is_given_up: &|| false,
    };
    runner.run().expect("runs")
}

#[test]
fn one_that_comes_later_gets_its_share_of_a_few_slow_points() {
    let directory = directory();
    let here = directory.path();
    let sweep = points(here);
    let (out, alone) = (here.join("out"), here.join("alone"));
    let begun = AtomicU32::new(0);
    // Two points are a second of work.
    let slow = || {
        begun.fetch_add(1, SeqCst);
        thread::sleep(Duration::from_millis(400));
    };
    let [first, second] = thread::scope(|scope| {
        let start = || scope.spawn(|| run_slowly(&sweep, &out, &slow, &|_| {}));
        let first = start();
        while begun.load(SeqCst) == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        [first, start()].map(|one| one.join().expect("ends"))
    });
    assert_eq!(first.run + second.run, POINTS, "{first:?} {second:?}");
    assert!(first.run >= 2 && second.run >= 2, "{first:?} {second:?}");
    run(&sweep, &alone, Shard::WHOLE, false).expect("runs");
    assert!(merged(&sweep, &out) == merged(&sweep, &alone), "the tables differ");
}

#[test]
fn what_another_one_holds_is_told() {
    let directory = directory();
    let here = directory.path();
    let sweep = points(here);
    let out = here.join("out");
    let (is_held, waits_for) = (AtomicBool::new(true), AtomicU32::new(0));
    let hold = || {
        while is_held.load(SeqCst) {
            thread::sleep(Duration::from_millis(5));
        }
    };
    let told = |now: Progress| {
        if now.waits_for > 0 {
            waits_for.store(now.waits_for, SeqCst);
            is_held.store(false, SeqCst);
        }
    };
    thread::scope(|scope| {
        // It is at its first point until the other one waits for it.
        let held = scope.spawn(|| run_slowly(&sweep, &out, &hold, &|_| {}));
        while !fs::read_dir(out.join("claims")).is_ok_and(|mut claims| claims.next().is_some()) {
            thread::sleep(Duration::from_millis(5));
        }
        let other = run_slowly(&sweep, &out, &|| {}, &told);
        let held = held.join().expect("ends");
        assert_eq!(
            (other.run, held.run, other.waits_for),
            (POINTS - 1, 1, 0),
            "{other:?} {held:?}"
        );
    });
    assert_eq!(waits_for.load(SeqCst), 1);
}
