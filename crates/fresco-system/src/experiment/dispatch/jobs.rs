// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs that have been released and have not ended.

use fresco_dram::Ps;
use std::collections::VecDeque;

/// A released job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyJob {
    /// Index of the task.
    pub task: usize,
    /// Number of the job, from 0.
    pub job: u64,
    /// Release, in picoseconds.
    pub release: Ps,
    /// Absolute deadline by which it is ordered; `u64::MAX` for none.
    pub deadline: Ps,
    /// The memory it is to use, where no table decides.
    pub instance: usize,
    /// The color of that memory.
    pub color: usize,
}

/// All of them, by task.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    ready: Vec<VecDeque<ReadyJob>>,
}

impl Jobs {
    /// No jobs of so many tasks.
    pub(crate) fn new(tasks: usize) -> Self {
        Self {
            ready: vec![VecDeque::new(); tasks],
        }
    }

    /// The job of a task that is to end first; `None` if none is ready.
    pub fn oldest(&self, task: usize) -> Option<&ReadyJob> {
        self.ready[task].front()
    }

    pub(crate) fn release(&mut self, job: ReadyJob) {
        self.ready[job.task].push_back(job);
    }

    /// Takes the oldest job of a task out: it has ended.
    pub(crate) fn complete(&mut self, task: usize) -> Option<ReadyJob> {
        self.ready[task].pop_front()
    }

    /// Takes all jobs of a task out: none of them is to end any more.
    pub(crate) fn abandon(&mut self, task: usize) {
        self.ready[task].clear();
    }

    /// The jobs of a task are ordered by deadlines that are so much later.
    pub(crate) fn order_later(&mut self, task: usize, by: Ps) {
        let deadlines = self.ready[task].iter_mut().map(|job| &mut job.deadline);
        deadlines.for_each(|deadline| *deadline = deadline.saturating_add(by));
    }

    /// Every ready job, by task, then by age.
    pub fn all(&self) -> impl Iterator<Item = &ReadyJob> {
        self.ready.iter().flatten()
    }
}
