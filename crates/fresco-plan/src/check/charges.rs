// SPDX-License-Identifier: MIT OR Apache-2.0
//! What switches cost the tasks of a plan, worked out anew: in each job, and at both ends of each span in which a color runs.

use super::report::{Violation, holds};
use super::spans::Spans;
use crate::plan::{Migration, Plan, PlannedTask, Proof, Schedule};
use fresco_rt::policy::Policy;
use fresco_rt::{Task, Time};

/// The timing of each task in low mode, with its virtual deadline if it has one and with what its jobs pay for switches; `None` for batch tasks.
///
/// A job pays three switches: to it, from it, and one that was under way when it came. It pays for the caches of one task that it may preempt, the
/// dearest of all tasks of the plan: under EDF of one whose deadline can be later when both are ready, else of one of lower priority.
pub(super) fn charge(plan: &Plan) -> Result<Vec<Option<Task>>, Violation> {
    let in_low = |task: &PlannedTask| {
        task.timing().map(|timing| Task {
            deadline: task.low_deadline_ns(),
            ..timing
        })
    };
    let raw: Vec<Option<Task>> = plan.tasks.iter().map(in_low).collect();
    let known: Vec<Task> = raw.iter().flatten().cloned().collect();
    let order = match plan.policy {
        Policy::Edf => None,
        Policy::FixedPriority(order) => Some(order.ranking(&known)),
    };
    let mut counted = Vec::with_capacity(raw.len());
    let mut place = 0;
    for (number, task) in raw.into_iter().enumerate() {
        let Some(mut task) = task else {
            counted.push(None);
            continue;
        };
        let preempted: Vec<&Task> = match &order {
            None => {
                let latest = task.deadline.saturating_sub(task.release_jitter);
                let others = known.iter().enumerate().filter(|(other, _)| *other != place);
                others
                    .map(|(_, other)| other)
                    .filter(|other| other.deadline > latest)
                    .collect()
            }
            Some(order) => order
                .iter()
                .rev()
                .take_while(|&&other| other != place)
                .map(|&other| &known[other])
                .collect(),
        };
        // Where jobs migrate, the proof counts reloads apart.
        let reload = match plan.migration {
            Migration::None => preempted.iter().map(|other| other.cache_reload).max().unwrap_or(0),
            Migration::Global => 0,
        };
        let paid = u128::from(task.wcet) + 3 * u128::from(plan.context_switch_ns) + u128::from(reload);
        let left = task.deadline.saturating_sub(task.release_jitter);
        let name = format!("tasks[{number}] ({})", task.name);
        holds! { paid <= u128::from(left), name, "takes {paid} ns with its switches, of {left} ns from when it is ready to its deadline" }
        task.wcet = Time::try_from(paid).unwrap_or(Time::MAX);
        if task.critical_section > 0 {
            task.critical_section = task.critical_section.saturating_add(task.cache_reload);
        }
        counted.push(Some(task));
        place += 1;
    }
    Ok(counted)
}

/// What is left of spans in which tasks of a color run: at the begin a switch and a reload, at the end a switch under way and another.
pub(super) fn left_of(plan: &Plan, spans: Spans) -> Spans {
    let reload = plan.tasks.iter().map(|task| task.cache_reload_ns).max().unwrap_or(0);
    let (switch, mut left) = (plan.context_switch_ns, Vec::new());
    for (start, end) in spans {
        let start = start.saturating_add(switch).saturating_add(reload);
        let end = end.saturating_sub(switch.saturating_mul(2));
        if start < end {
            left.push((start, end));
        }
    }
    left
}

/// Refuses jitter and critical sections where a proof looks at jobs of known instants.
pub(super) fn known_instants(plan: &Plan, proof: &Proof, place: &str) -> Result<(), Violation> {
    for &task in &proof.tasks {
        let task = &plan.tasks[task];
        let plain = (task.arrival_jitter_ns, task.jitter_ns, task.critical_section_ns);
        holds! { plain == (0, 0, 0), place, "counts no jitter or critical section, and {} has one", task.name }
    }
    Ok(())
}

/// Refuses switches and reloads where a proof counts none.
pub(super) fn no_switches(plan: &Plan, proof: &Proof, place: &str) -> Result<(), Violation> {
    holds! { plan.context_switch_ns == 0, place, "counts no switches, which take {} ns", plan.context_switch_ns }
    for &task in &proof.tasks {
        let task = &plan.tasks[task];
        holds! { task.cache_reload_ns == 0, place, "counts no reloads, and {} has one", task.name }
    }
    Ok(())
}

/// The tasks of a run as they are without switches, with those that it counts: under the locks of two colors or more, all dispatches of a job are
/// a part of it; elsewhere there must be none.
///
/// A job is switched to, and may find a switch under way when it comes. Each handler within its deadline may interrupt it, and each job that comes
/// meanwhile and goes before it; after each of these it is switched to and reloads.
pub(super) fn of_run(plan: &Plan, proof: &Proof, place: &str) -> Result<Vec<Task>, Violation> {
    let mut tasks: Vec<Task> = proof
        .tasks
        .iter()
        .filter_map(|&task| plan.tasks[task].timing())
        .collect();
    let locks = match &plan.schedule {
        Schedule::Locked { locks } if locks.phase_ns.len() > 1 => locks,
        _ => {
            no_switches(plan, proof, place)?;
            return Ok(tasks);
        }
    };
    let switch = u128::from(plan.context_switch_ns);
    let times = |window: Time, period: Time| u128::from(window.div_ceil(period.max(1)));
    let ahead: Vec<Vec<usize>> = match plan.policy {
        Policy::Edf => {
            let ahead_of = |own: &Task| {
                (0..tasks.len())
                    .filter(|&other| tasks[other].deadline < own.deadline)
                    .collect()
            };
            tasks.iter().map(ahead_of).collect()
        }
        Policy::FixedPriority(order) => {
            let ranking = order.ranking(&tasks);
            let ahead_of = |own: usize| ranking.iter().copied().take_while(|&other| other != own).collect();
            (0..tasks.len()).map(ahead_of).collect()
        }
    };
    let periods: Vec<Time> = tasks.iter().map(|task| task.period).collect();
    for (task, ahead) in tasks.iter_mut().zip(ahead) {
        let handlers = 2 * locks.phase_ns.len() as u128 * times(task.deadline, locks.period_ns);
        let again = ahead
            .iter()
            .map(|&other| times(task.deadline, periods[other]))
            .sum::<u128>()
            + handlers;
        let paid = u128::from(task.wcet) + 2 * switch + again * (switch + u128::from(task.cache_reload));
        holds! { paid <= u128::from(task.deadline), place, "{} takes {paid} ns with its switches, of {} ns to its deadline", task.name, task.deadline }
        task.wcet = paid as Time;
    }
    Ok(tasks)
}

/// What the proofs assume of jobs beyond their execution times; nothing where the plan says nothing of it.
pub(super) fn assumed(plan: &Plan) -> Option<String> {
    let said = |task: &PlannedTask| {
        let jitter = task.arrival_jitter_ns.max(task.jitter_ns);
        jitter.max(task.critical_section_ns).max(task.cache_reload_ns) > 0
    };
    (plan.context_switch_ns > 0 || plan.tasks.iter().any(said)).then(|| {
        "jobs are assumed to arrive and to be ready no later, to hold critical sections and to reload caches no longer, and switches to take no \
         longer than the plan says"
            .to_owned()
    })
}
