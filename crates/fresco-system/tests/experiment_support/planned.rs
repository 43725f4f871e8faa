// SPDX-License-Identifier: MIT OR Apache-2.0
//! Experiments whose refreshes a plan lays down.

use super::{MS, RANKS, experiment, machine, task};
use fresco_rt::aligned::{AlignedPlan, RefreshDemand, plan};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::toplevel::{Locks, Server};
use fresco_system::experiment::{
    CoreSlots, Experiment, RefreshPlan, RefreshWindow, RunOutcome, Schedule, TaskSpec, Timing, Work, run,
};

pub const RM: Policy = Policy::FixedPriority(Order::RateMonotonic);

/// Jobs that access memory every few hundred nanoseconds, for at most `wcet` nanoseconds.
pub fn sparse(wcet: u64, write_percent: u32) -> Work {
    Work::program(
        "random",
        &format!(
            "bytes = '256 KiB'\ngap = 2000\naccesses = {}\nwrite_percent = {write_percent}",
            wcet / 620
        ),
    )
    .expect("takes these parameters")
}

/// Sets by color, as name, period and WCET in microseconds.
pub type Sets<'a> = [&'a [(&'a str, u64, u64)]; 2];

pub const EXAMPLE: Sets<'_> = [
    &[("T1", 16_000, 4000), ("T2", 16_000, 2000)],
    &[("T3", 32_000, 8000), ("T4", 64_000, 8000)],
];

pub const TABLE_5_2: Sets<'_> = [
    &[("cnt", 20_000, 3000), ("lms", 10_000, 1600), ("st", 8000, 2000)],
    &[("compress", 10_000, 1200), ("matmult", 40_000, 10_000)],
];

pub fn tasks(sets: &Sets<'_>, write_percent: u32) -> Vec<TaskSpec> {
    let of = |color: usize| {
        sets[color].iter().map(move |&(name, period, wcet)| {
            let work = sparse(wcet * 1000, write_percent);
            task(name, (0, period * 1000, wcet * 1000), color, work)
        })
    };
    of(0).chain(of(1)).collect()
}

/// The aligned plan of two sets on the machine, with a handler of 20 µs.
pub fn aligned(sets: &Sets<'_>, policy: Policy, period: u64, density: u32) -> (Experiment, AlignedPlan) {
    let mut experiment = experiment(Schedule::Plain { policy });
    experiment.machine = machine(density);
    let timing = &experiment.machine.memory.timing;
    let demand = RefreshDemand {
        retention: 64 * MS,
        commands: timing.refreshes,
        trfc: timing.clock.to_ps(timing.rfc_ab) / 1000,
        handler: 20_000,
        jitter: 0,
        slice: Default::default(),
    };
    experiment.tasks = tasks(sets, 0);
    let timings = |color: usize| -> Vec<fresco_rt::Task> {
        let own = experiment.tasks.iter().filter(|task| task.instances[0].color == color);
        own.filter_map(|task| match &task.timing {
            Timing::Periodic(timing) => Some(timing.clone()),
            Timing::Batch => None,
        })
        .collect()
    };
    let (first, second) = (timings(0), timings(1));
    let plan = plan(&[[&first, &second]], policy, period, demand).unwrap_or_else(|error| panic!("{error}"));
    experiment.schedule = Schedule::Slots {
        cores: vec![CoreSlots {
            slots: plan.slots(0).into(),
            handler_ns: demand.handler,
        }],
        policy,
    };
    let commands = plan.commands_per_frame();
    experiment.refresh = RefreshPlan::Windows {
        period_ns: period,
        windows: vec![
            RefreshWindow {
                start_ns: demand.handler,
                ranks: RANKS[1],
                commands,
            },
            RefreshWindow {
                start_ns: plan.borders()[0] + demand.handler,
                ranks: RANKS[0],
                commands,
            },
        ],
    };
    experiment.horizon_ns = 200 * MS;
    (experiment, plan)
}

pub fn result(experiment: &Experiment) -> RunOutcome {
    run(experiment).unwrap_or_else(|error| panic!("{error}"))
}

/// The servers of §5.3.5 under fixed bursts.
pub fn servers(density: u32) -> Experiment {
    let mut experiment = experiment(Schedule::Plain { policy: RM });
    experiment.machine = machine(density);
    let timing = &experiment.machine.memory.timing;
    let burst = timing.clock.to_ps(timing.refreshes * timing.rfc_ab) / 1000;
    let locks = Locks::of_two_servers(64 * MS, burst, 20_000, 5_000).expect("locks");
    let window = |color: usize| RefreshWindow {
        start_ns: locks.window(color, 0).burst_start,
        ranks: RANKS[color],
        commands: timing.refreshes,
    };
    experiment.refresh = RefreshPlan::Windows {
        period_ns: 64 * MS,
        windows: vec![window(0), window(1)],
    };
    let server = Server::new(16 * MS, 6 * MS).expect("a server");
    experiment.schedule = Schedule::Servers {
        cores: vec![vec![server, server]],
        idling: false,
        locks,
        policy: RM,
    };
    experiment.tasks = tasks(&EXAMPLE, 20);
    experiment.horizon_ns = 160 * MS;
    experiment.record_ns = 160 * MS;
    experiment
}
