// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters of SCHED_DEADLINE.
//!
//! As of Linux 6.12, kernel/sched/deadline.c, `__checkparam_dl`: runtime ≤ deadline ≤ period, runtime of 1024 ns or more (1 << DL_SCALE), a period
//! from sched_deadline_period_min_us to sched_deadline_period_max_us, 100 us and 2^22 us unless they are changed; `__dl_overflow`: the sum of
//! runtime / period in a root domain, each truncated to 2^-20, up to 95 % of its processors (sched_rt_runtime_us / sched_rt_period_us).

use super::Misfit;
use crate::times::Times;
use fresco_input::format_duration;
use fresco_rt::Time;
use fresco_scenario::Plan;

/// The least runtime that the kernel counts, in ns.
pub const LEAST_RUNTIME_NS: Time = 1 << 10;
/// The shortest period, in ns.
pub const SHORTEST_PERIOD_NS: Time = 100_000;
/// The longest, in ns.
pub const LONGEST_PERIOD_NS: Time = (1 << 22) * 1000;
/// Bits of the kernel's fractions (BW_SHIFT).
const BW_SHIFT: u32 = 20;
/// sched_rt_runtime_us / sched_rt_period_us, as the kernel has it.
pub(crate) const LIMIT: u64 = (950_000 << BW_SHIFT) / 1_000_000;

/// What the kernel is told of a task, in ns: runtime ≤ deadline ≤ period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// The execution time that the plan counts on: a job that takes longer waits for its next period.
    pub runtime_ns: Time,
    /// From an arrival.
    pub deadline_ns: Time,
    /// Between two arrivals.
    pub period_ns: Time,
}

/// Deadlines of a plan by EDF on one core.
pub(super) fn of(plan: &Plan) -> Result<Vec<Option<Deadline>>, Misfit> {
    let timed: Vec<(usize, fresco_rt::Task)> = (0..)
        .zip(&plan.tasks)
        .filter_map(|(number, task)| Some((number, task.timing()?)))
        .collect();
    if plan.cores != 1 {
        return Err(Misfit::new(
            format!("a plan for {} cores", plan.cores),
            "one core: SCHED_DEADLINE keeps no task to a processor unless that is a root domain by itself",
            "fresco export PLAN --to sched-deadline --lossy writes a script that makes one of each core; --schedule none starts the tasks without",
        ));
    }
    if timed.is_empty() {
        return Err(Misfit::new(
            "no task with a period",
            "one or more tasks with period and wcet",
            "give the tasks periods, or use --schedule none",
        ));
    }
    let times: Vec<(&str, Times)> = timed
        .iter()
        .map(|(_, task)| (task.name.as_str(), Times::of(task)))
        .collect();
    let rows: Vec<(&str, &Times)> = times.iter().map(|(name, times)| (*name, times)).collect();
    if let Some(misfit) = misfit(&rows, 1, "the core") {
        return Err(misfit);
    }
    let mut deadlines = vec![None; plan.tasks.len()];
    for (number, task) in timed {
        deadlines[number] = Some(Deadline {
            runtime_ns: task.wcet,
            deadline_ns: task.deadline,
            period_ns: task.period,
        });
    }
    Ok(deadlines)
}

/// What the kernel would refuse of tasks that share `processors`, which are called `place`.
pub(crate) fn misfit(tasks: &[(&str, &Times)], processors: u32, place: &str) -> Option<Misfit> {
    let of = |ns: Time| format_duration(ns.saturating_mul(1000));
    for (name, times) in tasks {
        if times.wcet_ns < LEAST_RUNTIME_NS {
            return Some(Misfit::new(
                format!("an execution time of {} of {name}", of(times.wcet_ns)),
                "1024 ns or more",
                "raise its wcet: the kernel counts no less",
            ));
        }
        if !(SHORTEST_PERIOD_NS..=LONGEST_PERIOD_NS).contains(&times.period_ns) {
            return Some(Misfit::new(
                format!("a period of {} of {name}", of(times.period_ns)),
                format!("{} to {}", of(SHORTEST_PERIOD_NS), of(LONGEST_PERIOD_NS)),
                "choose another period; the kernel's limits are kernel.sched_deadline_period_min_us and _max_us",
            ));
        }
    }
    let sum: u128 = tasks.iter().map(|(_, times)| fraction(times)).sum();
    let most = u128::from(LIMIT) * u128::from(processors);
    (sum > most).then(|| {
        Misfit::new(
            format!("a utilisation of {} on {place}", share(sum)),
            format!("{} at most: the kernel admits 95 % of each processor", share(most)),
            "spread the tasks over more cores, or raise kernel.sched_rt_runtime_us and write the script by hand",
        )
    })
}

/// runtime / period in 2^-20, truncated, as the kernel's `to_ratio` does it.
pub(crate) fn fraction(times: &Times) -> u128 {
    (u128::from(times.wcet_ns) << BW_SHIFT) / u128::from(times.period_ns.max(1))
}

/// A fraction in 2^-20, in decimals.
pub(crate) fn share(fraction: u128) -> String {
    let millionths = (fraction * 1_000_000) >> BW_SHIFT;
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}
