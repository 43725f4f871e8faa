// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partitions judged by attacks: how long a task's reads can be made to take.

use crate::Observer;
use fresco_attack::{Search, Target};
use fresco_system::Scenario;
use serde::Serialize;

/// The longest read of a task under attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AttackedRead {
    /// What was found, in picoseconds.
    pub observed_ps: u64,
    /// What it can be at most; `None` without a bound.
    pub bound_ps: Option<u64>,
}

/// Attacks tried on each copy of a task, and cycles of each: enough that a partition which shares banks differs from one that does not.
const TRIES: u64 = 320;
const CYCLES: u64 = 10_000;

/// The longest read of any copy of a task that can be found. `None` once the observer says that it is over.
pub(crate) fn longest_read(scenario: &Scenario, task: &str, observer: &dyn Observer) -> Option<AttackedRead> {
    let setup = &scenario.points.first()?.setup;
    let how = Search {
        tries: TRIES,
        cycles: CYCLES,
        seed: scenario.seed,
    };
    let clock = &setup.machine.memory.timing.clock;
    let mut longest = AttackedRead {
        observed_ps: 0,
        bound_ps: Some(0),
    };
    let copies = setup.copies.iter().enumerate();
    for (number, _) in copies.filter(|(_, copy)| setup.tasks[copy.task].name == task) {
        let target = Target::of(setup, number)?;
        let found = target.attack(setup, &how, &Stops(observer))?;
        let bound_ps = target.reads.map(|reads| reads.longest_ps);
        longest = AttackedRead {
            observed_ps: longest.observed_ps.max(clock.to_ps(found.worst.cycles)),
            bound_ps: longest.bound_ps.zip(bound_ps).map(|(a, b)| a.max(b)),
        };
    }
    Some(longest)
}

/// Only stops.
struct Stops<'o>(&'o dyn Observer);

impl fresco_attack::Observer for Stops<'_> {
    fn tried(&self, _attacks: u64) {}

    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}
