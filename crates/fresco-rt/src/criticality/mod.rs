// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two criticality levels, and a change from low to high mode (F37).
//!
//! In low mode every job takes at most its WCET. When a job of a high task has run for that and is not done, or the device becomes hot, high mode begins at
//! once: low tasks release no more jobs and their pending jobs are abandoned, jobs of high tasks may take `wcet_high`. From the next multiple of the
//! retention time on, the refresh is that of high mode. The supply of high mode bounds that of every interval after the change if the processor is
//! free in high mode only where it is free in low mode, since then no interval has less, whichever part of it lies before the multiple.
//! High mode does not end.

pub mod certificate;
mod edf;
mod fixed_priority;

pub use edf::{AfterChange, Untunable, after_change, demand_after_change, virtual_deadlines};
pub use fixed_priority::{Late, adaptive_responses};

use crate::task::Task;
use crate::time::Time;
use std::fmt;

/// A task of a system of two criticality levels.
///
/// Invariant: the task is plain ([`Task::is_plain`]); `wcet ≤ wcet_high ≤ deadline`; `wcet ≤ virtual_deadline ≤ deadline`, which is the deadline of a low task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DualTask {
    task: Task,
    wcet_high: Option<Time>,
    virtual_deadline: Time,
}

/// Why a task is none of two criticality levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DualError {
    /// It has jitter or a critical section; holds its name.
    NotPlain(String),
    /// Its execution time of high mode is below that of low mode or beyond the deadline; holds its name, the time, and what it may be.
    WcetHigh(String, Time, (Time, Time)),
    /// Its virtual deadline is below the execution time of low mode or beyond the deadline; holds its name, the time, and what it may be.
    VirtualDeadline(String, Time, (Time, Time)),
}

impl fmt::Display for DualError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DualError::NotPlain(name) => write!(
                f,
                "task {name} has jitter or a critical section, which no proof of two criticality levels counts"
            ),
            DualError::WcetHigh(name, found, (least, most)) => write!(
                f,
                "in high mode a job of {name} takes {found}; it takes {least}, as in low mode, to {most}, its deadline"
            ),
            DualError::VirtualDeadline(name, found, (least, most)) => write!(
                f,
                "the virtual deadline of {name} is {found}; it is {least}, what a job takes in low mode, to {most}, its deadline"
            ),
        }
    }
}

impl std::error::Error for DualError {}

impl DualTask {
    /// A task of which nothing is promised in high mode.
    ///
    /// # Errors
    /// A task with jitter or a critical section.
    pub fn low(task: Task) -> Result<Self, DualError> {
        if !task.is_plain() {
            return Err(DualError::NotPlain(task.name));
        }
        Ok(DualTask {
            virtual_deadline: task.deadline,
            wcet_high: None,
            task,
        })
    }

    /// A task that keeps its deadlines in high mode, where a job takes up to `wcet_high`.
    ///
    /// # Errors
    /// As [`DualTask::low`]; `wcet_high` below the WCET or beyond the deadline.
    pub fn high(task: Task, wcet_high: Time) -> Result<Self, DualError> {
        if !(task.wcet..=task.deadline).contains(&wcet_high) {
            return Err(DualError::WcetHigh(task.name, wcet_high, (task.wcet, task.deadline)));
        }
        let wcet_high = Some(wcet_high);
        Ok(DualTask {
            wcet_high,
            ..Self::low(task)?
        })
    }

    /// The task if EDF takes its jobs in low mode by a deadline of `deadline` after their release.
    ///
    /// # Errors
    /// One below the WCET or beyond the deadline; any but the deadline for a low task.
    pub fn with_virtual_deadline(self, deadline: Time) -> Result<Self, DualError> {
        let least = if self.is_high() {
            self.task.wcet
        } else {
            self.task.deadline
        };
        if !(least..=self.task.deadline).contains(&deadline) {
            return Err(DualError::VirtualDeadline(
                self.task.name,
                deadline,
                (least, self.task.deadline),
            ));
        }
        Ok(DualTask {
            virtual_deadline: deadline,
            ..self
        })
    }

    /// The task of low mode, with its deadline.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// What a job takes in high mode; `None` for a low task.
    pub fn wcet_high(&self) -> Option<Time> {
        self.wcet_high
    }

    /// Whether its deadlines are kept in high mode.
    pub fn is_high(&self) -> bool {
        self.wcet_high.is_some()
    }

    /// The relative deadline by which EDF takes its jobs in low mode.
    pub fn virtual_deadline(&self) -> Time {
        self.virtual_deadline
    }

    /// The task as EDF sees it in low mode: with its virtual deadline.
    pub fn in_low_mode(&self) -> Task {
        Task {
            deadline: self.virtual_deadline,
            ..self.task.clone()
        }
    }

    /// Time from the virtual deadline to the deadline.
    fn early(&self) -> Time {
        self.task.deadline - self.virtual_deadline
    }
}
