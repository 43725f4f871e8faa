// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every policy with every other, sizes and thresholds at random.

use super::random::Random;
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};

pub const REFRESH: [RefreshPolicy; 3] = [
    RefreshPolicy::None,
    RefreshPolicy::AllBankSimultaneous,
    RefreshPolicy::AllBankIndependent,
];

fn queues(kind: usize, random: &mut Random) -> Queues {
    let writes = random.pick(&[1, 2, 8, 32]);
    match kind {
        0 => Queues::Global {
            reads: random.pick(&[1, 3, 32]),
            writes,
        },
        1 => Queues::PerBank {
            reads_per_bank: random.pick(&[1, 2, 8]),
            writes,
        },
        _ => Queues::FrontQueue {
            front: random.pick(&[1, 4, 16]),
            reads_per_bank: random.pick(&[1, 2, 8]),
            writes,
        },
    }
}

/// The cross product of queue structures, schedulers, page policies and refresh policies: 54 of them.
pub fn configurations(seed: u64) -> impl Iterator<Item = ControllerConfig> {
    let mut random = Random::new(seed);
    (0..54).map(move |i| {
        let queues = queues(i % 3, &mut random);
        let writes = queues.writes();
        let drain_high = 1 + random.below(u64::from(writes)) as u32;
        ControllerConfig {
            scheduler: match i / 3 % 2 {
                0 => Scheduler::FrFcfs {
                    hit_cap: random.pick(&[0, 1, 4, 16, u32::MAX]),
                },
                _ => Scheduler::Fcfs,
            },
            page: match i / 6 % 3 {
                0 => PagePolicy::Open,
                1 => PagePolicy::Closed,
                _ => PagePolicy::Adaptive {
                    idle: random.pick(&[0, 20, 200, 100_000]),
                },
            },
            queues,
            drain_high,
            drain_low: random.below(u64::from(drain_high)) as u32,
            refresh: REFRESH[i / 18],
            drain_once: false,
            frontend: 0,
        }
    })
}
