// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ready jobs in the order of the policy.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::policy::Policy;
use crate::time::Time;

/// A released, unfinished job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// Order of the policy, least first; unique. EDF: (deadline, rank, job); fixed priorities: (rank, release, job).
    key: (Time, Time, u64),
    /// Index of the task, through all colors.
    pub task: usize,
    /// Index of the job.
    pub index: u64,
    /// Release.
    pub release: Time,
    /// Absolute deadline.
    pub deadline: Time,
    /// Execution left.
    pub remaining: Time,
}

impl Job {
    /// Job `index` of a task of priority `rank`, 0 the highest, with its release, absolute deadline and execution.
    pub fn new(
        policy: Policy,
        rank: usize,
        (task, index): (usize, u64),
        (release, deadline): (Time, Time),
        remaining: Time,
    ) -> Self {
        let key = match policy {
            Policy::Edf => (deadline, rank as Time, index),
            Policy::FixedPriority(_) => (rank as Time, release, index),
        };
        Job {
            key,
            task,
            index,
            release,
            deadline,
            remaining,
        }
    }
}

/// The ready jobs of one color.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue(BinaryHeap<Reverse<Job>>);

impl Queue {
    /// Adds a job.
    pub(super) fn push(&mut self, job: Job) {
        self.0.push(Reverse(job));
    }

    /// The first job by the policy.
    pub(super) fn first(&self) -> Option<&Job> {
        self.0.peek().map(|Reverse(job)| job)
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Executes the first job for `time`, at most what it has left; returns it if that finishes it.
    pub(super) fn execute(&mut self, time: Time) -> Option<Job> {
        let mut first = self.0.peek_mut()?;
        // The key does not depend on what is left, so the order stays.
        first.0.remaining -= time;
        (first.0.remaining == 0).then(|| std::collections::binary_heap::PeekMut::pop(first).0)
    }

    /// Takes a job out; returns whether it was there.
    pub(super) fn remove(&mut self, task: usize, index: u64) -> bool {
        let is_it = |job: &Job| (job.task, job.index) == (task, index);
        if self.first().is_some_and(is_it) {
            self.0.pop();
            return true;
        }
        let before = self.0.len();
        self.0.retain(|Reverse(job)| !is_it(job));
        self.0.len() < before
    }

    /// All jobs, in no order.
    pub(super) fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.0.iter().map(|Reverse(job)| job)
    }
}
