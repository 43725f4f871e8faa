// SPDX-License-Identifier: MIT OR Apache-2.0
//! A memory drawn at random: devices, policies, queues.

use crate::devices;
use fresco_bound::Dram;
use fresco_dram::standards;
use fresco_dram::{Organisation, Timing};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_pcg::Pcg64;

#[derive(Debug)]
pub struct Setting {
    pub timing: Timing,
    pub organisation: Organisation,
    pub controller: ControllerConfig,
}

fn queues(rng: &mut Pcg64) -> Queues {
    let writes = *[1, 2, 8, 32].choose(rng).expect("some");
    match rng.random_range(0..4) {
        0 | 1 => Queues::Global {
            reads: *[2, 8, 64, 64].choose(rng).expect("some"),
            writes,
        },
        2 => Queues::PerBank {
            reads_per_bank: *[1, 2, 8, 32].choose(rng).expect("some"),
            writes,
        },
        _ => Queues::FrontQueue {
            front: *[2, 16].choose(rng).expect("some"),
            reads_per_bank: *[1, 2, 8, 32].choose(rng).expect("some"),
            writes,
        },
    }
}

impl Setting {
    pub fn dram(&self) -> Dram<'_> {
        Dram {
            timing: &self.timing,
            organisation: &self.organisation,
            controller: &self.controller,
        }
    }

    pub fn draw(rng: &mut Pcg64) -> Self {
        let names: Vec<&str> = standards::names().collect();
        let standard = *names.choose(rng).expect("some");
        let ranks = *[1, 1, 1, 2].choose(rng).expect("some");
        let timing = devices::timing(standard, &[]);
        let organisation = Organisation {
            ranks,
            ..devices::organisation(standard)
        };
        let queues = queues(rng);
        let writes = queues.writes();
        let drain_high = rng.random_range(1..=writes);
        let refreshes = [
            RefreshPolicy::None,
            RefreshPolicy::None,
            RefreshPolicy::AllBankSimultaneous,
            RefreshPolicy::AllBankIndependent,
            RefreshPolicy::Elastic,
            RefreshPolicy::Adaptive,
            RefreshPolicy::PerBank,
            RefreshPolicy::PerBankOutOfOrder,
            RefreshPolicy::PerBankSequential,
            RefreshPolicy::SameBank,
        ];
        let refresh = *refreshes.choose(rng).expect("some");
        let refresh = match refresh.check(&organisation, &timing) {
            Ok(()) => refresh,
            Err(_) => RefreshPolicy::AllBankSimultaneous,
        };
        let scheduler = match rng.random_range(0..5) {
            0 => Scheduler::Fcfs,
            _ => Scheduler::FrFcfs {
                hit_cap: *[0, 1, 4, 16].choose(rng).expect("some"),
            },
        };
        let page = match rng.random_range(0..4) {
            0 => PagePolicy::Closed,
            1 => PagePolicy::Adaptive {
                idle: rng.random_range(0..100),
            },
            _ => PagePolicy::Open,
        };
        Self {
            timing,
            organisation,
            controller: ControllerConfig {
                scheduler,
                page,
                queues,
                drain_high,
                drain_low: rng.random_range(0..drain_high),
                refresh,
                drain_once: true,
                frontend: 0,
            },
        }
    }
}
