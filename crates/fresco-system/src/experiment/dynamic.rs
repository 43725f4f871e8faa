// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic BPM and BPM+ (BPM-6 to 12).

use super::{Dynamic, Experiment};
use fresco_input::InputError;

/// Refuses a division that the tasks of the experiment cannot follow.
pub(super) fn check(dynamic: &Dynamic, experiment: &Experiment) -> Result<(), InputError> {
    let fits = |member: &usize| {
        let task = experiment.tasks.get(*member);
        task.is_some_and(|task| task.instances.len() == 1)
    };
    if dynamic.interval > 0 && dynamic.members.iter().all(fits) {
        return Ok(());
    }
    Err(experiment
        .error("found colors that cannot be divided anew".to_owned())
        .allowed("an interval above 0, and tasks of one memory: each memory of a task has the colors of its schedule")
        .help("leave tasks of several memories out"))
}
