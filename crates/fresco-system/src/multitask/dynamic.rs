// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic BPM and BPM+ (BPM-6 to 12).

use super::Experiment;
use fresco_dram::Ps;
use fresco_input::InputError;

/// Banks and channels that are divided anew while tasks run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// Time between two scans, in picoseconds.
    pub interval: Ps,
    /// Bank colors of each channel that is used; `None` for BPM, which leaves channels alone.
    pub channels: Option<Vec<Vec<u32>>>,
    /// Tasks that have shares, by index, ascending. Each has one memory.
    pub members: Vec<usize>,
}

impl Dynamic {
    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), InputError> {
        let fits = |member: &usize| {
            let task = experiment.tasks.get(*member);
            task.is_some_and(|task| task.instances.len() == 1)
        };
        if self.interval > 0 && self.members.iter().all(fits) {
            return Ok(());
        }
        Err(experiment
            .error("found colors that cannot be divided anew".to_owned())
            .allowed(
                "an interval above 0, and tasks of one memory: each memory of a task has the colors of its schedule",
            )
            .help("leave tasks of several memories out"))
    }
}
