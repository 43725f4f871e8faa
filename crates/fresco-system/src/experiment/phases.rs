// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs that last until their tasks have been measured.

use super::Experiment;
use crate::{Extent, Role};
use fresco_input::InputError;

/// Warm-up and measured phase of tasks that each have their core alone. Such a run begins with setting up their data, and ends
/// when the last measured task has ended its phase, whatever the horizon is.
#[derive(Clone, Copy, Debug)]
pub struct Phases {
    /// Loads and stores of each task that fill caches before its warm-up, in step with the others and in no time; threads of programs of
    /// several have none.
    pub fill: u64,
    /// Warm-up of each measured task.
    pub warm_up: Extent,
    /// Measured phase of each measured task.
    pub measure: Extent,
}

impl Phases {
    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), InputError> {
        let tasks = &experiment.tasks;
        let alone = |(number, task): (usize, &super::TaskSpec)| {
            let others = &tasks[..number];
            task.timing.periodic().is_none() && others.iter().all(|other| other.core != task.core)
        };
        let timed = [self.warm_up, self.measure]
            .iter()
            .all(|extent| !matches!(extent, Extent::Jobs(_)));
        let measured = tasks.iter().any(|task| task.role == Role::Measured);
        if timed && measured && tasks.iter().enumerate().all(alone) {
            return Ok(());
        }
        Err(experiment
            .error("found phases of tasks that share a core, or of none".to_owned())
            .allowed("tasks without a period, each alone on its core, one or more of them measured; no phases in jobs")
            .help("give jobs a horizon instead"))
    }
}
