// SPDX-License-Identifier: MIT OR Apache-2.0
//! Certificates of global schedulability and their checkers, which share no code with the tests that issue them.

use serde::{Deserialize, Serialize};

use super::Platform;
use crate::certificate::Refuted;
use crate::policy::Policy;
use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;

/// Why global scheduling meets every deadline: for each task a response, which holds if those of the others do.
///
/// No job can be the first to exceed its response: up to that instant the others' hold, and leave it enough (F38).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalCertificate {
    /// Per task (in the order of the set) a bound of its response time.
    pub responses: Vec<Time>,
}

impl GlobalCertificate {
    /// Checks the certificate against tasks, their order, and cores.
    ///
    /// # Errors
    /// The first task whose response does not follow.
    pub fn check(&self, tasks: &[Task], policy: Policy, platform: &Platform<'_, impl Supply>) -> Result<(), Refuted> {
        if self.responses.len() != tasks.len() || platform.cores == 0 {
            return Err(Refuted::Ranking);
        }
        for (number, task) in tasks.iter().enumerate() {
            let response = u128::from(self.responses[number]);
            let least = u128::from(task.release_jitter) + u128::from(task.wcet);
            let apart = begin_of(task, 1);
            if response < least || response > u128::from(task.deadline) || response > apart {
                return Err(Refuted::Response(number));
            }
        }
        let ranks = match policy {
            Policy::Edf => None,
            Policy::FixedPriority(order) => Some(order.ranks(tasks)),
        };
        for number in 0..tasks.len() {
            if !self.served(number, tasks, ranks.as_deref(), platform) {
                return Err(Refuted::Response(number));
            }
        }
        Ok(())
    }

    /// Whether a job of task `own` is done within its response if no other has exceeded its own by then.
    fn served(
        &self,
        own: usize,
        tasks: &[Task],
        ranks: Option<&[usize]>,
        platform: &Platform<'_, impl Supply>,
    ) -> bool {
        let task = &tasks[own];
        let length = self.responses[own] - task.release_jitter;
        let goes_before = |other: usize| ranks.map_or(other != own, |ranks| ranks[other] < ranks[own]);
        let higher: Vec<usize> = (0..tasks.len()).filter(|&other| goes_before(other)).collect();
        let rows = u128::from(platform.backlog);
        let mut need = u128::from(task.wcet);
        if task.release_jitter > 0 {
            need += rows;
        }
        let left = u128::from(platform.supply.sbf(length));
        if higher.len() < platform.cores as usize {
            return need <= left;
        }
        if task.release_jitter > 0 {
            need += u128::from(task.cache_reload);
        }
        let mut extra = rows;
        for &other in &higher {
            extra += u128::from(tasks[other].cache_reload);
            let mut reload = 0;
            for (lower, victim) in tasks.iter().enumerate() {
                let may_be_preempted = match ranks {
                    _ if lower == other => false,
                    // The task itself, and those between it and the other.
                    Some(ranks) => ranks[other] < ranks[lower] && ranks[lower] <= ranks[own],
                    None => victim.deadline > tasks[other].deadline - tasks[other].release_jitter,
                };
                if may_be_preempted {
                    reload = reload.max(victim.cache_reload);
                }
            }
            let ready = begun_before(
                &tasks[other],
                u128::from(length) + u128::from(tasks[other].release_jitter),
            );
            need += ready * u128::from(reload);
        }
        let Some(waits) = left.checked_sub(need) else {
            return false;
        };
        let work = |other: usize| self.work(other, tasks, (own, ranks.is_some()), length);
        let work: Vec<(u128, u128)> = higher.iter().map(|&other| work(other)).collect();
        let cores = u128::from(platform.cores);
        // Can all cores be busy with others for so long?
        let busy = |time: u128| {
            let mut sum = extra;
            let mut carried = Vec::with_capacity(work.len());
            for &(without, with) in &work {
                sum += time.min(without);
                carried.push(time.min(with).saturating_sub(time.min(without)));
            }
            carried.sort_unstable();
            sum + carried.iter().rev().take(platform.cores as usize - 1).sum::<u128>()
        };
        busy(waits) <= cores * waits && busy(waits + 1) < cores * (waits + 1)
    }

    /// Work of task `other` in the window of `own`, without and with a job that was under way at its begin.
    fn work(&self, other: usize, tasks: &[Task], (own, ranked): (usize, bool), length: Time) -> (u128, u128) {
        let (task, own) = (&tasks[other], &tasks[own]);
        let (wcet, length) = (u128::from(task.wcet), u128::from(length));
        let response = u128::from(self.responses[other]);
        // Jobs after one that is at work from the window's begin on, and arrived `ahead` of that.
        let after = |ahead: u128| {
            let end = length + ahead;
            let jobs = begun_before(task, end);
            match jobs {
                0 | 1 => 0,
                _ => (jobs - 2) * wcet + wcet.min(end - begin_of(task, jobs - 1)),
            }
        };
        let carried = wcet.min(length) + after(response - wcet);
        if ranked {
            let fresh = wcet.min(length) + after(u128::from(task.release_jitter));
            return (fresh, fresh.max(carried));
        }
        let window = u128::from(own.deadline - own.release_jitter);
        let due = match (window + response).checked_sub(u128::from(task.deadline)) {
            None | Some(0) => 0,
            Some(end) => {
                let jobs = begun_before(task, end);
                (jobs - 1) * wcet + wcet.min(end - begin_of(task, jobs - 1))
            }
        };
        let least = due.min(carried);
        (least, least)
    }
}

/// Arrivals less than `length` after the first, that one included.
fn begun_before(task: &Task, length: u128) -> u128 {
    let by_period = (length + u128::from(task.arrival_jitter)).div_ceil(u128::from(task.period));
    match task.min_distance {
        _ if length == 0 => 0,
        0 => by_period,
        distance => by_period.min(length.div_ceil(u128::from(distance))),
    }
}

/// The earliest that the arrival `after` others can be, from the first.
fn begin_of(task: &Task, after: u128) -> u128 {
    let at_rate = (after * u128::from(task.period)).saturating_sub(u128::from(task.arrival_jitter));
    at_rate.max(after * u128::from(task.min_distance))
}

/// Checks that densities leave room: `Σ δ ≤ m - (m - 1) max δ`.
///
/// # Errors
/// They do not, or a task is of a kind that they say nothing of.
pub fn check_density(tasks: &[Task], platform: &Platform<'_, impl Supply>) -> Result<(), Refuted> {
    let mut in_time_left = platform.backlog == 0;
    let mut in_time = true;
    // Densities in parts of 2⁶⁰: sums and greatest.
    let one = 1_u128 << 60;
    let (mut sums, mut greatest) = ([0_u128; 2], [0_u128; 2]);
    for (number, task) in tasks.iter().enumerate() {
        if task.cache_reload > 0 || u128::from(task.deadline) > begin_of(task, 1) {
            return Err(Refuted::Response(number));
        }
        let window = u128::from(task.deadline - task.release_jitter);
        let left = u128::from(platform.supply.sbf(task.deadline - task.release_jitter));
        let wcet = u128::from(task.wcet);
        let stopped = wcet + (window - left) + u128::from(platform.backlog);
        for (way, (need, time)) in [(wcet, left), (stopped, window)].into_iter().enumerate() {
            if need > time {
                if way == 0 {
                    in_time_left = false;
                } else {
                    in_time = false;
                }
                continue;
            }
            let density = (need * one).div_ceil(time);
            sums[way] += density;
            greatest[way] = greatest[way].max(density);
        }
    }
    let cores = u128::from(platform.cores.max(1));
    let fits = |way: usize| sums[way] + (cores - 1) * greatest[way] <= cores * one;
    match in_time_left && fits(0) || in_time && fits(1) {
        true => Ok(()),
        false => Err(Refuted::Density),
    }
}
