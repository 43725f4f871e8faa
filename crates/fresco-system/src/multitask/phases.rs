// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs that last until their tasks have been measured.

use super::{Experiment, Timing};
use crate::Extent;
use fresco_dram::Ps;
use fresco_input::InputError;

/// Warm-up and measured phase of tasks that each have their core alone. Such a run begins with setting up their data, and ends
/// when the last measured task has ended its phase, whatever the horizon is.
#[derive(Clone, Debug)]
pub struct Phases {
    /// Warm-up of each measured task.
    pub warm_up: Extent,
    /// Measured phase of each measured task.
    pub measure: Extent,
    /// By task.
    pub tasks: Vec<Phase>,
}

/// A task in such a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its measured phase ends the run; else it runs again and again in the background.
    pub is_measured: bool,
    /// How long after the others its program begins, in picoseconds.
    pub start: Ps,
}

impl Phases {
    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), InputError> {
        let tasks = &experiment.tasks;
        let alone = |(number, task): (usize, &super::TaskSpec)| {
            let others = &tasks[..number];
            matches!(task.timing, Timing::Batch) && others.iter().all(|other| other.core != task.core)
        };
        let timed = [self.warm_up, self.measure]
            .iter()
            .all(|extent| !matches!(extent, Extent::Jobs(_)));
        let measured = self.tasks.iter().any(|task| task.is_measured);
        if timed && measured && self.tasks.len() == tasks.len() && tasks.iter().enumerate().all(alone) {
            return Ok(());
        }
        Err(experiment
            .error("found phases of tasks that share a core, or of none".to_owned())
            .allowed("tasks without a period, each alone on its core, one or more of them measured; no phases in jobs")
            .cure("give jobs a horizon instead"))
    }
}
