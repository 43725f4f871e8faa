// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that every instance has its memory, and that no color holds more than it can.

use super::report::{CheckReport, Violation, holds};
use crate::plan::Plan;

pub(super) fn check(plan: &Plan, report: &mut CheckReport) -> Result<(), Violation> {
    let mut used = vec![0u128; plan.colors.len()];
    for (number, task) in plan.tasks.iter().enumerate() {
        for (instance, bytes) in task.instances.iter().enumerate() {
            let held: u128 = bytes.iter().copied().map(u128::from).sum();
            // An instance on which no job runs needs no memory; the deadlines' check asks for those that run.
            let place = format!("tasks[{number}] ({}).instances[{instance}]", task.name);
            let enough = held >= u128::from(task.memory_bytes) || held == 0 && task.instances.len() > 1;
            holds! { enough, &place, "holds {held} bytes, the task needs {}", task.memory_bytes }
            used.iter_mut()
                .zip(bytes)
                .for_each(|(used, &bytes)| *used += u128::from(bytes));
        }
    }
    for (number, (color, used)) in plan.colors.iter().zip(&used).enumerate() {
        holds! { *used <= u128::from(color.bytes), format!("colors[{number}]"), "holds {used} bytes of tasks, its capacity is {}", color.bytes }
    }
    if plan.colors.is_empty() {
        let all: u128 = plan.tasks.iter().map(|task| u128::from(task.memory_bytes)).sum();
        let capacity = u128::from(plan.memory.rank_bytes) * u128::from(plan.memory.ranks);
        holds! { all <= capacity, "tasks", "need {all} bytes, the memory has {capacity}" }
    }
    report
        .facts
        .push("every task has its memory, and no color holds more than it can".to_owned());
    Ok(())
}
