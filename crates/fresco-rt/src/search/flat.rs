// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task has which color under flat lock-aware scheduling (F28).

use super::candidates::Candidates;
use super::partition::MemoryNeed;
use crate::flat::{FlatVerdict, flat_test_while};
use crate::patience::Attempts;
use crate::policy::Policy;
use crate::simulation::SimulationError;
use crate::task::Task;
use crate::toplevel::Locks;

/// Indices of the tasks of each of two colors with which the flat test passes; at most `attempts` are tried, in the order of
/// [`partition`](super::partition). `None` proves nothing for more than eight tasks.
///
/// # Errors
/// [`flat_test_while`].
pub fn partition_flat<'a>(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    locks: &Locks,
    attempts: impl Into<Attempts<'a>>,
) -> Result<Option<[Vec<usize>; 2]>, SimulationError> {
    let attempts = attempts.into();
    for (number, side) in Candidates::new(tasks, memory).take(attempts.most).enumerate() {
        if attempts.are_over(number) {
            return Err(SimulationError::Stopped);
        }
        let colors = [false, true].map(|wanted| (0..tasks.len()).filter(|&i| side[i] == wanted).collect::<Vec<_>>());
        let [first, second] = colors
            .clone()
            .map(|indices| indices.iter().map(|&i| tasks[i].clone()).collect::<Vec<Task>>());
        if let FlatVerdict::Schedulable(_) = flat_test_while(&[&first, &second], policy, locks, attempts.patience)? {
            return Ok(Some(colors));
        }
    }
    Ok(None)
}
