// SPDX-License-Identifier: MIT OR Apache-2.0
//! The task model: periodic or sporadic tasks with constrained deadlines (CR-3), that may arrive in bursts, be ready late, and block
//! each other.

use std::fmt;

use crate::time::{Overflow, Time, lcm_all};

/// Task `T = (φ, p, e, D)`: job `k` is released at `φ + k p` and must have run for at most `e` by `φ + k p + D`.
///
/// [`Task::arriving`], [`Task::ready_late`] and [`Task::blocking`] add what a task of a real system has besides.
///
/// Invariant: `1 ≤ e`, `e + J ≤ D ≤ p`, `d ≤ p`, `c ≤ e`.
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
    /// D: relative deadline, from the arrival of a job.
    pub deadline: Time,
    /// A: a job may arrive so much later than `φ + k p`. Deadlines count from arrivals.
    pub arrival_jitter: Time,
    /// d: least distance of arrivals; 0 if there is none.
    pub min_distance: Time,
    /// J: a job may be ready so much later than it arrives, but not after one that arrives later.
    pub release_jitter: Time,
    /// c: longest part of a job in which it holds what others may wait for.
    pub critical_section: Time,
    /// γ: how much longer a job takes at most after it was preempted, for what others displaced from its caches ([`crate::switches`]).
    pub cache_reload: Time,
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
    /// More arrival jitter than [`MOST_JITTER`] periods; holds the jitter and the most there may be.
    ArrivalJitter(Time, Time),
    /// Arrivals at least further apart than a period; holds the distance and the period.
    DistanceBeyondPeriod(Time, Time),
    /// Less than the execution time from when a job is ready at the latest to its deadline; holds the jitter and the most there may be.
    ReleaseJitter(Time, Time),
    /// A critical section longer than the execution time; holds both.
    SectionBeyondWcet(Time, Time),
}

/// Most periods by which an arrival may be late: bursts of more jobs are those of another event model.
pub const MOST_JITTER: Time = 1000;

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
            TaskError::ArrivalJitter(jitter, most) => {
                write!(f, "the arrival jitter {jitter} is beyond {most}, {MOST_JITTER} periods")
            }
            TaskError::DistanceBeyondPeriod(distance, period) => {
                write!(
                    f,
                    "the least distance {distance} of arrivals is beyond the period {period}; it is at most the period"
                )
            }
            TaskError::ReleaseJitter(jitter, most) => {
                write!(
                    f,
                    "the release jitter {jitter} is beyond {most}, what the deadline leaves of the execution time"
                )
            }
            TaskError::SectionBeyondWcet(section, wcet) => {
                write!(
                    f,
                    "the critical section {section} is beyond the execution time {wcet}; it is a part of it"
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
                arrival_jitter: 0,
                min_distance: 0,
                release_jitter: 0,
                critical_section: 0,
                cache_reload: 0,
            })
        }
    }

    /// The task if job `k` arrives up to `jitter` after `φ + k p`, but no earlier than `distance` after the one before. This is the standard event
    /// model (P, J, d_min) of compositional analysis (Richter, Compositional Scheduling Analysis Using Standard Event Models, 2005).
    ///
    /// # Errors
    /// A jitter beyond [`MOST_JITTER`] periods, a distance beyond the period.
    pub fn arriving(self, jitter: Time, distance: Time) -> Result<Self, TaskError> {
        let most = self.period.saturating_mul(MOST_JITTER);
        if jitter > most {
            Err(TaskError::ArrivalJitter(jitter, most))
        } else if distance > self.period {
            Err(TaskError::DistanceBeyondPeriod(distance, self.period))
        } else {
            Ok(Task {
                arrival_jitter: jitter,
                min_distance: distance,
                ..self
            })
        }
    }

    /// The task if its jobs are ready up to `jitter` after they arrive, as they wait for a message or a coarse timer (Audsley et al., Applying new
    /// scheduling theory to static priority pre-emptive scheduling, 1993).
    ///
    /// # Errors
    /// The deadline leaves less than the execution time.
    pub fn ready_late(self, jitter: Time) -> Result<Self, TaskError> {
        let most = self.deadline - self.wcet;
        if jitter > most {
            return Err(TaskError::ReleaseJitter(jitter, most));
        }
        Ok(Task {
            release_jitter: jitter,
            ..self
        })
    }

    /// The task if a job holds for up to `section` of its execution what tasks of its core and color may wait for, by the stack resource policy or a
    /// priority ceiling: a job waits for one section of another at most (Baker, Stack-based scheduling of realtime processes, 1991).
    ///
    /// # Errors
    /// A section longer than the execution time.
    pub fn blocking(self, section: Time) -> Result<Self, TaskError> {
        if section > self.wcet {
            return Err(TaskError::SectionBeyondWcet(section, self.wcet));
        }
        Ok(Task {
            critical_section: section,
            ..self
        })
    }

    /// The task if a preemption costs it up to `reload`.
    pub fn reloading(self, reload: Time) -> Self {
        Task {
            cache_reload: reload,
            ..self
        }
    }

    /// Returns true if jobs arrive at `φ + k p`, are ready at once, and wait for no section of another.
    pub fn is_plain(&self) -> bool {
        (self.arrival_jitter, self.release_jitter, self.critical_section) == (0, 0, 0)
    }

    /// D − J: time from when a job is ready at the latest to its deadline.
    pub fn window(&self) -> Time {
        self.deadline - self.release_jitter
    }

    /// Most jobs that arrive in a closed interval of length `t`: `min(⌊(t + A)/p⌋, ⌊t/d⌋) + 1`.
    pub fn arrivals_in(&self, t: Time) -> u64 {
        // A division of 64 bits takes a fraction of one of 128, and demand is little else.
        let by_period = match t.checked_add(self.arrival_jitter) {
            Some(reach) => reach / self.period,
            None => {
                let reach = u128::from(t) + u128::from(self.arrival_jitter);
                u64::try_from(reach / u128::from(self.period)).unwrap_or(u64::MAX)
            }
        };
        let jobs = match self.min_distance {
            0 => by_period,
            distance => by_period.min(t / distance),
        };
        jobs.saturating_add(1)
    }

    /// Least time from an arrival to the `jobs`-th one after it: `max(jobs · p − A, jobs · d)`.
    pub fn spread(&self, jobs: u64) -> u128 {
        let by_period = (u128::from(jobs) * u128::from(self.period)).saturating_sub(u128::from(self.arrival_jitter));
        by_period.max(u128::from(jobs) * u128::from(self.min_distance))
    }

    /// Length of an interval from which on arrivals repeat with the period: from there on `⌊(t + A)/p⌋` is the lesser of the two.
    pub(crate) fn settled(&self) -> u128 {
        match self.period - self.min_distance {
            0 => 0,
            _ if self.min_distance == 0 => 0,
            slack => u128::from(self.arrival_jitter.div_ceil(slack)) * u128::from(self.period),
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

    /// Bursts of three: 30 ms of jitter on 10 ms, 2 ms apart.
    #[test]
    fn bursts_of_the_standard_event_model() {
        let task = Task::new("t", 0, 10, 1, 10).unwrap().arriving(30, 2).unwrap();
        assert_eq!(
            [0, 1, 2, 4, 6, 7, 9, 10, 20].map(|t| task.arrivals_in(t)),
            [1, 1, 2, 3, 4, 4, 4, 5, 6]
        );
        assert_eq!([0, 1, 2, 3, 4, 5].map(|jobs| task.spread(jobs)), [0, 2, 4, 6, 10, 20]);
        let plain = Task::new("t", 0, 10, 1, 10).unwrap();
        assert_eq!([0, 9, 10].map(|t| plain.arrivals_in(t)), [1, 1, 2]);
        assert!(plain.is_plain() && !task.is_plain());
    }

    #[test]
    fn jitter_and_sections_have_to_fit() {
        let task = || Task::new("t", 0, 10, 3, 8).unwrap();
        assert_eq!(task().ready_late(5).unwrap().window(), 3);
        assert_eq!(task().ready_late(6), Err(TaskError::ReleaseJitter(6, 5)));
        assert_eq!(task().blocking(4), Err(TaskError::SectionBeyondWcet(4, 3)));
        assert_eq!(task().arriving(0, 11), Err(TaskError::DistanceBeyondPeriod(11, 10)));
        assert_eq!(
            task().arriving(10_001, 0),
            Err(TaskError::ArrivalJitter(10_001, 10_000))
        );
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
