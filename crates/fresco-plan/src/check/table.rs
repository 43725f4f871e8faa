// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the entries of a cyclic table are in range. Later checks do sums with them.

use super::report::{Violation, holds};
use super::words;
use crate::plan::{Plan, RefreshPlan};
use fresco_rt::Time;
use fresco_rt::executive::{Burst, Table};

/// Longest table: a hundred thousand seconds.
const MOST_NS: Time = 100_000_000_000_000;

pub(super) fn check(plan: &Plan, table: &Table, lock: Time) -> Result<(), Violation> {
    let (place, length) = ("schedule.table", table.length);
    holds! { table.cores <= plan.cores as usize, format!("{place}.cores"), "are {}, the plan has {}", table.cores, plan.cores }
    let turn = match &plan.refresh {
        RefreshPlan::Windows { period_ns, .. } => *period_ns,
        RefreshPlan::Controller { .. } => plan.memory.retention_ns,
    };
    let whole = (1..=MOST_NS).contains(&length) && turn > 0 && length.is_multiple_of(turn);
    holds! { whole, format!("{place}.length"), "is {length} ns; refresh repeats after {turn} ns, the table after a multiple of it" }
    let inside = |start: Time, part: Time| part > 0 && start < length && part <= length - start;
    for (number, burst) in table.bursts.iter().enumerate() {
        let place = format!("{place}.bursts[{number}]");
        holds! { burst.color < plan.colors.len(), &place, "is of a color that does not exist" }
        holds! { inside(burst.start, burst.length), &place, "is empty, or leaves the table" }
        holds! { lock <= burst.length, &place, "is shorter than the handler of its lock, {lock} ns" }
    }
    for (number, slot) in table.slots.iter().enumerate() {
        let place = format!("{place}.slots[{number}]");
        let Some(task) = plan.tasks.get(slot.task) else {
            return Err(Violation::new(place, format!("there is no task {}", slot.task)));
        };
        holds! { slot.instance < task.instances.len(), &place, "{} has no instance {}", task.name, slot.instance }
        holds! { inside(slot.start, slot.length), &place, "is empty, or leaves the table" }
        let jobs = length / task.period_ns.max(1);
        holds! { slot.job < jobs, &place, "{} has {jobs} jobs in a turn, none of number {}", task.name, slot.job }
        let own = task.core.is_none_or(|core| core as usize == slot.core);
        holds! { own, &place, "{} runs on core {}, is bound to {}", task.name, slot.core, words::named("core", task.core) }
    }
    Ok(())
}

/// Checks that each slot names the color that is refreshed meanwhile. Its runner relies on that name.
pub(super) fn blocked(table: &Table) -> Result<(), Violation> {
    for (number, slot) in table.slots.iter().enumerate() {
        let over = |burst: &&Burst| burst.start < slot.start + slot.length && slot.start < burst.start + burst.length;
        let blocked = table.bursts.iter().find(over).map(|burst| burst.color);
        let place = format!("schedule.table.slots[{number}]");
        holds! { slot.blocked == blocked, place, "says that {} is blocked meanwhile, {} is", words::named("color", slot.blocked), words::named("color", blocked) }
    }
    Ok(())
}
