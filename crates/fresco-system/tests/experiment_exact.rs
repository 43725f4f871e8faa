// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine does what the exact simulation of the theory does, to the picosecond, where jobs take exactly their WCET:
//! who ends when, and who misses.

use crate::experiment_support::{MS, experiment, task};
use fresco_rt::executive::{Burst, Slot, Table};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::simulation::{Dispatch, Horizon, Periodic, Simulation, Trace};
use fresco_rt::supply::SlotTable;
use fresco_rt::toplevel::{Locks, Server};
use fresco_system::experiment::{CoreSlots, RunOutcome, Schedule, Work, run};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

const RM: Policy = Policy::FixedPriority(Order::RateMonotonic);

/// Times of the simulation in nanoseconds: (task, job, end).
type Ends = Vec<(usize, u64, u64)>;

/// Two or three tasks of each color, some sets with more work than fits; times are multiples of a microsecond.
fn workloads(random: &mut Pcg64) -> [Vec<fresco_rt::Task>; 2] {
    [0, 1].map(|color| {
        let count = random.random_range(1..=3);
        let one = |i: usize| {
            let period = [2, 4, 5, 8, 16][random.random_range(0..5)] * MS;
            let wcet = random.random_range(1..=period / 4000) * 1000;
            let deadline = random.random_range(wcet.max(period / 2)..=period);
            let phase = random.random_range(0..3) * MS / 2;
            fresco_rt::Task::new(&format!("t{color}{i}"), phase, period, wcet, deadline).expect("a task")
        };
        (0..count).map(one).collect()
    })
}

/// The same workloads on the machine and in theory, up to 64 ms.
fn agree(
    workloads: &[Vec<fresco_rt::Task>; 2],
    policy: Policy,
    schedule: Schedule,
    dispatch: Dispatch,
    locks: Option<&Locks>,
) {
    let theory =
        Simulation::new(workloads.iter().map(Vec::as_slice).collect(), policy, dispatch, locks).expect("a simulation");
    let mut trace = Trace::default();
    let horizon = Horizon {
        phase: 0,
        repeat: 32 * MS,
        repeats: 2,
    };
    let outcome = theory.run(horizon, &mut Periodic, &mut trace).expect("times fit");
    let expected: Ends = trace
        .completions
        .iter()
        .map(|c| (c.task, c.job, c.end * 1000))
        .collect();

    let mut experiment = experiment(schedule);
    for (color, tasks) in workloads.iter().enumerate() {
        for timing in tasks {
            let times = (timing.phase, timing.period, timing.wcet);
            let mut spec = task(&timing.name, times, color, Work::Registers);
            spec.timing = fresco_system::experiment::Timing::Periodic(timing.clone());
            experiment.tasks.push(spec);
        }
    }
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let mut found = ends(&result);
    let mut wanted = expected;
    wanted.sort_by_key(|(task, job, end)| (*end, *task, *job));
    found.sort_by_key(|(task, job, end)| (*end, *task, *job));
    assert_eq!(found, wanted, "{workloads:?}");
    let misses: u64 = result.tasks.iter().map(|task| task.misses).sum();
    assert_eq!(misses, outcome.misses, "{workloads:?}");
    let first = (0..)
        .zip(&result.tasks)
        .filter_map(|(i, task)| Some((task.first_miss?, i)));
    let first = first.min_by_key(|(miss, i)| (miss.deadline_ps, *i, miss.job));
    let first = first.map(|(miss, i)| (i, miss.job, miss.deadline_ps));
    assert_eq!(
        first,
        outcome.first_miss.map(|m| (m.task, m.job, Some(m.deadline * 1000)))
    );
    let decided: u64 = result.cores[0].run_ps;
    let run: u64 = trace
        .segments
        .iter()
        .filter(|s| matches!(s.activity, fresco_rt::simulation::Activity::Run { .. }))
        .map(|s| s.end - s.start)
        .sum();
    assert_eq!(decided, run * 1000);
}

fn ends(result: &RunOutcome) -> Ends {
    let tasks = result.tasks.iter().enumerate();
    tasks
        .flat_map(|(task, outcome)| {
            outcome
                .jobs
                .iter()
                .filter_map(move |job| Some((task, job.job, job.end_ps?)))
        })
        .collect()
}

#[test]
fn servers_under_locks() {
    let mut random = Pcg64::seed_from_u64(11);
    let locks = Locks::of_two_servers(32 * MS, 3 * MS, 20_000, 10_000).expect("locks");
    for case in 0..12 {
        let workloads = workloads(&mut random);
        let server = |random: &mut Pcg64| Server::new(4 * MS, random.random_range(5..=25) * 100_000).expect("a server");
        let servers = vec![server(&mut random), server(&mut random)];
        let idling = case % 2 == 0;
        let dispatch = match idling {
            true => Dispatch::Idling(servers.clone()),
            false => Dispatch::Deferrable(servers.clone()),
        };
        let policy = if case % 3 == 0 { Policy::Edf } else { RM };
        let schedule = Schedule::Servers {
            cores: vec![servers],
            idling,
            locks: locks.clone(),
            policy,
        };
        agree(&workloads, policy, schedule, dispatch, Some(&locks));
    }
}

#[test]
fn flat_under_locks() {
    let mut random = Pcg64::seed_from_u64(12);
    let locks = Locks::of_two_servers(32 * MS, 5 * MS, 5_000, 5_000).expect("locks");
    for policy in [Policy::Edf, RM, Policy::Edf, RM] {
        let schedule = Schedule::Flat {
            locks: locks.clone(),
            policy,
        };
        agree(&workloads(&mut random), policy, schedule, Dispatch::Flat, Some(&locks));
    }
}

#[test]
fn slots_with_handlers() {
    let mut random = Pcg64::seed_from_u64(13);
    for policy in [Policy::Edf, RM, Policy::Edf] {
        let handler = 5_000;
        let border = random.random_range(10..30) * 100_000;
        let slots = [(handler, border), (border + handler, 4 * MS)];
        let tables: Vec<SlotTable> = slots
            .map(|slot| SlotTable::new(4 * MS, &[slot]).expect("a slot"))
            .into();
        let schedule = Schedule::Slots {
            cores: vec![CoreSlots {
                slots: tables.clone(),
                handler_ns: handler,
            }],
            policy,
        };
        agree(&workloads(&mut random), policy, schedule, Dispatch::Slots(tables), None);
    }
}

/// A table by hand: what runs is what stands there, early ends leave the slot empty, a handler takes from its slot.
#[test]
fn a_table_is_replayed() {
    let slot = |start, length, task, job, instance| Slot {
        core: 0,
        start: start * MS,
        length: length * MS,
        task,
        job,
        instance,
        blocked: None,
    };
    let table = Table {
        length: 16 * MS,
        cores: 1,
        slots: vec![
            slot(0, 2, 0, 0, 0),
            slot(2, 3, 1, 0, 0),
            slot(8, 2, 0, 1, 1),
            slot(11, 3, 1, 0, 0),
        ],
        bursts: vec![Burst {
            color: 0,
            start: 8 * MS,
            length: 2 * MS,
        }],
        memory: Vec::new(),
        copy_cost: Vec::new(),
    };
    let mut experiment = experiment(Schedule::Table { table, lock_ns: 10_000 });
    let mut first = task("a", (0, 8 * MS, MS), 0, Work::Registers);
    first
        .instances
        .push(task("a", (0, 8 * MS, MS), 1, Work::Registers).instances[0].clone());
    experiment.tasks = vec![first, task("b", (0, 16 * MS, 5 * MS), 1, Work::Registers)];
    experiment.horizon_ns = 32 * MS;
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let us = 1_000_000;
    let of = |task: usize| -> Vec<(u64, usize, Option<u64>)> {
        let jobs = result.tasks[task].jobs.iter();
        jobs.map(|job| (job.job, job.instance, job.end_ps.map(|end| end / us)))
            .collect()
    };
    assert_eq!(
        of(0),
        [
            (0, 0, Some(1000)),
            (1, 1, Some(9010)),
            (2, 0, Some(17_000)),
            (3, 1, Some(25_010))
        ]
    );
    assert_eq!(of(1), [(0, 0, Some(13_000)), (1, 0, Some(29_000))]);
    assert_eq!(result.cores[0].handler_ps, 20 * us);
    assert_eq!(result.timeline.locks.len(), 2);
}
