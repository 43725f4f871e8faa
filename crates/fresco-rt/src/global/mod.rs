// SPDX-License-Identifier: MIT OR Apache-2.0
//! Global scheduling: at each instant the `m` ready jobs of highest priority run on `m` cores, and a job that was preempted goes on on any of them.
//!
//! The tests are sufficient, not necessary. [`responses`](responses::response_bounds) bounds responses by the work of others in a window, for EDF and
//! fixed priorities; [`density`] is for EDF and many light tasks. docs/theory.md (F38) has the proofs.

pub mod certificate;
pub mod density;
pub mod responses;

use crate::switches::{Overcharged, charged_without_reloads};
use crate::task::Task;
use crate::time::Time;

/// Cores that tasks share, and what refresh leaves of them.
#[derive(Clone, Copy, Debug)]
pub struct Platform<'a, S> {
    /// m: cores, at least 1.
    pub cores: u32,
    /// Time that every interval leaves on all cores at once, what rows that are opened again take included.
    pub supply: &'a S,
    /// Execution that rows closed by a refresh before an interval may still cost in it, over all cores; 0 if all costs of a refresh are at its
    /// own time.
    pub backlog: Time,
}

/// The tasks with three switches as a part of their execution, `e + 3 s`: one under way when a job comes, that to it, and that from it. Reloads are
/// counted apart: under global scheduling one may fall into a window that the job which caused it is not in.
///
/// # Errors
/// A job that takes longer than there is to its deadline.
pub fn charged(tasks: &[Task], switch: Time) -> Result<Vec<Task>, Overcharged> {
    charged_without_reloads(tasks, switch)
}

/// The longest that a response may be: the deadline, and the least distance of arrivals. Jobs of a task then never wait for each other.
pub fn longest_response(task: &Task) -> Time {
    let apart = Time::try_from(task.spread(1)).unwrap_or(Time::MAX);
    task.deadline.min(apart)
}
