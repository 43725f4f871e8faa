// SPDX-License-Identifier: MIT OR Apache-2.0
//! Demand: how much processor time tasks can ask for, and how busy they keep a processor.

use crate::supply::Ratio;
use crate::task::{Task, hyperperiod};
use crate::time::{Overflow, Time};

/// dbf(t): execution of all jobs of sporadic tasks that become ready and have their deadline inside an interval of length `t`
/// (F19; §5.3.7 for D = p). Jobs that are ready J late may have arrived that much before it (Spuri, Analysis of deadline scheduled real-time
/// systems, 1996).
pub fn dbf(tasks: &[Task], t: Time) -> u128 {
    let jobs = |task: &Task| t.checked_sub(task.window()).map_or(0, |rest| task.arrivals_in(rest));
    tasks
        .iter()
        .map(|task| u128::from(jobs(task)) * u128::from(task.wcet))
        .sum()
}

/// What jobs with deadlines within `t` of an interval's begin may wait for at its begin: the longest critical section of a task with a later
/// deadline (Baruah, Resource sharing in EDF-scheduled systems, 2006).
pub fn blocking(tasks: &[Task], t: Time) -> Time {
    let later = tasks.iter().filter(|task| task.deadline > t);
    later.map(|task| task.critical_section).max().unwrap_or(0)
}

/// Least length from which on up to `t` the [`blocking`] is that of `t`.
pub(crate) fn equally_blocked(tasks: &[Task], t: Time) -> Time {
    let blocking = tasks
        .iter()
        .filter(|task| task.deadline <= t && task.critical_section > 0);
    blocking.map(|task| task.deadline).max().unwrap_or(0)
}

/// rbf(t) of `own` under tasks of higher priority: its execution and that of all their jobs that are ready in `[0, t)` (F20).
pub fn rbf<'a>(own: &Task, higher: impl IntoIterator<Item = &'a Task>, t: Time) -> u128 {
    let jobs = |task: &Task| match t.saturating_add(task.release_jitter) {
        0 => 0,
        reach => task.arrivals_in(reach - 1),
    };
    let interference: u128 = higher
        .into_iter()
        .map(|task| u128::from(jobs(task)) * u128::from(task.wcet))
        .sum();
    u128::from(own.wcet) + interference
}

/// Latest length at or before `limit` at which the demand of a task rises, `D − J + k p` without arrival jitter; `None` if there is none.
pub fn last_deadline(tasks: &[Task], limit: Time) -> Option<Time> {
    let last = |task: &Task| {
        let jobs = task.arrivals_in(limit.checked_sub(task.window())?) - 1;
        Some(task.window() + Time::try_from(task.spread(jobs)).expect("arrivals within the limit"))
    };
    tasks.iter().filter_map(last).max()
}

/// U = Σ e/p, exactly; [`Overflow`] if the hyperperiod, or the utilisation over it, exceeds 64 bits.
pub fn utilization(tasks: &[Task]) -> Result<Ratio, Overflow> {
    let hyperperiod = hyperperiod(tasks)?;
    let busy: u128 = tasks
        .iter()
        .map(|task| u128::from(hyperperiod / task.period) * u128::from(task.wcet))
        .sum();
    let busy = Time::try_from(busy).map_err(|_| Overflow)?;
    Ok(Ratio::new(busy, hyperperiod).expect("a hyperperiod is at least 1"))
}

/// Bounds of U in units of 2⁻⁶⁴, `(below, above)`: cheap, and defined where the hyperperiod overflows.
pub fn utilization_q64(tasks: &[Task]) -> (u128, u128) {
    tasks.iter().fold((0, 0), |(below, above), task| {
        let scaled = u128::from(task.wcet) << 64;
        let period = u128::from(task.period);
        (below + scaled / period, above + scaled.div_ceil(period))
    })
}

/// Longest relative deadline; 0 without tasks.
pub fn longest_deadline(tasks: &[Task]) -> Time {
    tasks.iter().map(|task| task.deadline).max().unwrap_or(0)
}

/// Length from which on the demand, and what blocks it, repeat: the longest deadline, and what bursts add to it.
pub(crate) fn settled(tasks: &[Task]) -> Result<Time, Overflow> {
    let longest = |task: &Task| u128::from(task.deadline) + task.settled();
    let length = tasks.iter().map(longest).max().unwrap_or(0);
    Time::try_from(length).map_err(|_| Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(period: Time, wcet: Time, deadline: Time) -> Task {
        Task::new("t", 0, period, wcet, deadline).unwrap()
    }

    #[test]
    fn demand_steps_at_deadlines() {
        let set = [task(10, 3, 6), task(15, 4, 15)];
        assert_eq!([5, 6, 14, 15, 16, 30].map(|t| dbf(&set, t)), [0, 3, 3, 7, 10, 17]);
        assert_eq!(
            [5, 6, 15, 16, 29].map(|t| last_deadline(&set, t)),
            [None, Some(6), Some(15), Some(16), Some(26)]
        );
    }

    #[test]
    fn requests_count_releases_before_the_end() {
        let high = task(10, 3, 6);
        assert_eq!([0, 1, 10, 11].map(|t| rbf(&task(15, 4, 15), [&high], t)), [4, 7, 7, 10]);
    }

    /// Two jobs of a burst and one that was ready 2 late lie in what would hold one of each.
    #[test]
    fn jitter_brings_demand_forward() {
        let late = task(10, 3, 6).ready_late(2).unwrap();
        let burst = task(15, 4, 15).arriving(12, 5).unwrap();
        let set = [late, burst];
        assert_eq!([3, 4, 14, 15, 20, 24].map(|t| dbf(&set, t)), [0, 3, 6, 10, 14, 17]);
        assert_eq!(
            [3, 13, 17, 19, 20, 33].map(|t| last_deadline(&set, t)),
            [None, Some(4), Some(15), Some(15), Some(20), Some(33)]
        );
        assert_eq!([1, 5, 6, 8, 9].map(|t| rbf(&set[1], [&set[0]], t)), [7, 7, 7, 7, 10]);
        assert_eq!([0, 1, 3, 4].map(|t| rbf(&set[0], [&set[1]], t)), [3, 7, 7, 7]);
    }

    #[test]
    fn sections_block_earlier_deadlines() {
        let set = [
            task(10, 3, 6).blocking(2).unwrap(),
            task(15, 4, 15).blocking(3).unwrap(),
        ];
        assert_eq!([0, 5, 6, 14, 15].map(|t| blocking(&set, t)), [3, 3, 3, 3, 0]);
        assert_eq!([5, 6, 14, 15].map(|t| equally_blocked(&set, t)), [0, 6, 6, 15]);
    }

    #[test]
    fn utilisation_of_table_5_2() {
        let ms = 1_000_000;
        let first = [
            task(20 * ms, 3 * ms, 20 * ms),
            task(10 * ms, 1_600_000, 10 * ms),
            task(8 * ms, 2 * ms, 8 * ms),
        ];
        let second = [task(10 * ms, 1_200_000, 10 * ms), task(40 * ms, 10 * ms, 40 * ms)];
        assert_eq!(utilization(&first), Ok(Ratio::new(56, 100).unwrap()));
        assert_eq!(utilization(&second), Ok(Ratio::new(37, 100).unwrap()));
        let (below, above) = utilization_q64(&first);
        assert!(below < above && above - below <= 3);
    }
}
