// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches that are filled in no time hold what a warm-up that takes time leaves in them.

use crate::common::{data, parse, results};
use fresco_system::results::TaskResult;

/// The first `tasks` of a run on the small machine.
fn run(phases: &str, tasks: &str) -> Vec<TaskResult> {
    let result = results(&format!(
        "name = \"fill\"\nmachine = \"small.toml\"\ncheck = true\n{phases}\n{tasks}"
    ));
    result.points[0].runs[0].tasks.clone()
}

fn task(name: &str, core: u32, program: &str, parameters: &str) -> String {
    format!("[[task]]\nname = \"{name}\"\ncore = {core}\nprogram = \"{program}\"\nparameters = {{ {parameters} }}\n")
}

/// Alone, and without stores, the order in which lines come is the program's own: every counter of every cache is the same.
#[test]
fn of_a_task_alone_each_cache_holds_the_same() {
    for (program, parameters) in [
        ("latency", "bytes = \"64 KiB\""),
        ("random", "bytes = \"1 MiB\""),
        ("bandwidth", "bytes = \"1 MiB\""),
    ] {
        let tasks = task("alone", 0, program, parameters);
        for operations in [1, 100, 5000] {
            let with = |phases: &str| run(&format!("{phases}\nmeasure.operations = 3000"), &tasks).swap_remove(0);
            let filled = with(&format!("fill.operations = {operations}\nwarm_up.operations = 0"));
            let warm = with(&format!("warm_up.operations = {operations}"));
            assert_eq!(filled.caches, warm.caches, "{program}, {operations}");
            assert_eq!(filled.reads.count, warm.reads.count, "{program}, {operations}");
            assert_eq!(filled.pages.faults, warm.pages.faults, "{program}, {operations}");
            assert_eq!(filled.operations, 3000);
            assert!(filled.from_ps <= warm.from_ps);
        }
    }
}

/// A warm-up that takes time goes on where the caches were filled.
#[test]
fn a_warm_up_comes_after_it() {
    let tasks = task("alone", 0, "random", "bytes = \"1 MiB\"");
    let both = run(
        "fill.operations = 3000\nwarm_up.operations = 500\nmeasure.operations = 1000",
        &tasks,
    );
    let warm = run("warm_up.operations = 3500\nmeasure.operations = 1000", &tasks);
    assert_eq!(both[0].caches, warm[0].caches);
    let short = run("warm_up.operations = 500\nmeasure.operations = 1000", &tasks);
    assert_ne!(both[0].caches, short[0].caches);
}

/// Tasks come equally far, so a slow one has not been waited for: what the fast one has in a cache of both is not gone.
#[test]
fn tasks_fill_caches_in_step() {
    // A list that fits into the cache, beside one that does not.
    let tasks = task("chase", 0, "latency", "bytes = \"24 KiB\"") + &task("large", 1, "latency", "bytes = \"1 MiB\"");
    let filled = run(
        "fill.operations = 8192\nwarm_up.operations = 0\nmeasure.operations = 384",
        &tasks,
    );
    let cold = run("warm_up.operations = 0\nmeasure.operations = 384", &tasks);
    let misses = |tasks: &[TaskResult]| tasks[0].reads.count;
    assert_eq!(misses(&cold), 384);
    assert!(misses(&filled) < 100, "{}", misses(&filled));
}

/// Dirty lines stay in the caches, or leave for a memory that nobody waits for.
#[test]
fn stores_fill_caches_too() {
    let tasks = task("writer", 0, "bandwidth", "bytes = \"1 MiB\", access = \"write\"");
    let filled = run(
        "fill.operations = 20000\nwarm_up.operations = 0\nmeasure.operations = 4000",
        &tasks,
    );
    let warm = run("warm_up.operations = 20000\nmeasure.operations = 4000", &tasks);
    let (filled, warm) = (&filled[0], &warm[0]);
    assert_eq!(filled.reads.count, warm.reads.count);
    let (a, b) = (filled.write_backs as f64, warm.write_backs as f64);
    assert!((a / b - 1.0).abs() < 0.02, "{a} and {b} lines written back");
}

/// A program that ends begins again, and one without loads and stores has none.
#[test]
fn programs_that_end_and_programs_that_idle() {
    let tasks = task("short", 0, "trace", "file = \"short.trc\"") + &task("idle", 1, "idle", "");
    let text: String = (0..64).map(|line| format!("3 {}\n", 64 * line)).collect();
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("short.trc");
    std::fs::write(&file, text).expect("written");
    let tasks = tasks.replace("short.trc", &file.to_string_lossy());
    let done = run(
        "fill.operations = 5000\nwarm_up.time = \"1 us\"\nmeasure.time = \"10 us\"",
        &tasks,
    );
    assert!(
        done[0].operations > 0 && done[0].reads.count == 0,
        "{:?}",
        done[0].reads.count
    );
    assert_eq!(done[1].operations, 0);
}

#[test]
fn what_cannot_be_filled_is_refused() {
    let wrong = |phases: &str, rest: &str| {
        let text = format!(
            "name = \"fill\"\nmachine = \"small.toml\"\n{phases}\n{}{rest}",
            task("a", 0, "latency", "bytes = \"64 KiB\"")
        );
        match parse(&text) {
            Ok(_) => panic!("{phases} was accepted"),
            Err(error) => error.to_string(),
        }
    };
    assert!(data().exists());
    assert!(wrong("fill.operations = -1", "").contains("fill.operations"));
    assert!(wrong("fill.passes = 1", "").contains("found no operations"));
    assert!(wrong("fill = {}", "").contains("found no operations"));
    assert!(wrong("fill.operations = 5", "").contains("found a warm-up in passes after it"));
    assert!(wrong("fill.operations = 5\nwarm_up.passes = 2", "").contains("found a warm-up in passes after it"));
    assert!(
        parse(&format!(
            "name = \"fill\"\nmachine = \"small.toml\"\nfill.operations = 5\nwarm_up.passes = 0\n{}",
            task("a", 0, "latency", "bytes = \"64 KiB\"")
        ))
        .is_ok()
    );
    assert!(wrong("fill.operations = 5", "period = \"1 ms\"\n").contains("with periodic tasks"));
}
