// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fixed priorities on any supply: response times with the supply inside the iteration (F20, E22).
//!
//! Exact for sporadic tasks with D ≤ p on the class of resources that the supply bound describes.

use crate::certificate::ResponseCertificate;
use crate::demand::rbf;
use crate::policy::Order;
use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;

/// Bound of the response of each task, from an arrival to the end of its job, in the order of the set; `None` where it exceeds the deadline.
///
/// The `q`-th job of a busy period ends by the least fixed point of `w = tbf(b + (q − 1) e + rbf(w))`, where `b` is the longest critical section of a
/// task of lower priority, and arrived no earlier than [`Task::spread`]`(q − 1)` after the first one, which was ready J late (Tindell, Burns and
/// Wellings, An extendible approach for analyzing fixed priority hard real-time tasks, 1994). Without arrival jitter the first job is the only one.
pub fn response_bounds(tasks: &[Task], order: Order, supply: &impl Supply) -> Vec<Option<Time>> {
    let ranking = order.ranking(tasks);
    let mut bounds = vec![None; tasks.len()];
    for (rank, &i) in ranking.iter().enumerate() {
        bounds[i] = response_bound(&ranking, rank, tasks, supply);
    }
    bounds
}

/// Jobs of a busy period that are looked at; one that is longer is not bounded.
const MOST_JOBS: u64 = 1 << 20;

fn response_bound(ranking: &[usize], rank: usize, tasks: &[Task], supply: &impl Supply) -> Option<Time> {
    let (own, higher, lower) = (&tasks[ranking[rank]], &ranking[..rank], &ranking[rank + 1..]);
    let section = |&k: &usize| tasks[k].critical_section;
    let blocked = lower.iter().map(section).max().unwrap_or(0);
    let (mut end, mut worst) = (1, 0);
    for job in 0..MOST_JOBS {
        let before = u128::from(job) * u128::from(own.wcet) + u128::from(blocked);
        // The earliest that the job can have arrived, counted from J before the busy period.
        let arrived = Time::try_from(own.spread(job)).ok()?;
        let latest = own.window().checked_add(arrived)?;
        end = busy_until(end, latest, supply, |end| {
            before + rbf(own, higher.iter().map(|&k| &tasks[k]), end)
        })?;
        // Not before its arrival: then the busy period would have ended before it.
        worst = worst.max(end + own.release_jitter - arrived);
        if u128::from(end) + u128::from(own.release_jitter) <= own.spread(job + 1) {
            return Some(worst);
        }
    }
    None
}

/// Least fixed point of `end = tbf(demand(end))` from `begin` on, where it is no later than `latest`.
fn busy_until(begin: Time, latest: Time, supply: &impl Supply, demand: impl Fn(Time) -> u128) -> Option<Time> {
    let mut end = begin;
    loop {
        let next = supply.tbf(demand(end))?;
        if next > latest {
            return None;
        }
        if next <= end {
            return Some(end);
        }
        end = next;
    }
}

/// Whether every task is served within its deadline, with the bounds that show it.
pub fn fixed_priority_test(tasks: &[Task], order: Order, supply: &impl Supply) -> Option<ResponseCertificate> {
    let ranking = order.ranking(tasks);
    let mut responses = vec![0; tasks.len()];
    // Of tasks that are not served, most wait for all others.
    for (rank, &i) in ranking.iter().enumerate().rev() {
        responses[i] = response_bound(&ranking, rank, tasks, supply)?;
    }
    Some(ResponseCertificate { ranking, responses })
}
