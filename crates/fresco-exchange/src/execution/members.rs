// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks that share slots, and what decides which of them runs.

use super::Misfit;
use fresco_input::quoted;
use fresco_rt::policy::{self, Policy};
use fresco_rt::{Task, Time};
use fresco_scenario::Plan;
use fresco_scenario::plan::PlannedTask;

/// What the keys of the scheduler's queues leave room for.
const MOST_RANKS: usize = 1024;

/// How the tasks that share slots take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The earliest deadline first, and of equal ones the least rank.
    Deadline,
    /// The least rank first.
    Rank,
}

impl Order {
    /// What a table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Rank => "rank",
        }
    }
}

/// A task that shares slots. Job k arrives at phase + k periods of CLOCK_MONOTONIC, and is due a deadline later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub task: String,
    /// Name of the slots.
    pub slots: String,
    /// Among those of its core, 0 first.
    pub rank: u32,
    /// It does not run in slots that are shut for it.
    pub color: u32,
    /// In ns, as the others.
    pub period_ns: Time,
    /// From an arrival, no more than the period.
    pub deadline_ns: Time,
    /// Of the first arrival.
    pub phase_ns: Time,
    /// What a job takes at most.
    pub wcet_ns: Time,
}

impl Member {
    /// Its keys in a table.
    pub(super) fn to_toml(&self) -> String {
        let color = match self.color {
            0 => String::new(),
            color => format!(", color = {color}"),
        };
        format!(
            ", slots = {}, rank = {}, period_ns = {}, deadline_ns = {}, phase_ns = {}{color}",
            quoted(&self.slots),
            self.rank,
            self.period_ns,
            self.deadline_ns,
            self.phase_ns
        )
    }

    /// When a job arrives and is due.
    pub fn times(&self, job: u64) -> (Time, Time) {
        let arrived = self.phase_ns.saturating_add(self.period_ns.saturating_mul(job));
        (arrived, arrived.saturating_add(self.deadline_ns))
    }

    /// Of two jobs, the one with the lesser place goes first.
    pub(super) fn place(&self, order: Order, job: u64) -> (Time, u32) {
        match order {
            Order::Deadline => (self.times(job).1, self.rank),
            Order::Rank => (0, self.rank),
        }
    }
}

/// How the tasks of a plan take turns.
pub(super) fn order(plan: &Plan) -> Order {
    match plan.policy {
        Policy::Edf => Order::Deadline,
        Policy::FixedPriority(_) => Order::Rank,
    }
}

/// The tasks of a core with a period, in the order of the plan; `place` tells the name of the slots and the color of each.
///
/// # Errors
/// A task whose jobs the scheduler does not tell apart, or that is in several places.
pub(super) fn of_core(
    plan: &Plan,
    numbers: &[usize],
    place: impl Fn(usize) -> (String, u32),
) -> Result<Vec<Member>, Misfit> {
    let mut timed: Vec<(usize, &PlannedTask, Task)> = Vec::new();
    for &number in numbers {
        let Some(task) = plan.tasks.get(number).filter(|task| task.period_ns > 0) else {
            continue;
        };
        timed.push((number, task, timing(task)?));
    }
    if timed.len() > MOST_RANKS {
        return Err(Misfit::new(
            format!("{} tasks on a core", timed.len()),
            format!("{MOST_RANKS}"),
            "spread the tasks over more cores",
        ));
    }
    let timings: Vec<Task> = timed.iter().map(|(_, _, timing)| timing.clone()).collect();
    // Equal deadlines fall as in the proof.
    let order = match plan.policy {
        Policy::Edf => policy::Order::DeadlineMonotonic,
        Policy::FixedPriority(order) => order,
    };
    let ranks = order.ranks(&timings);
    let member = |((number, task, timing), rank): (&(usize, &PlannedTask, Task), usize)| {
        let (slots, color) = place(*number);
        Member {
            task: task.name.clone(),
            slots,
            rank: u32::try_from(rank).unwrap_or(u32::MAX),
            color,
            period_ns: timing.period,
            deadline_ns: timing.deadline,
            phase_ns: timing.phase,
            wcet_ns: timing.wcet,
        }
    };
    Ok(timed.iter().zip(ranks).map(member).collect())
}

/// The times of a task whose jobs the scheduler tells apart.
fn timing(task: &PlannedTask) -> Result<Task, Misfit> {
    let name = &task.name;
    let Some(timing) = task.timing() else {
        return Err(Misfit::new(
            format!("times of task {name} that make no task"),
            "a phase, a period, an execution time and a deadline that belong together",
            "see what fresco check says of the plan",
        ));
    };
    if task.instances.len() > 1 {
        return Err(Misfit::new(
            format!(
                "task {name}, which has an instance in each of {} colors",
                task.instances.len()
            ),
            "tasks with one instance: a program has its memory in one color",
            "fresco plan --set plan.instances=1 makes no copies, if there is a plan without; or use --schedule none",
        ));
    }
    if task.arrival_jitter_ns > 0 {
        return Err(Misfit::new(
            format!(
                "task {name}, whose jobs arrive up to {} ns late",
                task.arrival_jitter_ns
            ),
            "arrivals at multiples of the period: deadlines count from there",
            "leave out arrival_jitter, or use --schedule none",
        ));
    }
    Ok(timing)
}
