// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables in which each job has time for its switches: one in each slice, and in all but the first its reload.
//!
//! How many slices a job has is known once there is a table. So tables are made with more and more slices in mind until there are no more of them.

use super::draft::{Draft, PlanContext};
use crate::plan::Schedule;
use crate::refusal::Refusal;
use fresco_rt::executive::Table;
use fresco_rt::switches::SliceCost;
use fresco_rt::{Task, Time};
use std::collections::BTreeMap;

/// Tables that are made at most.
const ROUNDS: usize = 12;

/// A table with time for switches, by whatever makes one of tasks.
///
/// # Errors
/// Why there is no table. It is a verdict only if there is none with one slice for each job.
pub(super) fn with_switches(
    context: &PlanContext<'_>,
    make: impl Fn(&PlanContext<'_>) -> Result<Draft, Refusal>,
) -> Result<Draft, Refusal> {
    let alone = context.uncharged();
    if alone.slice == SliceCost::default() {
        return make(&alone);
    }
    let switch = alone.set.options.context_switch_ns;
    let mut slices: Vec<Time> = vec![1; alone.tasks.len()];
    for round in 0..ROUNDS {
        let refused = |refusal: Refusal| match round {
            0 => refusal,
            _ if refusal.is_open() => refusal,
            _ => Refusal::gave_up(format!(
                "not decided: with time for the switches of tables made before, {refusal}"
            )),
        };
        let charge = |(task, &slices): (&Task, &Time)| {
            let switches = slices.saturating_mul(switch);
            let reloads = (slices - 1).saturating_mul(task.cache_reload);
            let wcet = task.wcet.saturating_add(switches).saturating_add(reloads);
            let too_long = || {
                let (name, deadline) = (&task.name, task.deadline);
                Refusal::load(format!(
                    "with its switches a job of {name} takes {wcet} ns, of {deadline} ns to its deadline"
                ))
            };
            match wcet <= task.deadline {
                true => Ok(Task { wcet, ..task.clone() }),
                false => Err(too_long()),
            }
        };
        let tasks = alone.tasks.iter().zip(&slices).map(charge).collect::<Result<_, _>>();
        let charged = PlanContext {
            tasks: tasks.map_err(refused)?,
            ..alone.clone()
        };
        let draft = make(&charged).map_err(refused)?;
        let Schedule::Table { table, .. } = &draft.schedule else {
            return Ok(draft);
        };
        let short = short(table, &alone.tasks, switch);
        if short.is_empty() {
            return Ok(draft);
        }
        for task in short {
            slices[task] = (slices[task] + 1).max(table.most_slices(task) as Time);
        }
    }
    Err(Refusal::gave_up(format!(
        "not decided after {ROUNDS} tables: each had jobs in more slices than it had time for their switches"
    )))
}

/// When a job is dispatched, from its release on, and for how long.
type Dispatches = Vec<(Time, Time)>;

/// The tasks with a job that has less than its execution in slices without their switches.
fn short(table: &Table, tasks: &[Task], switch: Time) -> Vec<usize> {
    // Of each job, its instance and its dispatches.
    let mut jobs: BTreeMap<(usize, u64), (usize, Dispatches)> = BTreeMap::new();
    let mut end = None;
    for slot in &table.slots {
        let task = &tasks[slot.task];
        let release = (task.phase + slot.job * task.period) % table.length;
        let since = (slot.start + table.length - release) % table.length;
        let at = (slot.core, slot.task, slot.job, slot.start);
        let (_, dispatches) = jobs.entry((slot.task, slot.job)).or_insert((slot.instance, Vec::new()));
        match dispatches.last_mut() {
            Some(last) if end == Some(at) && last.0 + last.1 == since => last.1 += slot.length,
            _ => dispatches.push((since, slot.length)),
        }
        end = Some((slot.core, slot.task, slot.job, slot.start + slot.length));
    }
    let instance_of: BTreeMap<(usize, u64), usize> =
        jobs.iter().map(|(&job, &(instance, _))| (job, instance)).collect();
    let mut short = Vec::new();
    for (&(number, job), (instance, dispatches)) in &mut jobs {
        dispatches.sort_unstable();
        let task = &tasks[number];
        let reloads = (0..dispatches.len()).map(|place| if place == 0 { 0 } else { task.cache_reload });
        let work = dispatches.iter().zip(reloads);
        let work: Time = work
            .map(|((_, length), reload)| length.saturating_sub(switch + reload))
            .sum();
        let count = table.length / task.period;
        let before = instance_of.get(&(number, (job + count - 1) % count));
        let copy = table.copy_cost[number].filter(|_| before.is_some_and(|before| before != instance));
        if work < task.wcet + copy.unwrap_or(0) && short.last() != Some(&number) {
            short.push(number);
        }
    }
    short
}
