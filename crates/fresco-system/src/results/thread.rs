// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of one program: how long they waited for each other (MET-3, BEN-7).

use super::TaskResult;
use super::spread::Spread;
use super::spread::ns;
use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// What a thread waited for within its measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadResult {
    /// Time at the end of parallel sections until the last thread came: algorithm 5, corrected by CON-22.
    pub idle_ps: Ps,
    /// Time in which the master executed serial sections (LIM-6).
    pub serial_wait_ps: Ps,
    /// The rest of the time that it had its core: the time in which it executed.
    pub busy_ps: Ps,
    /// Parallel sections.
    pub sections: u64,
    /// Waits of a trace that is no recording as it was made: what the thread waited for never came, and it went on.
    #[serde(default, skip_serializing_if = "super::task::is_none")]
    pub given_up: u64,
}

/// A program of several threads at one point, over all repetitions; a [`Spread`] has one value per repetition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TeamSummary {
    /// Name of the task.
    pub name: String,
    /// Number of threads.
    pub threads: u64,
    /// Run time of the program: that of its slowest thread, in nanoseconds.
    pub run_time_ns: Spread,
    /// Idle time of all threads together, in nanoseconds.
    pub total_idle_ns: Spread,
    /// Share of the threads' time that is idle.
    pub idle_share: Spread,
    /// Longest less shortest time in which a thread executed, in nanoseconds: how balanced the threads are.
    pub busy_spread_ns: Spread,
    /// Longest less shortest idle time of a thread, in nanoseconds.
    pub idle_spread_ns: Spread,
}

impl TeamSummary {
    /// Of the threads of one program, `runs` being those of each repetition; `None` if they are no threads.
    pub(crate) fn of(name: &str, runs: &[Vec<&TaskResult>]) -> Option<Self> {
        let first = runs.first()?;
        if first.len() < 2 || first.iter().any(|task| task.thread.is_none()) {
            return None;
        }
        let waits = |run: &Vec<&TaskResult>| run.iter().filter_map(|task| task.thread).collect::<Vec<_>>();
        let of_run = |value: &dyn Fn(&[ThreadResult]) -> f64| Spread::of(runs.iter().map(|run| value(&waits(run))));
        let spread = |value: fn(&ThreadResult) -> Ps| {
            move |threads: &[ThreadResult]| {
                let values = threads.iter().map(value);
                ns(values.clone().max().unwrap_or(0) - values.min().unwrap_or(0))
            }
        };
        let idle = |threads: &[ThreadResult]| threads.iter().map(|thread| thread.idle_ps).sum::<Ps>();
        let whole = |thread: &ThreadResult| thread.idle_ps + thread.serial_wait_ps + thread.busy_ps;
        Some(Self {
            name: name.to_owned(),
            threads: first.len() as u64,
            run_time_ns: of_run(&|threads| ns(threads.iter().map(whole).max().unwrap_or(0))),
            total_idle_ns: of_run(&|threads| ns(idle(threads))),
            idle_share: of_run(&|threads| {
                super::ratio(idle(threads) as f64, threads.iter().map(whole).sum::<Ps>() as f64)
            }),
            busy_spread_ns: of_run(&spread(|thread| thread.busy_ps)),
            idle_spread_ns: of_run(&spread(|thread| thread.idle_ps)),
        })
    }
}
