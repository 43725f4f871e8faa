// SPDX-License-Identifier: MIT OR Apache-2.0
//! Experiments on the machine of the dissertation, small enough for tests.

#![allow(dead_code)]

pub mod planned;

use fresco_frames::{Camc, Coloring, Config, Policy};
use fresco_machine::{Machine, RefreshPolicy};
use fresco_system::multitask::{
    Experiment, Instance, Paging, RefreshPlan, Schedule, TaskSpec, Timing, Work, colors_of_ranks,
};

/// Nanoseconds of a microsecond.
pub const US: u64 = 1000;

/// Nanoseconds of a millisecond.
pub const MS: u64 = 1_000_000;

/// Ranks of the two colours of the servers: the lower and the upper half (MAP-10).
pub const RANKS: [u64; 2] = [0x0f, 0xf0];

/// The machine at a density; rows stay those of 1 Gb, so that memory is quick to set up.
pub fn machine(density_gbit: u32) -> Machine {
    let overrides = [
        ("memory.density".to_owned(), density_gbit.to_string()),
        ("memory.density_scales_refresh_only".to_owned(), "true".to_owned()),
        ("memory.organisation.rows".to_owned(), "2048".to_owned()),
    ];
    fresco_machine::load_with("ss-rtmc", &overrides).unwrap_or_else(|error| panic!("{error}"))
}

/// No tasks yet, no refresh, 1 Gb.
pub fn experiment(schedule: Schedule) -> Experiment {
    let mut machine = machine(1);
    machine.memory.controller.refresh = RefreshPolicy::None;
    Experiment {
        machine,
        refresh: RefreshPlan::Machine,
        in_rhythm: false,
        color_ranks: RANKS.to_vec(),
        tasks: Vec::new(),
        schedule,
        frames: Config::pristine(Policy::Camc(Camc::default())),
        horizon_ns: 64 * MS,
        seed: 1,
        check: true,
        record_ns: 64 * MS,
        context_switch_ns: 0,
        margin_permille: Experiment::MARGIN,
        regulation: None,
        dynamic: None,
        phases: None,
    }
}

/// A task with phase, period and WCET in nanoseconds, its deadline the period, in the ranks of a colour.
pub fn task(name: &str, (phase, period, wcet): (u64, u64, u64), color: usize, work: Work) -> TaskSpec {
    let timing = fresco_rt::Task::new(name, phase, period, wcet, period).expect("a task");
    let banks = colors_of_ranks(&machine(1), RANKS[color]).expect("colours");
    TaskSpec {
        name: name.to_owned(),
        timing: Timing::Periodic(timing),
        core: 0,
        work,
        instances: vec![Instance {
            color,
            memory: None,
            coloring: Coloring::Explicit {
                banks: Some(banks),
                llc: None,
            },
        }],
        instance_of_job: Vec::new(),
        global_bytes: 0,
        paging: Paging::AtStart,
        team: None,
        place: None,
    }
}
