// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explicit jobs in slots that repeat: for tasks with known phases whose jobs need not be alike.
//!
//! [`JobList`] holds the jobs of one turn, [`JobList::serve`] runs them in the slots of their server and is exact,
//! [`cyclic_executive`] writes down who runs when (CRS-8).

mod check;
mod executive;
mod reason;
mod serve;

pub use check::WrongExecutive;
pub use executive::{ExecutiveSlot, NoExecutive, ServerExecutive, cyclic_executive};
pub use serve::{MAX_TURNS, Served, Slice};

use std::fmt;

use crate::policy::Policy;
use crate::supply::{SlotTable, Supply};
use crate::task::Task;
use crate::time::{Overflow, Time};

/// One job of a turn. Windows are taken modulo the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedJob {
    /// Number of the task.
    pub task: usize,
    /// k: number of the job among those of its task in a turn.
    pub index: u64,
    /// Release `(φ + k p) mod length`.
    pub release: Time,
    /// Relative deadline, at most the turn.
    pub deadline: Time,
    /// Execution, with whatever is charged to this job alone.
    pub demand: Time,
}

/// The jobs of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobList {
    length: Time,
    jobs: Vec<ListedJob>,
}

/// Most jobs and slots in a turn.
pub const MAX_LISTED: Time = 1 << 21;

/// Why jobs are no list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListError {
    /// A turn, or a few of them, exceed 64 bits.
    Overflow,
    /// A turn of this length has so many jobs and slots, more than [`MAX_LISTED`].
    TooLong(Time, Time),
    /// The turn is no multiple of this period.
    Period(Time),
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListError::Overflow => Overflow.fmt(f),
            ListError::TooLong(length, entries) => write!(
                f,
                "a turn of {length} holds {entries} jobs and slots, more than {MAX_LISTED}: choose periods with a smaller \
                 least common multiple"
            ),
            ListError::Period(period) => write!(f, "the turn is no multiple of the period {period}"),
        }
    }
}

impl std::error::Error for ListError {}

impl From<Overflow> for ListError {
    fn from(_: Overflow) -> Self {
        ListError::Overflow
    }
}

impl JobList {
    /// No jobs, in a turn of `length` ≥ 1.
    pub fn new(length: Time) -> Result<Self, ListError> {
        if length == 0 || length > 1 << 58 {
            return Err(ListError::Overflow);
        }
        Ok(JobList {
            length,
            jobs: Vec::new(),
        })
    }

    /// Adds those jobs of a task for which `demand` is something.
    ///
    /// # Errors
    /// If the turn is no multiple of its period, or there are too many jobs.
    pub fn add(&mut self, number: usize, task: &Task, demand: impl Fn(u64) -> Option<Time>) -> Result<(), ListError> {
        self.add_first(number, task, Time::MAX, demand)
    }

    /// As [`Self::add`], those of the first jobs alone that are released before an instant.
    pub(crate) fn add_first(
        &mut self,
        number: usize,
        task: &Task,
        until: Time,
        demand: impl Fn(u64) -> Option<Time>,
    ) -> Result<(), ListError> {
        if !self.length.is_multiple_of(task.period) {
            return Err(ListError::Period(task.period));
        }
        let phase = task.phase % self.length;
        let early = until.saturating_sub(phase).div_ceil(task.period);
        let count = early.min(self.length / task.period);
        self.fits(count)?;
        let jobs = (0..count).filter_map(|index| {
            Some(ListedJob {
                task: number,
                index,
                release: (phase + index * task.period) % self.length,
                deadline: task.deadline,
                demand: demand(index)?,
            })
        });
        self.jobs.extend(jobs);
        Ok(())
    }

    /// All jobs of tasks, numbered as they come.
    ///
    /// # Errors
    /// As [`Self::new`] and [`Self::add`].
    pub fn of(tasks: &[Task], length: Time) -> Result<Self, ListError> {
        let mut list = JobList::new(length)?;
        for (number, task) in tasks.iter().enumerate() {
            list.add(number, task, |_| Some(task.wcet))?;
        }
        Ok(list)
    }

    /// The turn.
    pub fn length(&self) -> Time {
        self.length
    }

    /// The jobs, task by task as they were added.
    pub fn jobs(&self) -> &[ListedJob] {
        &self.jobs
    }

    /// Whether so many more jobs or slots are few enough.
    fn fits(&self, more: Time) -> Result<(), ListError> {
        let entries = more.saturating_add(self.jobs.len() as Time);
        if entries > MAX_LISTED {
            return Err(ListError::TooLong(self.length, entries));
        }
        Ok(())
    }

    /// Slots of one turn, which must be a multiple of the table.
    fn slots<'a>(&self, table: &'a SlotTable) -> Result<impl Iterator<Item = (Time, Time)> + use<'a>, ListError> {
        let period = table.period();
        if !self.length.is_multiple_of(period) {
            return Err(ListError::Period(period));
        }
        let repeats = self.length / period;
        self.fits(repeats.saturating_mul(table.slots().len() as Time))?;
        let at = move |k: Time| {
            let shifted = move |&(start, end): &(Time, Time)| (start + k * period, end + k * period);
            table.slots().iter().map(shifted)
        };
        Ok((0..repeats).flat_map(at))
    }
}

/// Ranks of tasks for jobs of the same policy: their order of fixed priorities, or nothing.
pub(crate) fn ranks(policy: Policy, tasks: &[Task]) -> Option<Vec<usize>> {
    match policy {
        Policy::Edf => None,
        Policy::FixedPriority(order) => Some(order.ranks(tasks)),
    }
}
