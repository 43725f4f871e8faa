// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a simulation found.

use serde::Serialize;

use crate::time::Time;

/// A job that had not finished by its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Miss {
    /// Index of the task, through all colors.
    pub task: usize,
    /// Index of the job, from 0.
    pub job: u64,
    /// The absolute deadline.
    pub deadline: Time,
}

/// Counts and extremes of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// End of the run.
    pub horizon: Time,
    /// Jobs with a deadline up to the horizon that were unfinished then; they keep running.
    pub misses: u64,
    /// The miss with the earliest deadline (of several, that of the first task).
    pub first_miss: Option<Miss>,
    /// Longest response time per task over the completed jobs; `None` if no job completed.
    pub worst_response: Vec<Option<Time>>,
    /// Completed jobs.
    pub jobs_done: u64,
    /// Whether the state (pending jobs, budgets) at the end is that of one repeat before: nothing new can follow.
    pub converged: bool,
    /// Per color, time with its work pending (and budget, where there are servers), the color locked and no job running;
    /// without the time of handlers.
    pub unhidden: Vec<Time>,
}

impl Outcome {
    /// Counts a miss.
    pub(super) fn miss(&mut self, miss: Miss) {
        self.misses += 1;
        let order = |miss: &Miss| (miss.deadline, miss.task, miss.job);
        if self.first_miss.is_none_or(|first| order(&miss) < order(&first)) {
            self.first_miss = Some(miss);
        }
    }
}
