// SPDX-License-Identifier: MIT OR Apache-2.0
//! The task model: periodic or sporadic tasks with constrained deadlines (CR-3).

use std::fmt;

use crate::time::{Overflow, Time, lcm_all};

/// Task `T = (φ, p, e, D)`: job `k` is released at `φ + k p` and must have run for at most `e` by `φ + k p + D`.
///
/// Invariant, kept by [`Task::new`]: `1 ≤ e ≤ D ≤ p`.
///
/// ```
/// use fresco_rt::{Task, TaskError};
/// use fresco_rt::{demand::dbf, edf::edf_test, supply::Dedicated, task::hyperperiod};
///
/// // Times have any one unit; here a tick.
/// let tasks = [Task::new("a", 0, 4, 1, 3)?, Task::new("b", 0, 6, 2, 6)?];
/// assert_eq!(hyperperiod(&tasks), Ok(12));
/// // Within 12 ticks three jobs of a and two of b have their deadlines: 3 x 1 + 2 x 2.
/// assert_eq!(dbf(&tasks, 12), 7);
/// assert!(edf_test(&tasks, &Dedicated)?.is_schedulable());
///
/// // What can never meet its deadline is no task.
/// assert_eq!(Task::new("c", 0, 5, 4, 3), Err(TaskError::WcetBeyondDeadline(4, 3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Unique name within its set.
    pub name: String,
    /// φ: release of the first job.
    pub phase: Time,
    /// p: distance of releases (least distance, if the task is sporadic).
    pub period: Time,
    /// e: worst-case execution time on an otherwise idle machine, without any refresh.
    pub wcet: Time,
    /// D: relative deadline.
    pub deadline: Time,
}

/// Why a task is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskError {
    /// Period of zero.
    ZeroPeriod,
    /// Execution time of zero.
    ZeroWcet,
    /// Deadline after the next release; holds the deadline and the period.
    DeadlineBeyondPeriod(Time, Time),
    /// More execution than time to the deadline; holds the execution time and the deadline.
    WcetBeyondDeadline(Time, Time),
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskError::ZeroPeriod => f.write_str("the period is 0; a period is at least 1"),
            TaskError::ZeroWcet => f.write_str("the execution time is 0; it is at least 1"),
            TaskError::DeadlineBeyondPeriod(deadline, period) => {
                write!(
                    f,
                    "the deadline {deadline} is beyond the period {period}; it is at most the period"
                )
            }
            TaskError::WcetBeyondDeadline(wcet, deadline) => {
                write!(
                    f,
                    "the execution time {wcet} is beyond the deadline {deadline}; it is at most the deadline"
                )
            }
        }
    }
}

impl std::error::Error for TaskError {}

impl Task {
    /// A task, if its times make one.
    pub fn new(name: &str, phase: Time, period: Time, wcet: Time, deadline: Time) -> Result<Self, TaskError> {
        if period == 0 {
            Err(TaskError::ZeroPeriod)
        } else if wcet == 0 {
            Err(TaskError::ZeroWcet)
        } else if deadline > period {
            Err(TaskError::DeadlineBeyondPeriod(deadline, period))
        } else if wcet > deadline {
            Err(TaskError::WcetBeyondDeadline(wcet, deadline))
        } else {
            Ok(Task {
                name: name.to_owned(),
                phase,
                period,
                wcet,
                deadline,
            })
        }
    }
}

/// H: least common multiple of the periods.
pub fn hyperperiod(tasks: &[Task]) -> Result<Time, Overflow> {
    lcm_all(tasks.iter().map(|task| task.period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_tasks_are_refused_with_the_reason() {
        assert_eq!(Task::new("a", 0, 0, 1, 1), Err(TaskError::ZeroPeriod));
        assert_eq!(Task::new("a", 0, 5, 0, 5), Err(TaskError::ZeroWcet));
        assert_eq!(Task::new("a", 0, 5, 1, 6), Err(TaskError::DeadlineBeyondPeriod(6, 5)));
        assert_eq!(Task::new("a", 0, 5, 4, 3), Err(TaskError::WcetBeyondDeadline(4, 3)));
    }

    #[test]
    fn hyperperiod_of_table_4_4() {
        let set: Vec<Task> = [20, 32, 32, 40, 80]
            .iter()
            .map(|&p| Task::new("t", 0, p, 1, p).unwrap())
            .collect();
        assert_eq!(hyperperiod(&set), Ok(160));
    }
}
