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
    /// D, from an arrival; at most the period.
    pub deadline_ns: Time,
    /// φ: release of the first job.
    pub phase_ns: Time,
    /// A job may be ready so much after its arrival.
    pub jitter_ns: Time,
    /// J of event models: a job may arrive so much after its time.
    pub arrival_jitter_ns: Time,
    /// d: two arrivals are at least so far apart; 0 if nothing is said. Without arrival jitter it says nothing beyond the period.
    pub min_distance_ns: Time,
    /// Others may wait for a job for so long.
    pub critical_section_ns: Time,
    /// A preemption costs a job so much.
    pub cache_reload_ns: Time,
}

impl Times {
    /// Those of a task of the theory.
    pub fn of(task: &fresco_rt::Task) -> Self {
        Self {
            period_ns: task.period,
            wcet_ns: task.wcet,
            deadline_ns: task.deadline,
            phase_ns: task.phase,
            jitter_ns: task.release_jitter,
            arrival_jitter_ns: task.arrival_jitter,
            min_distance_ns: task.min_distance,
            critical_section_ns: task.critical_section,
            cache_reload_ns: task.cache_reload,
        }
    }
}
