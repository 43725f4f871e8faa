// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task has which color under flat lock-aware scheduling (F28).

use super::Sought;
use super::candidates::Candidates;
use super::partition::{MemoryNeed, is_overloaded};
use crate::flat::{FlatVerdict, flat_test_while};
use crate::patience::Attempts;
use crate::policy::Policy;
use crate::simulation::SimulationError;
use crate::task::Task;
use crate::toplevel::Locks;

/// Indices of the tasks of each of two colors with which the flat test passes; at most `attempts` are tried, in the order of
/// [`partition`](super::partition).
///
/// # Errors
/// [`flat_test_while`].
pub fn partition_flat<'a>(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    locks: &Locks,
    attempts: impl Into<Attempts<'a>>,
) -> Result<Sought<[Vec<usize>; 2]>, SimulationError> {
    let attempts = attempts.into();
    if is_overloaded(tasks, locks) {
        return Ok(Sought::Nowhere);
    }
    let mut candidates = Candidates::new(tasks, memory);
    let (mut tried, mut are_refused) = (0, true);
    for (number, side) in candidates.by_ref().take(attempts.most).enumerate() {
        tried = number + 1;
        if attempts.are_over(number) {
            return Err(SimulationError::Stopped);
        }
        let colors = [false, true].map(|wanted| (0..tasks.len()).filter(|&i| side[i] == wanted).collect::<Vec<_>>());
        let [first, second] = colors
            .clone()
            .map(|indices| indices.iter().map(|&i| tasks[i].clone()).collect::<Vec<Task>>());
        match flat_test_while(&[&first, &second], policy, locks, attempts.patience)? {
            FlatVerdict::Schedulable(_) => return Ok(Sought::Found(colors)),
            FlatVerdict::Missed(_) => {}
            FlatVerdict::Undecided => are_refused = false,
        }
    }
    Ok(match are_refused && candidates.are_over() {
        true => Sought::Nowhere,
        false => Sought::Open(tried),
    })
}
