// SPDX-License-Identifier: MIT OR Apache-2.0
//! Periodic tasks in scenarios (BEN-5, BEN-6, MET-2).

use crate::common::{parse, results};
use fresco_system::results::JobsResult;

/// Two tasks on core 0 in registers alone: every time can be followed by hand.
fn two(scheduler: &str, first: &str, second: &str) -> Vec<JobsResult> {
    let result = results(&format!(
        r#"
        name = "two"
        machine = "small.toml"
        check = true
        policy = {{ scheduler = {scheduler:?}, context_switch = "0 us" }}
        warm_up.jobs = 0
        measure.time = "6 ms"
        [[task]]
        name = "first"
        program = "idle"
        core = 0
        {first}
        [[task]]
        name = "second"
        program = "idle"
        core = 0
        {second}
        "#
    ));
    let tasks = &result.points[0].runs[0].tasks;
    tasks.iter().filter_map(|task| task.jobs.clone()).collect()
}

/// Instructions of a program that takes so many microseconds on the small machine: 2 GHz, three at a time.
fn work(us: u64) -> String {
    format!("parameters.instructions = {}", us * 6000)
}

/// Responses of its jobs, to the nearest microsecond.
fn us(jobs: &JobsResult) -> Vec<u64> {
    let responses = jobs.jobs.iter().filter_map(|job| job.response_ps());
    responses.map(|ps| (ps + 500_000) / 1_000_000).collect()
}

#[test]
fn rate_monotonic_by_hand() {
    // first: 500 us every 2 ms; second: 1 ms every 3 ms. Jobs of the first at 0, 2, 4 ms; second waits for the first at 0 and
    // is not disturbed at 3 ms: 500 us until the release at 4 ms would be enough, but it needs a whole one.
    let first = format!("period = \"2 ms\"\n{}", work(500));
    let second = format!("period = \"3 ms\"\n{}", work(1000));
    let jobs = two("rm", &first, &second);
    assert_eq!(us(&jobs[0]), [500, 500, 500]);
    assert_eq!(us(&jobs[1]), [1500, 1000]);
    assert_eq!((jobs[0].released, jobs[0].misses), (3, 0));
    assert_eq!((jobs[1].released, jobs[1].misses), (2, 0));
    assert!((jobs[1].response_jitter_ns - 500_000.0).abs() < 1000.0);
    assert!((jobs[1].start_jitter_ns - 500_000.0).abs() < 1000.0);
}

/// A cycle of stalls for each instruction, which takes a third of one, makes four times of its time; a job that another preempts loses none.
#[test]
fn stalls_by_hand() {
    let quarter = |us: u64| format!("stalls = 1000\nparameters.instructions = {}", us * 1500);
    let first = format!("period = \"2 ms\"\n{}", quarter(500));
    let second = format!("period = \"6 ms\"\n{}", quarter(2500));
    let jobs = two("rm", &first, &second);
    assert_eq!(us(&jobs[0]), [500, 500, 500]);
    // From 500 us on, but for the second job of the first at 2 ms.
    assert_eq!(us(&jobs[1]), [3500]);
}

/// A model has the stalls of its program, unless the task says otherwise.
#[test]
fn a_task_replaces_the_stalls_of_its_program() {
    let ipc = |stalls: &str| {
        let result = results(&format!(
            r#"
            name = "model"
            machine = "small.toml"
            check = true
            warm_up.operations = 0
            measure.operations = 2000
            [[task]]
            name = "model"
            program = "model"
            core = 0
            parameters = {{ of = "400.perlbench", limit = "64 KiB" }}
            {stalls}
            "#
        ));
        result.points[0].runs[0].tasks[0].instructions_per_cycle
    };
    // Misses are rare: three instructions in a cycle without stalls, and a cycle more for a thousandth of them each.
    let [own, none, same, many] = ["", "stalls = 0", "stalls = 384", "stalls = 5000"].map(ipc);
    assert_eq!(own, same);
    assert!(none > 2.5 && own < 1.0 / (1.0 / 3.0 + 0.384), "{none}, {own}");
    assert!((many - 1.0 / (1.0 / 3.0 + 5.0)).abs() < 0.002, "{many}");
}

#[test]
fn a_deadline_that_priorities_miss_and_deadlines_keep() {
    // U = 1: 1 of 2 ms and 1.5 of 3 ms. EDF keeps all; under RM the second job of `second`, behind two of `first`, is late.
    let first = format!("period = \"2 ms\"\n{}", work(999));
    let second = format!("period = \"3 ms\"\n{}", work(1499));
    let misses = |scheduler| -> Vec<u64> { two(scheduler, &first, &second).iter().map(|jobs| jobs.misses).collect() };
    assert_eq!(misses("edf"), [0, 0]);
    assert_eq!(misses("rm")[0], 0);
    assert!(misses("rm")[1] > 0);
}

#[test]
fn bank_sharing_costs_deadlines_and_private_banks_keep_them() {
    // PALLOC's real-time task in small: each job reads its memory once; three others share its bank or have others.
    let result = results(
        r#"
        name = "hrt"
        machine = "small.toml"
        check = true
        warm_up.jobs = 1
        measure.jobs = 10
        [sweep]
        policy = ["solo", "diffbank", "samebank"]
        [[variant]]
        name = "solo"
        set.corunners = 0
        set.task.others.banks = "1-2"
        [[variant]]
        name = "diffbank"
        set.task.others.banks = "1-2"
        [[variant]]
        name = "samebank"
        set.task.others.banks = "0,3"
        [policy]
        frames = "palloc"
        [[task]]
        name = "hrt"
        program = "latency"
        core = 0
        banks = 0
        period = "400 us"
        deadline = "260 us"
        parameters.bytes = "128 KiB"
        [[task]]
        name = "others"
        program = "latency"
        cores = "1-3"
        role = "background"
        parameters.bytes = "512 KiB"
        "#,
    );
    let of = |policy: &str| {
        crate::common::task(crate::common::point(&result, &[policy]), "hrt")
            .jobs
            .clone()
            .expect("periodic")
    };
    let (solo, diff, same) = (of("solo"), of("diffbank"), of("samebank"));
    assert_eq!((solo.released, solo.misses), (10, 0));
    assert_eq!(diff.misses, 0, "{diff:?}");
    assert!(same.misses >= 5, "{same:?}");
    assert!(solo.response.mean_ns <= diff.response.mean_ns && diff.response.mean_ns < same.response.mean_ns);
}

#[test]
fn wrong_timings_name_their_place() {
    let wrong = |task: &str, root: &str| {
        let text = format!(
            "name = \"x\"\nmachine = \"small.toml\"\n{root}\n[[task]]\nname = \"a\"\nprogram = \"idle\"\ncore = 0\n{task}"
        );
        parse(&text).err().expect("wrong").to_string()
    };
    assert!(wrong("deadline = \"1 ms\"", "").contains("deadline: found a deadline without a period"));
    assert!(wrong("period = \"1 ms\"\ndeadline = \"2 ms\"", "").contains("deadline: found 2 ms, beyond the period"));
    assert!(wrong("period = \"1 ns\"", "").contains("period"));
    assert!(wrong("period = \"1 ms\"", "measure.passes = 3").contains("jobs"));
    assert!(wrong("period = \"1 ms\"\nstart = \"1 ms\"", "").contains("a start of a task with a period"));
    assert!(wrong("", "policy.scheduler = \"rm\"").contains("without periodic tasks"));
    assert!(wrong("period = \"1 ms\"", "policy.scheduler = \"fifo\"").contains("edf"));
}

#[test]
fn runs_longer_than_a_thousand_seconds_are_refused_at_their_task() {
    for (phase, jobs) in [("1000 s", 1), ("0 us", 1_000_000)] {
        let text = format!(
            "name = \"long\"\nmachine = \"small.toml\"\nmeasure.jobs = {jobs}\n\
             [[task]]\nname = \"t\"\nprogram = \"idle\"\ncore = 0\nperiod = \"1000 s\"\nphase = \"{phase}\"\n"
        );
        let scenario = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let error = fresco_system::run(&scenario.runs()[0])
            .expect_err("it would take years")
            .to_string();
        assert!(error.contains("found a run of more than 1000 s"), "{error}");
        assert!(error.contains("task"), "{error}");
    }
}
