// SPDX-License-Identifier: MIT OR Apache-2.0
//! Features of the engine that each have their own tests, here together.

use crate::experiment_support::planned::{EXAMPLE, RM, aligned, result, servers};
use crate::experiment_support::{MS, budget, experiment, task};
use fresco_frames::{CostModel, FramesConfig, Policy, Tintmalloc};
use fresco_system::experiment::{Activity, JobRecord, Paging, RunOutcome, Schedule, TaskSpec, Timing, Work};
use fresco_system::results::RunResult;
use fresco_system::{Scenario, run};
use std::path::Path;

/// The checker passed all commands, and no access met a refresh.
fn is_clean(result: &RunOutcome) {
    let checker = result.checker.as_ref().expect("it was asked");
    assert!(checker.clean, "{}", checker.report);
    for task in &result.tasks {
        assert_eq!(task.met_refresh.accesses(), 0, "{}: {:?}", task.name, task.met_refresh);
    }
}

/// Servers and locks of the Colored Refresh Server (CRS-2 to 7), pages that get their frames when they are touched first
/// (TINT-19), from the lists of TintMalloc (TINT-8).
#[test]
fn servers_with_page_faults_from_tintmallocs_lists() {
    let mut experiment = servers(16);
    let mapped_before = result(&experiment);
    experiment.frames = FramesConfig {
        cost: CostModel::at(experiment.machine.core.mhz),
        ..FramesConfig::pristine(Policy::Tintmalloc(Tintmalloc::default()))
    };
    experiment
        .tasks
        .iter_mut()
        .for_each(|task| task.paging = Paging::OnTouch);
    let faulting = result(&experiment);
    is_clean(&faulting);
    let banks = |result: &RunOutcome| result.tasks.iter().map(|task| task.banks.clone()).collect::<Vec<_>>();
    assert_eq!(banks(&faulting), banks(&mapped_before));
    for (task, before) in faulting.tasks.iter().zip(&mapped_before.tasks) {
        assert_eq!((task.misses, task.released), (0, before.released), "{}", task.name);
        assert_eq!(before.page_faults.count, 0);
        // 256 KiB, all of which the jobs touch sooner or later.
        let pages: u64 = task.pages_by_bank.iter().map(|(_, pages)| pages).sum();
        assert_eq!((pages, task.page_faults.count), (64, 64), "{}", task.name);
        assert!(task.page_faults.time_ps > 0);
        // The first job pays for them: it takes longer than before, the last one does not.
        let first = |of: &[JobRecord]| of[0].execution_ps;
        assert!(
            first(&task.jobs) > first(&before.jobs) + task.page_faults.time_ps / 4,
            "{}: {} {} {:?}",
            task.name,
            first(&task.jobs),
            first(&before.jobs),
            task.page_faults
        );
    }
}

/// Threads of one program on two cores, below the periodic tasks of these cores: slots under aligned refresh (F29) take the threads off
/// their cores, also while they wait for each other.
#[test]
fn threads_of_one_program_below_periodic_tasks_under_aligned_refresh() {
    let (mut experiment, _) = aligned(&EXAMPLE, RM, 8 * MS, 16);
    experiment.machine.cores = 2;
    experiment.machine.topology.node_of_core = vec![0, 0];
    if let Schedule::Slots { cores, .. } = &mut experiment.schedule {
        cores.push(cores[0].clone());
    }
    let own = |number: usize| TaskSpec {
        core: number as u32,
        timing: Timing::Batch,
        team: Some(0),
        paging: Paging::OnTouch,
        ..task(&format!("thread.{number}"), (0, MS, MS), 0, threads())
    };
    experiment.tasks.extend([own(0), own(1)]);
    let result = result(&experiment);
    is_clean(&result);
    let (periodic, team) = result.tasks.split_at(4);
    assert!(periodic.iter().all(|task| task.misses == 0 && task.completed >= 3));
    // The other core has nothing else to do in the slots of the color: its thread waits for the one beside the tasks.
    let waits = [0, 1].map(|thread| team[thread].thread.expect("it is a thread"));
    assert!(team[0].passes > 20, "{}", team[0].passes);
    assert_eq!(team[0].passes, team[1].passes);
    assert_eq!(waits[0].sections, waits[1].sections);
    assert!(waits[1].idle_ps > waits[0].idle_ps + 50 * MS * 1000, "{waits:?}");
    let preempted = |task: usize| team[task].jobs[0].preemptions;
    // They do the same when they do not wait.
    assert!(
        waits[1].busy_ps.abs_diff(waits[0].busy_ps) < waits[0].busy_ps / 5,
        "{waits:?}"
    );
    // At the end of each of 25 slots, where the periodic tasks leave it some of it; the other one has all of them.
    assert!(
        preempted(0) >= 10 && preempted(1) >= 24,
        "{} {}",
        preempted(0),
        preempted(1)
    );
    // Each thread has touched the pages that it writes first; both find all of them.
    assert!(team.iter().all(|task| task.page_faults.count == 32));
}

/// Two threads that write 128 KiB each.
fn threads() -> Work {
    Work::program("strides-parallel", "bytes = '128 KiB'\nwrites = 2000").expect("takes these parameters")
}

/// Threads with a period: the jobs of all of them end where they meet.
#[test]
fn threads_of_one_program_have_jobs_that_end_together() {
    let result = crate::common::results(
        r#"
        name = "team"
        machine = "small.toml"
        check = true
        policy.scheduler = "edf"
        measure.jobs = 8
        [[task]]
        name = "team"
        program = "strides-parallel"
        cores = "0-1"
        period = "200 us"
        parameters = { bytes = "64 KiB", writes = 1000 }
        [[task]]
        name = "urgent"
        program = "random"
        core = 1
        period = "50 us"
        parameters = { bytes = "64 KiB", accesses = 100, write_percent = 50 }
        "#,
    );
    let tasks = &result.points[0].runs[0].tasks;
    let jobs = |task: usize| tasks[task].jobs.as_ref().expect("periodic");
    assert_eq!((jobs(0).released, jobs(0).misses, jobs(1).misses), (8, 0, 0));
    for (first, second) in jobs(0).jobs.iter().zip(&jobs(1).jobs) {
        assert_eq!(first.end_ps, second.end_ps);
    }
    let preemptions: u64 = jobs(1).jobs.iter().map(|job| job.preemptions).sum();
    assert!(preemptions > 0 && jobs(2).misses == 0);
    let thread = tasks[0].thread.expect("it is a thread");
    assert!(thread.sections >= 8 && thread.idle_ps > 0, "{thread:?}");
}

/// `scenarios/together-realtime.toml`: colors divided anew (BPM-6 to 12), EDF, page faults and budgets (MG-1), all at once.
#[test]
fn colors_are_divided_anew_beside_jobs_under_budgets() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/together-realtime.toml");
    let point = |changes: &[&str]| {
        let mut set = vec!["check=true".to_owned()];
        set.extend(changes.iter().map(|change| (*change).to_owned()));
        let scenario = Scenario::load(&path, &set).unwrap_or_else(|error| panic!("{error}"));
        let result = run(&scenario.runs()[0]).unwrap_or_else(|error| panic!("{error}"));
        assert!(result.checker.as_ref().is_some_and(|checker| checker.commands > 10_000));
        result
    };
    let (moving, still) = (point(&[]), point(&["policy.interval=10 s"]));
    let recolored = |result: &RunResult| result.tasks.iter().map(|task| task.pages.recolored).sum::<u64>();
    assert!(recolored(&moving) > 100 && recolored(&still) == 0);
    let jobs = |result: &RunResult, task: usize| result.tasks[task].jobs.clone().expect("periodic");
    for task in [0, 1] {
        let (moving, still) = (jobs(&moving, task), jobs(&still, task));
        assert!(moving.released >= 10 && moving.released == still.released && still.misses == 0);
        // While pages of its neighbour move their core stands still, whoever is urgent.
        assert!(
            moving.completed == moving.released && moving.misses < 5,
            "{}",
            moving.misses
        );
        assert!(moving.response.max_ns > still.response.max_ns, "{task}");
    }
    let large = &moving.tasks[2];
    assert!(
        large.pages.faults > 100 && large.pages.fault_ns > 0.0,
        "{:?}",
        large.pages
    );
    for task in &moving.tasks {
        let core = task.regulation.as_ref().expect("each core has a budget");
        let most = core.reserved_lines + core.counts.overshoot;
        assert!(core.lines_by_period.iter().all(|lines| *lines <= most), "{core:?}");
    }
    // What has moved is copied within the budgets: the task whose pages move uses more of its budget than without.
    let used = |result: &RunResult, task: usize| {
        result.tasks[task]
            .regulation
            .as_ref()
            .map_or(0, |core| core.counts.used)
    };
    let pages = moving.tasks[1].pages.recolored;
    assert!(
        used(&moving, 1) > used(&still, 1) + 32 * pages,
        "{pages} pages: {} {}",
        used(&moving, 1),
        used(&still, 1)
    );
}

/// Copies between the memories of a task (CR-10) move lines, which use the budget of its core up (MG-1).
#[test]
fn copies_use_budgets_up() {
    let mut experiment = experiment(Schedule::Plain { policy: RM });
    let work = || {
        Work::program("random", "bytes = '256 KiB'\naccesses = 500\nwrite_percent = 50")
            .expect("takes these parameters")
    };
    let mut sort = task("sort", (0, 8 * MS, 8 * MS), 0, work());
    sort.instances
        .extend(task("sort", (0, MS, MS), 1, Work::Registers).instances);
    sort.instance_of_job = vec![0, 1];
    sort.global_bytes = 65_536;
    experiment.tasks = vec![sort];
    experiment.horizon_ns = 64 * MS;
    let free = result(&experiment);
    experiment.regulation = Some(budget(&experiment, &[0], 100));
    let regulated = result(&experiment);
    experiment.tasks[0].global_bytes = 0;
    let without_copies = result(&experiment);
    let used = |result: &RunOutcome| {
        result.regulation.as_ref().expect("it is regulated").cores[0]
            .budget
            .counts
    };
    let copies = |result: &RunOutcome| (result.tasks[0].copies, result.tasks[0].copied_bytes);
    assert_eq!(copies(&regulated), copies(&free));
    assert_eq!(copies(&regulated), (7, 7 * 65_536));
    // A copy of 1024 lines owns as many, some of which are in the caches.
    assert!(used(&regulated).used > used(&without_copies).used + 7 * 1000);
    assert!(
        used(&regulated).exhausted > used(&without_copies).exhausted + 7 * 5,
        "{:?}",
        used(&regulated)
    );
    // The job that copies stands still when the budget is used up.
    let longest = |result: &RunOutcome| result.tasks[0].response.expect("jobs ended").max_ps;
    assert!(longest(&regulated) > longest(&free) + MS * 1000);
    assert_eq!((regulated.tasks[0].misses, regulated.tasks[0].completed), (0, 8));
}

/// A task without a period that begins later than the others.
#[test]
fn a_start_beside_periodic_tasks() {
    let result = crate::common::results(
        r#"
        name = "late"
        machine = "small.toml"
        check = true
        measure.time = "2 ms"
        warm_up.time = "0 us"
        [[task]]
        name = "urgent"
        program = "idle"
        core = 0
        period = "100 us"
        parameters.instructions = 10000
        [[task]]
        name = "late"
        program = "random"
        core = 0
        start = "1 ms"
        parameters.bytes = "64 KiB"
        "#,
    );
    let run = &result.points[0].runs[0];
    let late = &run.tasks[1];
    assert!(
        late.operations > 0 && late.run_time_ps < 1_000_000_000,
        "{}",
        late.run_time_ps
    );
    let timeline = run.timeline.as_ref().expect("tasks are periodic");
    assert!(timeline.runs.iter().all(|span| match span.activity {
        Activity::Run { task: 1, .. } => span.start_ps >= 1_000_000_000,
        _ => true,
    }));
}
