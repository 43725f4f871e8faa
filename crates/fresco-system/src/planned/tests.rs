// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan of two criticality levels whose mode changes: what happens when, and that each promise notices when it is broken.

use super::{Promise, Run, promises, setup};
use crate::experiment::{self, Experiment, Fate, JobRecord, RunOutcome};
use fresco_machine::Machine;
use fresco_scenario::plan::Plan;

const MS: u64 = 1_000_000_000;
/// The mode changes at 130 ms: schedule and refresh of high mode begin at 192 ms.
const CHANGE_NS: u64 = 130_000_000;
/// How long the lock of a burst lasts before its first refresh: `lock_ns` of the plan.
const LOCK: u64 = 19_280_000;

/// Three tasks of 20, 40 and 30 ms, of which the last is of low criticality, with a burst every 64 ms and in high mode every 32 ms.
fn plan() -> (Plan, Machine) {
    let text = include_str!("../../tests/data/two-modes-burst.json");
    let plan = Plan::parse("two-modes-burst.json", text).unwrap();
    let machine = fresco_machine::load_with(&plan.machine.given, &plan.machine.changes).unwrap();
    (plan, machine)
}

fn run(change: impl Fn(&mut Experiment)) -> (RunOutcome, Vec<Promise>) {
    let (plan, machine) = plan();
    let run = Run {
        mode_change_ns: Some(CHANGE_NS),
        record_ns: 330_000_000,
        horizon_ns: Some(330_000_000),
        ..Run::default()
    };
    let mut experiment = setup::of(&plan, &machine, run).unwrap();
    change(&mut experiment);
    let outcome = experiment::run(&experiment).unwrap();
    let promises = promises::of(&plan, experiment.mode_change.as_ref(), &outcome);
    (outcome, promises)
}

fn broken(promises: &[Promise]) -> Vec<&str> {
    let broken = promises.iter().filter(|promise| !promise.kept);
    broken.map(|promise| promise.what.as_str()).collect()
}

#[test]
fn what_happens_when_the_mode_changes() {
    let (outcome, promises) = run(|_| {});
    assert_eq!(broken(&promises), [""; 0], "{promises:#?}");
    let mode = outcome.timeline.mode.unwrap();
    assert_eq!((mode.changes_ps, mode.begins_ps), (130 * MS, 192 * MS));

    // Bursts of low mode at multiples of 64 ms, from 192 ms on at multiples of 32 ms.
    let bursts = [0, 64, 128, 192, 224, 256, 288, 320].map(|ms| ms * MS);
    let of_rank_0 = outcome.timeline.refreshes.iter();
    let of_rank_0 = of_rank_0.filter(|span| (span.channel, span.rank) == (0, 0));
    // In cycles of the memory's clock.
    let begins: Vec<u64> = of_rank_0
        .map(|span| (span.start_ps + 10_000 - LOCK) / MS * MS)
        .collect();
    assert_eq!(begins, bursts);
    let locks: Vec<u64> = outcome.timeline.locks.iter().map(|lock| lock.start_ps).collect();
    assert_eq!(locks, bursts);

    // The low task has released jobs at 0, 30, 60, 90 and 120 ms; the last waits at the change.
    let [control, vision, log] = &outcome.tasks[..] else {
        panic!("three tasks")
    };
    let abandoned: Vec<_> = log
        .jobs
        .iter()
        .map(|job| (job.end_ps.is_some(), job.abandoned_ps))
        .collect();
    let ended = (true, None);
    assert_eq!(abandoned, [ended, ended, ended, ended, (false, Some(130 * MS))]);
    assert!(log.jobs[4].start_ps.is_none() && log.jobs[4].is_abandoned() && log.misses == 0);

    // Jobs that ended before the change took their WCET of low mode at most, others that of high mode, and nearly so.
    for (task, low, high) in [(control, 2, 5), (vision, 8, 12)] {
        for job in task.jobs.iter().filter(|job| job.end_ps.is_some()) {
            let is_low = job.end_ps < Some(130 * MS);
            let (least, most) = if is_low {
                (low * 9 / 10, low)
            } else {
                (high * 9 / 10, high)
            };
            let takes = job.execution_ps;
            assert!(takes <= most * MS && takes >= least * MS, "{}: {job:?}", task.name);
        }
    }
    let under_way = |job: &&JobRecord| job.start_ps < Some(130 * MS) && job.end_ps > Some(130 * MS);
    assert!(
        vision.jobs.iter().find(under_way).is_some(),
        "a job is longer than it was when it began"
    );
    // Judged by their deadlines, not by virtual ones, from the begin on.
    let distances = vision.jobs.iter().map(|job| job.deadline_ps.unwrap() - job.release_ps);
    assert!({ distances }.all(|distance| distance == 40 * MS));
    assert_eq!(control.jobs.len(), 17);
}

#[test]
fn a_change_without_its_refresh_or_with_tasks_that_go_on_is_noticed() {
    // Low mode's bursts go on.
    let (_, promises) = run(|experiment| {
        let refresh = experiment.refresh.clone();
        experiment.mode_change.as_mut().unwrap().refresh = refresh;
    });
    let of_rows = "every row is refreshed within the retention time of its mode";
    assert!(broken(&promises).contains(&of_rows), "{promises:#?}");

    // The low task goes on.
    let (_, promises) = run(|experiment| {
        let change = experiment.mode_change.as_mut().unwrap();
        change.tasks[2] = Fate::Kept { wcet_ns: 9_000_000 };
    });
    let of_low = "no job of low criticality is released or ends after the change of mode";
    assert!(broken(&promises).contains(&of_low), "{promises:#?}");

    // Jobs take longer than their WCET of high mode.
    let (_, promises) = run(|experiment| {
        let change = experiment.mode_change.as_mut().unwrap();
        change.tasks[0] = Fate::Kept { wcet_ns: 16_000_000 };
    });
    let of_high = "every job of high criticality meets its deadline, and every other up to the change of mode";
    assert!(broken(&promises).contains(&of_high), "{promises:#?}");
}

/// Low mode alone: EDF goes by virtual deadlines, and jobs are judged and shown by their own.
#[test]
fn jobs_of_low_mode_are_judged_by_their_own_deadlines() {
    let (plan, machine) = plan();
    let run = Run {
        horizon_ns: Some(64_000_000),
        ..Run::default()
    };
    let result = super::simulate(&plan, &machine, run).unwrap();
    let tasks = &result.points[0].runs[0].tasks;
    for (task, deadline) in std::iter::zip(tasks, [20, 40, 30]) {
        let jobs = task.jobs.as_ref().unwrap();
        assert_eq!(jobs.deadline_ns, deadline * 1_000_000, "{}", task.name);
        let mut distances = jobs.jobs.iter().map(|job| job.deadline_ps.unwrap() - job.release_ps);
        assert!(distances.all(|distance| distance == deadline * MS));
    }
    // By its own deadline of 40 ms vision would wait for log, which is due at 30 ms; its virtual one is at 28 ms.
    let starts = [1, 2].map(|task| tasks[task].jobs.as_ref().unwrap().jobs[0].start_ps);
    assert!(starts[0] < starts[1], "{starts:?}");
}

/// What breaks a promise is named: the job that took longer than the plan counts with.
#[test]
fn a_job_that_takes_longer_than_its_wcet_is_named() {
    let (mut plan, machine) = plan();
    let run = Run {
        horizon_ns: Some(192_000_000),
        ..Run::default()
    };
    let experiment = setup::of(&plan, &machine, run).unwrap();
    let outcome = experiment::run(&experiment).unwrap();
    // Jobs of 8 ms run as before, and the plan counts with 3 ms: what it promises of responses follows from these.
    plan.tasks[1].wcet_ns = 3_000_000;
    let told = |plan: &Plan| promises::of(plan, None, &outcome);
    assert_eq!(broken(&told(&plan)), [""; 0], "a longer job alone breaks nothing");
    let met = &told(&plan)[0].found;
    assert!(
        met.contains(" jobs missed; job ") && met.contains(" of vision took 7."),
        "but it is told: {met}"
    );
    plan.tasks[0].response_bound_ns = Some(1_000_000);
    let bound = told(&plan).into_iter().find(|promise| !promise.kept).unwrap();
    assert!(
        bound.what.contains("bound") && bound.found.starts_with("control: "),
        "{bound:?}"
    );
    let [_, cause] = bound.found.split("; job ").collect::<Vec<_>>()[..] else {
        panic!("{bound:?}")
    };
    assert!(
        cause.contains(" of vision took 7.") && cause.ends_with("longer than its WCET of 3 ms"),
        "{bound:?}"
    );
    assert!(bound.found.contains(", bound 1 ms;"), "{bound:?}");

    // No job is: nothing is said of one.
    plan.tasks[1].wcet_ns = 8_000_000;
    let bound = told(&plan).into_iter().find(|promise| !promise.kept).unwrap();
    assert!(!bound.found.contains("WCET"), "{bound:?}");

    // So it is of deadlines that were missed.
    plan.tasks[1].wcet_ns = 3_000_000;
    let mut late = outcome.clone();
    late.tasks[0].misses = 1;
    let missed = &promises::of(&plan, None, &late)[0];
    assert!(
        !missed.kept && missed.found.contains(" jobs missed; job "),
        "{missed:?}"
    );
}
