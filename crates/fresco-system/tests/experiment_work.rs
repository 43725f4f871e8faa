// SPDX-License-Identifier: MIT OR Apache-2.0
//! What jobs do: a program alone takes as long as in a scenario, copies between memories, batch tasks, several cores.

use crate::experiment_support::{MS, US, experiment, machine, task};
use fresco_machine::Topology;
use fresco_rt::executive::{Slot, Table};
use fresco_rt::policy::{Order, Policy};
use fresco_system::experiment::{Activity, Schedule, Timing, Work, run};
use fresco_system::{Scenario, run_all};

const DM: Policy = Policy::FixedPriority(Order::DeadlineMonotonic);

fn program(name: &str, parameters: &str) -> Work {
    Work::program(name, parameters).expect("takes these parameters")
}

/// Passes of a program one after the other, each as a job that is released when the one before ends: the same times.
#[test]
fn a_program_alone_takes_as_long_as_in_a_scenario() {
    let text = "
name = \"alone\"
machine = \"ss-rtmc\"
memory.density = \"1 Gb\"
memory.controller.refresh = \"none\"
warm_up.passes = 0
measure.passes = 4
[policy]
frames = \"camc\"
boot = \"pristine\"
[[task]]
name = \"t\"
program = \"latency\"
core = 0
banks = \"0-31\"
parameters = { bytes = \"256 KiB\" }
";
    let scenario = Scenario::parse("alone.toml", text, "".as_ref(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let alone = run_all(&scenario, 1, &|_| {}).unwrap_or_else(|error| panic!("{error}"));
    let alone = &alone.points[0].runs[0].tasks[0];

    let mut experiment = experiment(Schedule::Plain { policy: DM });
    experiment.machine = machine(1);
    experiment.machine.memory.controller.refresh = fresco_machine::RefreshPolicy::None;
    experiment.tasks = vec![task("t", (0, 2 * MS, MS), 0, program("latency", "bytes = '256 KiB'"))];
    experiment.horizon_ns = 8 * MS;
    experiment.check = false;
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let task = &result.tasks[0];
    assert!(task.jobs.iter().all(|job| job.response_ps() == Some(job.execution_ps)));
    let ours: u64 = task.jobs.iter().map(|job| job.execution_ps).sum();
    assert_eq!((task.completed, task.reads.count), (4, alone.reads.count));
    let theirs = alone.run_time_ps;
    // A job may begin at another point of the memory's cycle than a pass that follows another.
    assert!(ours.abs_diff(theirs) <= 4 * 1250, "{ours} {theirs}");
}

/// CR-10: jobs alternate between two memories and hand their data on; the program's own result stays right.
#[test]
fn jobs_that_change_their_memory_copy_first() {
    let mut experiment = experiment(Schedule::Plain { policy: DM });
    let mut spec = task("sort", (0, 2 * MS, MS), 0, program("matmult", "n = 20"));
    spec.instances
        .push(task("sort", (0, 2 * MS, MS), 1, Work::Registers).instances[0].clone());
    spec.instance_of_job = vec![0, 1, 1];
    spec.global_bytes = 4096;
    experiment.tasks = vec![spec];
    experiment.horizon_ns = 12 * MS;
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let task = &result.tasks[0];
    let used: Vec<usize> = task.jobs.iter().map(|job| job.instance).collect();
    assert_eq!(used, [0, 1, 1, 0, 1, 1]);
    let copied: Vec<u64> = task.jobs.iter().map(|job| job.copied_bytes).collect();
    assert_eq!(copied, [0, 4096, 0, 4096, 4096, 0]);
    assert_eq!((task.copies, task.copied_bytes, task.completed), (3, 3 * 4096, 6));
    assert_ne!(task.banks[0], task.banks[1]);
    // The copy takes time: 64 lines, each read and written, beyond what the same job takes in its memory.
    let execution = |job: usize| task.jobs[job].execution_ps;
    assert!(
        execution(4) > execution(5) + 64 * 1000,
        "{} {}",
        execution(4),
        execution(5)
    );
}

/// A batch task gets what the others leave, and never ends.
#[test]
fn a_batch_task_fills_the_gaps() {
    let mut experiment = experiment(Schedule::Plain { policy: DM });
    let mut batch = task("batch", (0, MS, MS), 1, program("idle", "instructions = 400"));
    batch.timing = Timing::Batch;
    experiment.tasks = vec![batch, task("t", (0, MS, 250 * US), 0, Work::Registers)];
    experiment.horizon_ns = 10 * MS;
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let [batch, other] = &result.tasks[..] else {
        panic!("two tasks")
    };
    assert_eq!((other.completed, other.misses), (10, 0));
    assert_eq!(
        (batch.released, batch.completed, batch.misses, batch.jobs.len()),
        (1, 0, 0, 1)
    );
    assert_eq!(batch.passes, 75_000, "7.5 ms of 100 ns");
    assert_eq!(batch.jobs[0].execution_ps, 7_500 * US * 1000);
    assert_eq!(result.cores[0].idle_ps, 0);
}

/// A job that a table moves from core to core has the one process that it has, and no core runs two jobs at once.
#[test]
fn a_job_goes_from_core_to_core() {
    let slot = |core, start, length, task| Slot {
        core,
        start: start * MS,
        length: length * MS,
        task,
        job: 0,
        instance: 0,
        blocked: None,
    };
    let table = Table {
        length: 10 * MS,
        cores: 2,
        slots: vec![slot(0, 0, 3, 0), slot(0, 3, 4, 1), slot(1, 0, 3, 1), slot(1, 3, 4, 0)],
        bursts: Vec::new(),
        memory: Vec::new(),
        copy_cost: Vec::new(),
    };
    let mut experiment = experiment(Schedule::Table { table, lock_ns: 0 });
    experiment.machine.cores = 2;
    experiment.machine.topology = Topology::uniform(2);
    experiment.tasks = vec![
        task("a", (0, 10 * MS, 7 * MS - 10 * US), 0, Work::Registers),
        task(
            "b",
            (0, 10 * MS, 6 * MS),
            1,
            program("random", "bytes = '1 MiB'\naccesses = 600000"),
        ),
    ];
    experiment.horizon_ns = 20 * MS;
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let [a, b] = &result.tasks[..] else { panic!("two tasks") };
    assert_eq!((a.completed, a.misses, b.completed, b.misses), (2, 0, 2, 0));
    assert!(
        a.jobs[0]
            .end_ps
            .is_some_and(|end| (6990 * US * 1000..6991 * US * 1000).contains(&end)),
        "{:?}",
        a.jobs
    );
    for core in 0..2 {
        let runs: Vec<_> = result.timeline.runs.iter().filter(|run| run.core == core).collect();
        assert!(
            runs.windows(2).all(|pair| pair[0].end_ps <= pair[1].start_ps),
            "{runs:?}"
        );
        for task in 0..2 {
            let is_it = |activity| matches!(activity, Activity::Run { task: ran, .. } if ran == task);
            assert!(runs.iter().any(|run| is_it(run.activity)));
        }
    }
    let mut of_b: Vec<_> = result
        .timeline
        .runs
        .iter()
        .filter(|run| matches!(run.activity, Activity::Run { task: 1, .. }))
        .collect();
    of_b.sort_by_key(|run| run.start_ps);
    assert!(
        of_b.windows(2).all(|pair| pair[0].end_ps <= pair[1].start_ps),
        "never on two cores at once"
    );
}
