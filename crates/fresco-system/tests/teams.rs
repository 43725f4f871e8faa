// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of one program: they share memory, wait for each other, and get the colors of whoever touches first.

use crate::common::results;
use fresco_system::results::{ScenarioResult, TaskResult};

/// The alternating strides of the dissertation on some cores, each thread in its own space (BEN-1).
fn strides(cores: &str, task: &str) -> ScenarioResult {
    results(&format!(
        r#"
        name = "team"
        machine = "small.toml"
        check = true
        warm_up.passes = 1
        measure.passes = 2
        [[task]]
        name = "team"
        program = "strides-parallel"
        cores = {cores:?}
        parameters.bytes = "128 KiB"
        parameters.writes = 2000
        {task}
        "#
    ))
}

fn threads(result: &ScenarioResult) -> &[TaskResult] {
    &result.points[0].runs[0].tasks
}

#[test]
fn threads_end_their_passes_together() {
    let result = strides("0-3", "");
    let tasks = threads(&result);
    assert_eq!(tasks.len(), 4);
    let phase = (tasks[0].from_ps, tasks[0].to_ps);
    for task in tasks {
        assert_eq!((task.from_ps, task.to_ps), phase, "{}", task.name);
        let thread = task.thread.expect("a thread");
        assert_eq!(thread.sections, 2, "a parallel section in each pass");
        assert_eq!(
            thread.idle_ps + thread.serial_wait_ps + thread.busy_ps,
            task.run_time_ps
        );
        assert_eq!(thread.serial_wait_ps, 0, "nothing is serial");
    }
    // Whoever comes last to the end of a section does not wait there.
    let least = tasks.iter().filter_map(|task| task.thread).map(|thread| thread.idle_ps);
    let longest = phase.1 - phase.0;
    assert!(least.clone().all(|idle| idle < longest));
    let team = &result.points[0].teams[0];
    assert_eq!((team.name.as_str(), team.threads), ("team", 4));
    assert_eq!(team.run_time_ns.mean, longest as f64 / 1000.0);
    assert_eq!(team.total_idle_ns.mean, least.sum::<u64>() as f64 / 1000.0);
}

#[test]
fn a_thread_on_a_far_node_makes_the_others_wait() {
    // All pages come from node 0: the thread on node 3 is the last at every barrier.
    let result = strides("0,1,6", "node = 0").points.remove(0);
    let idle: Vec<u64> = result.runs[0]
        .tasks
        .iter()
        .filter_map(|task| Some(task.thread?.idle_ps))
        .collect();
    assert!(idle[2] < idle[0] && idle[2] < idle[1], "{idle:?}");
}

#[test]
fn each_thread_touches_its_own_pages_or_the_master_all() {
    let faults = |init: &str| -> Vec<u64> {
        let result = strides("0-3", &format!("parameters.init = {init:?}"));
        threads(&result).iter().map(|task| task.pages.faults).collect()
    };
    let (parallel, serial) = (faults("parallel"), faults("serial"));
    // 128 KiB each.
    assert_eq!(parallel, [32, 32, 32, 32]);
    assert_eq!(serial, [128, 0, 0, 0]);
}

#[test]
fn a_serial_part_is_waited_for() {
    let result = strides("0-3", "parameters.serial = 50");
    let tasks = threads(&result);
    assert_eq!(
        tasks[0].thread.map(|thread| thread.serial_wait_ps),
        Some(0),
        "the master waits for nobody"
    );
    for task in &tasks[1..] {
        let thread = task.thread.expect("a thread");
        assert!(
            thread.serial_wait_ps > thread.busy_ps,
            "{thread:?}: half of four shares is two shares"
        );
    }
}

#[test]
fn a_team_of_nobody_is_no_team() {
    for (copies, corunners) in [("", "corunners = 0"), ("copies = 0", "")] {
        let result = results(&format!(
            r#"
            name = "alone"
            machine = "small.toml"
            {corunners}
            check = true
            measure.passes = 1
            [[task]]
            name = "chase"
            program = "latency"
            core = 0
            parameters.bytes = "64 KiB"
            [[task]]
            name = "team"
            program = "strides-parallel"
            cores = "1-2"
            role = "background"
            {copies}
            parameters.bytes = "128 KiB"
            "#
        ));
        let names: Vec<&str> = threads(&result).iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["chase"], "{copies}{corunners}");
        assert!(result.points[0].teams.is_empty());
    }
}
