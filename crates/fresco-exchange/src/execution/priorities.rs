// SPDX-License-Identifier: MIT OR Apache-2.0
//! Priorities of SCHED_FIFO.

use super::Misfit;
use fresco_rt::policy::Policy;
use fresco_scenario::Plan;
use std::collections::BTreeMap;

/// Above it are the kernel's own threads of interrupts, which have 50 unless they are told otherwise (MAX_RT_PRIO / 2 in
/// `sched_set_fifo`, kernel/sched/syscalls.c), without which no device works.
pub const MOST_PRIORITIES: u32 = 49;

/// Priorities of a plan by fixed priorities, on each core from 1 on; no two of a core have the same, as none has in the proof.
pub(super) fn of(plan: &Plan) -> Result<Vec<Option<u32>>, Misfit> {
    let mut priorities = vec![None; plan.tasks.len()];
    let Policy::FixedPriority(order) = plan.policy else {
        return Ok(priorities);
    };
    let mut by_core: BTreeMap<u32, Vec<(usize, fresco_rt::Task)>> = BTreeMap::new();
    for (number, task) in plan.tasks.iter().enumerate() {
        let Some(timing) = task.timing() else { continue };
        // All are bound to one.
        let core = task.core.unwrap_or_default();
        by_core.entry(core).or_default().push((number, timing));
    }
    if by_core.is_empty() {
        return Err(Misfit::new(
            "no task with a period",
            "one or more tasks with period and wcet",
            "give the tasks periods, or use --schedule none",
        ));
    }
    for (core, tasks) in by_core {
        if tasks.len() > MOST_PRIORITIES as usize {
            return Err(Misfit::new(
                format!("{} tasks on core {core}", tasks.len()),
                format!("{MOST_PRIORITIES}: a priority each, below those of the kernel's threads"),
                "spread the tasks over more cores, or use --schedule none",
            ));
        }
        let timings: Vec<fresco_rt::Task> = tasks.iter().map(|(_, timing)| timing.clone()).collect();
        for ((number, _), rank) in tasks.iter().zip(order.ranks(&timings)) {
            priorities[*number] = u32::try_from(tasks.len() - rank).ok();
        }
    }
    Ok(priorities)
}
