// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a task runs, as all formats of task sets know it.

use fresco_rt::Time;

/// Times of a recurring task, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// p: between two releases; at least 1.
    pub period_ns: Time,
    /// e: execution time that is counted on; at least 1, at most the deadline.
    pub wcet_ns: Time,
    /// D, from a release; at most the period.
    pub deadline_ns: Time,
    /// φ: release of the first job.
    pub phase_ns: Time,
    /// J: a job may be released so much after its time. Scenarios have no key for it yet.
    pub jitter_ns: Time,
    /// d: two releases are at least so far apart; 0 if nothing is said. Without jitter it says nothing beyond the period.
    pub min_distance_ns: Time,
}

impl Times {
    /// Those of a task of the theory.
    pub fn of(task: &fresco_rt::Task) -> Self {
        Self {
            period_ns: task.period,
            wcet_ns: task.wcet,
            deadline_ns: task.deadline,
            phase_ns: task.phase,
            ..Self::default()
        }
    }
}
