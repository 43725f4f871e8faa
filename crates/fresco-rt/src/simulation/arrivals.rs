// SPDX-License-Identifier: MIT OR Apache-2.0
//! When jobs arrive and how long they really execute.

use crate::task::Task;
use crate::time::Time;

/// Source of jobs. `index` counts tasks through all colors, as [`Simulation::run`](super::Simulation::run) does.
pub trait Arrivals {
    /// Release of the first job.
    fn first(&mut self, _index: usize, task: &Task) -> Time {
        task.phase
    }

    /// Time from a release to the next, at least the period.
    fn distance(&mut self, _index: usize, task: &Task) -> Time {
        task.period
    }

    /// Execution time of a job, from 1 to the worst case.
    fn execution(&mut self, _index: usize, task: &Task) -> Time {
        task.wcet
    }
}

/// Every job as early as its task allows after the phase, and as long as the worst case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Periodic;

impl Arrivals for Periodic {}
