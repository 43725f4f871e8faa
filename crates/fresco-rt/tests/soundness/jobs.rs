// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs that a sound acceptance must survive: shorter than the worst case, later than the period.

use fresco_rt::simulation::Arrivals;
use fresco_rt::{Task, Time};
use rand::Rng;
use rand_pcg::Pcg64;

/// How jobs deviate from periodic worst cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// Periodic from the tasks' phases, worst-case execution times.
    None,
    /// Periodic, execution times drawn up to the worst case.
    Early,
    /// Random first releases and distances from one to two periods (mostly one), worst-case execution times.
    Sporadic,
    /// Sporadic and early.
    Both,
}

impl Deviation {
    pub const ALL: [Deviation; 4] = [Deviation::None, Deviation::Early, Deviation::Sporadic, Deviation::Both];
}

/// Draws jobs.
pub struct RandomJobs<'r> {
    pub rng: &'r mut Pcg64,
    pub deviation: Deviation,
}

impl RandomJobs<'_> {
    fn sporadic(&self) -> bool {
        matches!(self.deviation, Deviation::Sporadic | Deviation::Both)
    }
}

impl Arrivals for RandomJobs<'_> {
    fn first(&mut self, _: usize, task: &Task) -> Time {
        if self.sporadic() {
            self.rng.random_range(0..2 * task.period)
        } else {
            task.phase
        }
    }

    fn distance(&mut self, _: usize, task: &Task) -> Time {
        let late = self.sporadic() && self.rng.random_bool(0.2);
        if late {
            self.rng.random_range(task.period..=2 * task.period)
        } else {
            task.period
        }
    }

    fn execution(&mut self, _: usize, task: &Task) -> Time {
        let early = matches!(self.deviation, Deviation::Early | Deviation::Both) && self.rng.random_bool(0.5);
        if early {
            self.rng.random_range(1..=task.wcet)
        } else {
            task.wcet
        }
    }
}
