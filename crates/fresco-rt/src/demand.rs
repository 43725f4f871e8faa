// SPDX-License-Identifier: MIT OR Apache-2.0
//! Demand: how much processor time tasks can ask for, and how busy they keep a processor.

use crate::supply::Ratio;
use crate::task::{Task, hyperperiod};
use crate::time::{Overflow, Time};

/// dbf(t): execution of all jobs of sporadic tasks with release and deadline inside an interval of length `t`
/// (F19; §5.3.7 for D = p).
pub fn dbf(tasks: &[Task], t: Time) -> u128 {
    let jobs = |task: &Task| t.checked_sub(task.deadline).map_or(0, |rest| rest / task.period + 1);
    tasks
        .iter()
        .map(|task| u128::from(jobs(task)) * u128::from(task.wcet))
        .sum()
}

/// rbf(t) of `own` under tasks of higher priority: its execution and that of all their jobs released in `[0, t)` (F20).
pub fn rbf<'a>(own: &Task, higher: impl IntoIterator<Item = &'a Task>, t: Time) -> u128 {
    let interference: u128 = higher
        .into_iter()
        .map(|task| u128::from(t.div_ceil(task.period)) * u128::from(task.wcet))
        .sum();
    u128::from(own.wcet) + interference
}

/// Latest relative deadline `D + k p` at or before `limit`; `None` if there is none.
pub fn last_deadline(tasks: &[Task], limit: Time) -> Option<Time> {
    tasks
        .iter()
        .filter_map(|task| limit.checked_sub(task.deadline).map(|rest| limit - rest % task.period))
        .max()
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
