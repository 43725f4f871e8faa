// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random task sets and the claims that must hold for each: shared by the bounded tests and the long run of
//! `examples/soundness.rs`. A seed names a set; a broken claim panics with it.
#![allow(dead_code)] // the example runs a part of it

pub mod aligned;
pub mod cores;
pub mod global;
pub mod jobs;
pub mod real;
pub mod servers;
pub mod tick;

use fresco_rt::policy::{Order, Policy};
use fresco_rt::{Task, Time};
use rand::Rng;
use rand_pcg::Pcg64;

/// Policies that are run.
pub const POLICIES: [Policy; 3] = [
    Policy::Edf,
    Policy::FixedPriority(Order::DeadlineMonotonic),
    Policy::FixedPriority(Order::RateMonotonic),
];

/// Up to `most` tasks with periods from a list, a total utilisation of about `load` percent, and random phases.
pub fn tasks(rng: &mut Pcg64, prefix: &str, most: usize, load: u64) -> Vec<Task> {
    const PERIODS: [Time; 12] = [8, 10, 12, 16, 20, 24, 30, 32, 40, 48, 60, 96];
    let count = rng.random_range(1..=most) as u64;
    (0..count)
        .map(|i| {
            let period = PERIODS[rng.random_range(0..PERIODS.len())] * 4;
            let share = (period * load / (100 * count)).max(1);
            let wcet = rng
                .random_range(share.div_ceil(2)..=share + share.div_ceil(2))
                .min(period);
            let deadline = if rng.random_bool(0.5) {
                period
            } else {
                rng.random_range(wcet.max(period / 2)..=period)
            };
            Task::new(
                &format!("{prefix}{i}"),
                rng.random_range(0..period),
                period,
                wcet,
                deadline,
            )
            .unwrap()
        })
        .collect()
}
