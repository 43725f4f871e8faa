// SPDX-License-Identifier: MIT OR Apache-2.0
//! Experiments on the machine of the dissertation, small enough for tests.

pub mod planned;

use fresco_frames::{Camc, Coloring, FramesConfig, Policy};
use fresco_machine::{Machine, RefreshPolicy};
use fresco_system::bandwidth::{Budgets, Guaranteed, Kind, NodeBudgets, Prediction, Reservation, Settings, Share};
use fresco_system::experiment::{Experiment, Instance, Regulation, Schedule, TaskSpec, Timing, Work, colors_of_ranks};

/// Nanoseconds of a microsecond.
pub const US: u64 = 1000;

/// Nanoseconds of a millisecond.
pub const MS: u64 = 1_000_000;

/// Ranks of the two colors of the servers: the lower and the upper half (MAP-10).
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
        color_ranks: RANKS.to_vec(),
        horizon_ns: 64 * MS,
        check: true,
        record_ns: 64 * MS,
        ..Experiment::new(machine, schedule, FramesConfig::pristine(Policy::Camc(Camc::default())))
    }
}

/// A task with phase, period and WCET in nanoseconds, its deadline the period, in the ranks of a color.
pub fn task(name: &str, (phase, period, wcet): (u64, u64, u64), color: usize, work: Work) -> TaskSpec {
    let timing = fresco_rt::Task::new(name, phase, period, wcet, period).expect("a task");
    let banks = colors_of_ranks(&machine(1), RANKS[color]).expect("colors");
    let coloring = Coloring::Explicit {
        banks: Some(banks),
        llc: None,
    };
    TaskSpec::new(name, 0, Timing::Periodic(timing), work, Instance::new(color, coloring))
}

/// So many lines in 100 us for each of these cores of node 0.
pub fn budget(experiment: &Experiment, cores: &[u32], lines: u64) -> Regulation {
    let guaranteed = Guaranteed::of(&experiment.machine, false);
    let reservation = Reservation {
        lines,
        kind: Kind::Hard,
        weight: 1,
    };
    Regulation {
        budgets: Budgets {
            period: 100 * US * 1000,
            interrupt_cycles: 2000,
            count_write_backs: false,
            guaranteed,
            nodes: vec![NodeBudgets {
                node: 0,
                cores: cores.to_vec(),
                reserved: vec![lines * 64 * 10_000; cores.len()],
                total: lines * 64 * 10_000 * cores.len() as u64,
                settings: Settings {
                    reservations: vec![reservation; cores.len()],
                    total: lines * cores.len() as u64,
                    reclaim: false,
                    share: Share::None,
                    chunk: 1,
                    prediction: Prediction::Last,
                },
                is_guaranteed: true,
            }],
            told: None,
        },
        counted_from: 0,
    }
}
