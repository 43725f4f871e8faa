// SPDX-License-Identifier: MIT OR Apache-2.0
//! Response times under global EDF and global fixed priorities (Bertogna and Cirinei, Response-time analysis for globally scheduled symmetric
//! multiprocessor platforms, RTSS 2007; with limited carry-in: Guan et al., New response time bounds for fixed priority multiprocessor
//! scheduling, RTSS 2009), on cores that refresh stops together.
//!
//! A job that is not done a length `L` after it was ready has waited for more than `A = sbf(L) - e`, in which all cores did the work of others. No other
//! task can have done more than its work in `L`, nor, on one core, more than `A`: if `Σ min(W, A)` is below `m A`, the job is done. F38 of
//! docs/theory.md has the proof.

use super::certificate::GlobalCertificate;
use super::{Platform, longest_response};
use crate::policy::Policy;
use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;

/// Steps towards one fixed point; a response that is not found within them has no bound.
const MOST_STEPS: u32 = 1 << 14;

/// Rounds in which responses under EDF, which depend on each other, are made shorter.
const MOST_ROUNDS: u32 = 32;

/// A bound of the response of each task, from an arrival to the end of its job with the switch from it.
///
/// # Errors
/// The index of a task for which no bound within its [`longest_response`] is found.
pub fn response_bounds(
    tasks: &[Task],
    policy: Policy,
    platform: &Platform<'_, impl Supply>,
) -> Result<GlobalCertificate, usize> {
    let mut responses: Vec<Time> = tasks.iter().map(longest_response).collect();
    let responses = match policy {
        Policy::FixedPriority(order) => {
            let ranking = order.ranking(tasks);
            for (rank, &own) in ranking.iter().enumerate() {
                let window = Window {
                    tasks,
                    own,
                    others: &ranking[..rank],
                    lowest: Lowest::Ranked(&ranking[..=rank]),
                    platform,
                };
                responses[own] = window.response(&responses).ok_or(own)?;
            }
            responses
        }
        Policy::Edf => {
            let others = |own: usize| Vec::from_iter((0..tasks.len()).filter(|&other| other != own));
            let mut late = None;
            for _ in 0..MOST_ROUNDS {
                let before = responses.clone();
                late = None;
                for own in 0..tasks.len() {
                    let window = Window {
                        tasks,
                        own,
                        others: &others(own),
                        lowest: Lowest::ByDeadline,
                        platform,
                    };
                    // Without a bound so far it counts as just in time, and may get one when others have shorter ones.
                    match window.response(&responses) {
                        Some(response) => responses[own] = response.min(responses[own]),
                        None => late = late.or(Some(own)),
                    }
                }
                if responses == before {
                    break;
                }
            }
            match late {
                Some(task) => return Err(task),
                None => responses,
            }
        }
    };
    Ok(GlobalCertificate { responses })
}

/// Who may be preempted by an interfering job.
enum Lowest<'a> {
    /// Those after it in this ranking, whose last is the task itself.
    Ranked(&'a [usize]),
    /// Those with a longer deadline than it has when it is ready.
    ByDeadline,
}

/// The interval from when a job is ready to its end, and who interferes in it.
struct Window<'a, S> {
    tasks: &'a [Task],
    own: usize,
    /// Under fixed priorities those of higher priority, highest first; under EDF all others.
    others: &'a [usize],
    lowest: Lowest<'a>,
    platform: &'a Platform<'a, S>,
}

impl<S: Supply> Window<'_, S> {
    /// The least response that can be shown, if the others' are no longer than `responses`.
    fn response(&self, responses: &[Time]) -> Option<Time> {
        let task = &self.tasks[self.own];
        let limit = longest_response(task).checked_sub(task.release_jitter)?;
        let Platform { cores, supply, backlog } = *self.platform;
        // A job that was ready before the window may have begun, and have to load lines and open rows again.
        let begun = task.release_jitter > 0;
        let own_rows = if begun { backlog } else { 0 };
        let execution = u128::from(task.wcet) + u128::from(own_rows);
        if self.others.len() < cores as usize {
            // It always has a core.
            let length = supply.tbf(execution)?;
            return (length <= limit).then_some(length + task.release_jitter);
        }
        let own_reload = if begun { task.cache_reload } else { 0 };
        let execution = execution + u128::from(own_reload);
        let pending = self.others.iter().map(|&other| self.tasks[other].cache_reload);
        let fixed = pending.map(u128::from).sum::<u128>() + u128::from(backlog);
        let reloads: Vec<Time> = self.others.iter().map(|&other| self.reload(other)).collect();
        let mut length = supply.tbf(execution)?;
        for _ in 0..MOST_STEPS {
            if length > limit {
                return None;
            }
            let preempted = self.others.iter().zip(&reloads).map(|(&other, &reload)| {
                let ready = ready_in(&self.tasks[other], length);
                u128::from(ready) * u128::from(reload)
            });
            let busy = execution + preempted.sum::<u128>();
            let work = self.work(responses, length);
            let waits = waiting(&work, fixed, u128::from(cores), u128::from(limit))?;
            let next = supply.tbf(busy + waits)?;
            if next <= length {
                return Some(length + task.release_jitter);
            }
            length = next;
        }
        None
    }

    /// The longest reload that a job of `other` may cause among the jobs that matter here.
    fn reload(&self, other: usize) -> Time {
        let of = |task: usize| self.tasks[task].cache_reload;
        match &self.lowest {
            Lowest::Ranked(ranking) => {
                let below = ranking.iter().skip_while(|&&task| task != other).skip(1);
                below.map(|&task| of(task)).max().unwrap_or(0)
            }
            Lowest::ByDeadline => {
                let window = self.tasks[other].window();
                let later = (0..self.tasks.len()).filter(|&task| task != other && self.tasks[task].deadline > window);
                later.map(of).max().unwrap_or(0)
            }
        }
    }

    /// Work of each of the others in the window, at most. Under fixed priorities all but `m - 1` of them had no job under way when the time began in
    /// which all cores were busy with them: `(without, with)` a job under way, the difference counted for the `m - 1` greatest.
    fn work(&self, responses: &[Time], length: Time) -> Vec<(u128, u128)> {
        let window = self.tasks[self.own].window();
        let of = |&other: &usize| {
            let task = &self.tasks[other];
            let carried = carried_in(task, responses[other], length);
            match self.lowest {
                Lowest::Ranked(_) => {
                    let fresh = fresh(task, length);
                    (fresh, carried.max(fresh))
                }
                Lowest::ByDeadline => {
                    let due = due_within(task, responses[other], window).min(carried);
                    (due, due)
                }
            }
        };
        self.others.iter().map(of).collect()
    }
}

/// The least `A` with `F(A) ≤ 0` and `F(A + 1) < 0`, where `F(A) = fixed + Σ min(W, A) - m A`, the sum with carry-in for the `m - 1` tasks for which it
/// counts most; `None` if it exceeds `most`. For any choice of these tasks F is concave and not below 0 at 0: beyond `A` it stays below 0, also between
/// integers.
fn waiting(work: &[(u128, u128)], fixed: u128, cores: u128, most: u128) -> Option<u128> {
    let excess = |a: u128| {
        let mut more: Vec<u128> = work
            .iter()
            .map(|(less, more)| (*more).min(a) - (*less).min(a))
            .collect();
        more.sort_unstable_by(|a, b| b.cmp(a));
        let carried: u128 = more.iter().take(cores as usize - 1).sum();
        let all = fixed + carried + work.iter().map(|(less, _)| (*less).min(a)).sum::<u128>();
        all.cmp(&(cores * a))
    };
    let enough = |a: u128| excess(a).is_le() && excess(a + 1).is_lt();
    if !enough(most) {
        return None;
    }
    let (mut below, mut above) = (0, most);
    while below < above {
        let middle = below + (above - below) / 2;
        match enough(middle) {
            true => above = middle,
            false => below = middle + 1,
        }
    }
    Some(above)
}

/// Jobs that become ready in a half-open interval of this length.
fn ready_in(task: &Task, length: Time) -> u64 {
    match length.saturating_add(task.release_jitter) {
        0 => 0,
        reach => task.arrivals_in(reach - 1),
    }
}

/// Work of jobs `reach` after the first of which a task can do no more: the `q`-th begins [`Task::spread`]`(q)` after it. Jobs are further apart than
/// they are long, so that only the last is not counted whole.
fn work_within(task: &Task, reach: u128) -> u128 {
    let Some(last) = Time::try_from(reach).ok().and_then(|reach| reach.checked_sub(1)) else {
        return if reach == 0 { 0 } else { u128::MAX >> 1 };
    };
    let whole = task.arrivals_in(last) - 1;
    let wcet = u128::from(task.wcet);
    u128::from(whole) * wcet + wcet.min(reach - task.spread(whole))
}

/// Work in a window of a task with a job under way at its begin, which ends as late as it can; the next are as early as they can be.
fn carried_in(task: &Task, response: Time, length: Time) -> u128 {
    let wcet = u128::from(task.wcet);
    // The first job began its execution with the window, `response - wcet` after its arrival.
    let reach = u128::from(length) + u128::from(response.saturating_sub(task.wcet));
    let later = work_within(task, reach).saturating_sub(wcet.min(reach));
    wcet.min(u128::from(length)) + later
}

/// Work in a window of a task whose first job is ready with the window, as late as it can be; the next are as early as they can be.
fn fresh(task: &Task, length: Time) -> u128 {
    let wcet = u128::from(task.wcet);
    let reach = u128::from(length) + u128::from(task.release_jitter);
    let later = work_within(task, reach).saturating_sub(wcet.min(reach));
    wcet.min(u128::from(length)) + later
}

/// Work of jobs that are due by the deadline of a job, in its `window` up to that: each ends by its response.
fn due_within(task: &Task, response: Time, window: Time) -> u128 {
    let reach = u128::from(window) + u128::from(response);
    work_within(task, reach.saturating_sub(u128::from(task.deadline)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supply::Dedicated;

    fn task(period: Time, wcet: Time, deadline: Time) -> Task {
        Task::new("t", 0, period, wcet, deadline).unwrap()
    }

    /// Two jobs and a part of a third, by hand: period 10, execution 3, response 7.
    #[test]
    fn work_in_a_window() {
        let task = task(10, 3, 10);
        // The carried-in job runs in [0, 3); the next arrive at 3 + 3 = 6, 16.
        assert_eq!(
            [2, 3, 6, 8, 9, 16, 17].map(|l| carried_in(&task, 7, l)),
            [2, 3, 3, 5, 6, 6, 7]
        );
        assert_eq!([2, 3, 10, 12, 13, 20].map(|l| fresh(&task, l)), [2, 3, 3, 5, 6, 6]);
        // Due at the end of a window of 12, and 10 before: that one ended by 12 - 10 - 3 = -1.
        assert_eq!(
            [2, 3, 4, 6, 12, 13, 14].map(|w| due_within(&task, 7, w)),
            [0, 0, 1, 3, 3, 3, 4]
        );
        let late = task.ready_late(4).unwrap();
        assert_eq!([3, 6, 7, 9].map(|l| fresh(&late, l)), [3, 3, 4, 6]);
    }

    /// Work of 4, 4 and 4 on two cores: they keep both busy for 6.
    #[test]
    fn waiting_is_work_over_cores() {
        assert_eq!(waiting(&[(4, 4); 3], 0, 2, 100), Some(6));
        // On three cores no more than 4, in which one core has to be busy with each.
        assert_eq!(waiting(&[(4, 4); 3], 0, 3, 100), Some(4));
        // One task cannot keep two cores busy.
        assert_eq!(waiting(&[(9, 9)], 0, 2, 100), Some(0));
        assert_eq!(waiting(&[(4, 4); 3], 0, 2, 5), None);
        // Of two carry-ins, one counts on two cores.
        assert_eq!(waiting(&[(2, 6), (2, 4), (2, 2)], 0, 2, 100), Some(4));
    }

    #[test]
    fn a_task_of_its_own_core_never_waits() {
        let platform = Platform {
            cores: 2,
            supply: &Dedicated,
            backlog: 0,
        };
        let set = [task(10, 9, 10), task(10, 10, 10)];
        assert_eq!(
            response_bounds(&set, Policy::Edf, &platform).unwrap().responses,
            [9, 10]
        );
    }
}
