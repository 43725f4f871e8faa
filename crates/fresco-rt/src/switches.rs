// SPDX-License-Identifier: MIT OR Apache-2.0
//! What switches between tasks cost, as execution of the tasks and as time lost in each slice.
//!
//! A switch takes a fixed time in which nothing else can be done, and a job that goes on after it was preempted has to load what others displaced from
//! its caches (cache-related preemption delay; Lee et al., Analysis of cache-related preemption delay in fixed-priority preemptive scheduling, 1998).
//! Costs of preemptions by jobs are charged to the jobs that preempt (Burns, Tindell and Wellings, Effective analysis for engineering real-time fixed
//! priority schedulers, 1995), those of the ends of slices to the slices.

use std::fmt;

use crate::policy::Policy;
use crate::task::Task;
use crate::time::Time;

/// Why tasks cannot be charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overcharged {
    /// Name of the task.
    pub task: String,
    /// Its execution with its switches.
    pub charged: Time,
    /// What there is from when it is ready to its deadline.
    pub window: Time,
}

impl fmt::Display for Overcharged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overcharged { task, charged, window } = self;
        write!(
            f,
            "with its switches a job of {task} takes {charged}, of {window} from when it is ready to its deadline"
        )
    }
}

impl std::error::Error for Overcharged {}

/// The tasks with their switches as a part of their execution: `e + 3 s + γ`.
///
/// A job is switched to, and from it back to what it preempted; and at the begin of a busy interval one more switch may be under way. γ is the longest
/// [`Task::cache_reload`] of a task that the job may preempt, whichever core that is on. What a task holds a critical section for may begin with its own reload.
///
/// # Errors
/// A job that takes longer than there is to its deadline.
pub fn charged(tasks: &[Task], policy: Policy, switch: Time) -> Result<Vec<Task>, Overcharged> {
    let ranks = match policy {
        Policy::Edf => Vec::new(),
        Policy::FixedPriority(order) => order.ranks(tasks),
    };
    // A job of `own` that is ready while one of `other` runs has the earlier deadline only if `other` has the longer one.
    let may_preempt = |own: usize, other: usize| match policy {
        Policy::Edf => tasks[other].deadline > tasks[own].window(),
        Policy::FixedPriority(_) => ranks[own] < ranks[other],
    };
    let charge = |own: usize| {
        let task = &tasks[own];
        let others = (0..tasks.len()).filter(|&other| other != own && may_preempt(own, other));
        let reload = others.map(|other| tasks[other].cache_reload).max().unwrap_or(0);
        let critical_section = match task.critical_section {
            0 => 0,
            section => section.saturating_add(task.cache_reload),
        };
        Ok(Task {
            critical_section,
            ..longer(task, switch.saturating_mul(3).saturating_add(reload))?
        })
    };
    (0..tasks.len()).map(charge).collect()
}

/// The tasks with three switches as a part of their execution, `e + 3 s`, and no reload.
///
/// # Errors
/// As [`charged`].
pub(crate) fn charged_without_reloads(tasks: &[Task], switch: Time) -> Result<Vec<Task>, Overcharged> {
    tasks
        .iter()
        .map(|task| longer(task, switch.saturating_mul(3)))
        .collect()
}

/// The task with so much more execution.
fn longer(task: &Task, cost: Time) -> Result<Task, Overcharged> {
    let wcet = task.wcet.saturating_add(cost);
    if wcet > task.window() {
        return Err(Overcharged {
            task: task.name.clone(),
            charged: wcet,
            window: task.window(),
        });
    }
    Ok(Task { wcet, ..task.clone() })
}

/// The tasks with all their dispatches as a part of their execution: `e + 2 s + n (s + γ)`, for jobs of known instants that run when they can.
///
/// A job is switched to once, may find a switch under way when it comes, and is dispatched again after each of `n` suspensions, with its own
/// reload: one for each job that may preempt it, as many as come while it may run, and `interruptions` in an open interval as long as its deadline.
/// As each job pays for itself alone, what it pays is time in which it could run: the run with these execution times, or shorter ones, is that of
/// the switches too.
///
/// # Errors
/// As [`charged`].
pub fn charged_by_dispatch(
    tasks: &[Task],
    policy: Policy,
    switch: Time,
    interruptions: impl Fn(Time) -> Time,
) -> Result<Vec<Task>, Overcharged> {
    let ranks = match policy {
        Policy::Edf => Vec::new(),
        Policy::FixedPriority(order) => order.ranks(tasks),
    };
    // A job that comes later has the earlier deadline only if its task has the shorter one.
    let may_preempt = |other: usize, own: usize| match policy {
        Policy::Edf => tasks[other].deadline < tasks[own].deadline,
        Policy::FixedPriority(_) => ranks[other] < ranks[own],
    };
    let charge = |own: usize| {
        let task = &tasks[own];
        let others = (0..tasks.len()).filter(|&other| other != own && may_preempt(other, own));
        let arrivals = others.map(|other| task.deadline.div_ceil(tasks[other].period));
        let suspensions = arrivals.fold(interruptions(task.deadline), Time::saturating_add);
        let again = switch.saturating_add(task.cache_reload).saturating_mul(suspensions);
        let wcet = task.wcet.saturating_add(switch.saturating_mul(2)).saturating_add(again);
        if wcet > task.window() {
            return Err(Overcharged {
                task: task.name.clone(),
                charged: wcet,
                window: task.window(),
            });
        }
        Ok(Task { wcet, ..task.clone() })
    };
    (0..tasks.len()).map(charge).collect()
}

/// Time lost in each span in which a core serves some tasks and not others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceCost {
    /// At its begin: a switch, and the reload of the job that goes on.
    pub front: Time,
    /// At its end: a switch that may be under way, and that from the tasks to what comes then.
    pub back: Time,
}

impl SliceCost {
    /// That of tasks on one core, whichever of them run in a span.
    pub fn of(tasks: &[Task], switch: Time) -> Self {
        let reload = tasks.iter().map(|task| task.cache_reload).max().unwrap_or(0);
        SliceCost {
            front: switch.saturating_add(reload),
            back: switch.saturating_mul(2),
        }
    }

    /// Both.
    pub fn total(self) -> Time {
        self.front.saturating_add(self.back)
    }

    /// What is left of spans `[start, end)`; those that are too short are left out.
    pub fn shorten(self, spans: impl IntoIterator<Item = (Time, Time)>) -> Vec<(Time, Time)> {
        let rest = |(start, end): (Time, Time)| (start.saturating_add(self.front), end.saturating_sub(self.back));
        spans.into_iter().map(rest).filter(|(start, end)| start < end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Order;

    fn tasks() -> Vec<Task> {
        let task = |name: &str, deadline, reload| {
            let task = Task::new(name, 0, 100, 10, deadline).unwrap();
            task.blocking(4).unwrap().reloading(reload)
        };
        vec![task("a", 50, 1), task("b", 60, 5), task("c", 70, 3)]
    }

    #[test]
    fn preemptions_are_charged_to_who_preempts() {
        let costs = |policy| {
            let charged = charged(&tasks(), policy, 2).unwrap();
            Vec::from_iter(charged.into_iter().map(|task| (task.wcet, task.critical_section)))
        };
        assert_eq!(costs(Policy::Edf), [(21, 5), (19, 9), (16, 7)]);
        assert_eq!(
            costs(Policy::FixedPriority(Order::DeadlineMonotonic)),
            [(21, 5), (19, 9), (16, 7)]
        );
        // A job of c that is ready 30 late is due before one of b that arrived meanwhile.
        let mut late = tasks();
        late[2] = late[2].clone().ready_late(30).unwrap();
        assert_eq!(charged(&late, Policy::Edf, 2).unwrap()[2].wcet, 10 + 6 + 5);
    }

    /// c may be preempted by two of a and two of b in 120, and is interrupted twice.
    #[test]
    fn dispatches_are_charged_to_who_is_dispatched() {
        let mut all = tasks();
        all[2] = Task::new("c", 0, 200, 10, 120).unwrap().reloading(3);
        let costs = |policy| {
            let charged = charged_by_dispatch(&all, policy, 2, |window| window / 60).unwrap();
            Vec::from_iter(charged.into_iter().map(|task| task.wcet))
        };
        assert_eq!(costs(Policy::Edf), [14, 10 + 4 + 2 * 7, 10 + 4 + 6 * 5]);
        assert_eq!(
            costs(Policy::FixedPriority(Order::DeadlineMonotonic)),
            costs(Policy::Edf)
        );
        let error = charged_by_dispatch(&all, Policy::Edf, 20, |_| 0).unwrap_err();
        assert_eq!(
            (error.task.as_str(), error.charged, error.window),
            ("b", 10 + 40 + 25, 60)
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let error = charged(&tasks(), Policy::Edf, 12).unwrap_err();
        assert_eq!((error.task.as_str(), error.charged, error.window), ("a", 51, 50));
    }

    #[test]
    fn slices_lose_their_ends() {
        let cost = SliceCost::of(&tasks(), 2);
        assert_eq!((cost.front, cost.back), (7, 4));
        assert_eq!(cost.shorten([(0, 20), (30, 41), (50, 62)]), [(7, 16), (57, 58)]);
    }
}
