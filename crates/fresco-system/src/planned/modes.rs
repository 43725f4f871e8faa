// SPDX-License-Identifier: MIT OR Apache-2.0
//! The change to high mode of a plan of two criticality levels, as the engine runs it.

use super::setup::{refresh, schedule, unsound};
use crate::experiment::{Fate, ModeChange};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_scenario::plan::{Plan, PlannedTask};

/// When schedule and refresh of high mode begin if the mode changes at `at_ns`: at the first multiple of the retention time from there on.
///
/// # Errors
/// The plan has no high mode, or no retention time; the change lies beyond all use.
pub(super) fn begin(plan: &Plan, at_ns: u64) -> Result<u64, InputError> {
    if plan.high.is_none() {
        let error = InputError::new(format!("plan {}", plan.name), "found a change of mode, and one mode");
        return Err(error
            .allowed("a plan with tasks of high criticality")
            .help("omit --mode-change, or give tasks criticality = \"high\" and plan them anew"));
    }
    let retention = plan.memory.retention_ns;
    let next = (retention > 0).then(|| at_ns.max(1).checked_next_multiple_of(retention));
    next.flatten()
        .ok_or_else(|| unsound(plan, format!("found a retention time of {retention} ns")))
}

/// The change at `at_ns`; `machine` has the refresh policy of low mode.
///
/// # Errors
/// A high mode that the machine could not run.
pub(super) fn change(plan: &Plan, machine: &mut Machine, at_ns: u64) -> Result<ModeChange, InputError> {
    let begins_ns = begin(plan, at_ns)?;
    let high = plan.high.as_ref().expect("begin has asked for it");
    let policy = machine.memory.controller.refresh;
    let refresh = refresh(plan, &high.refresh, machine)?;
    let divides = high.retention_ns > 0 && plan.memory.retention_ns.is_multiple_of(high.retention_ns);
    if machine.memory.controller.refresh != policy || !divides {
        return Err(unsound(plan, "found a high mode that does not follow from low mode"));
    }
    Ok(ModeChange {
        at_ns,
        begins_ns,
        tasks: plan.tasks.iter().map(fate).collect(),
        schedule: schedule(plan, &high.schedule)?,
        refresh,
        retention_ns: high.retention_ns,
        settled_ns: high.settled_ns,
    })
}

fn fate(task: &PlannedTask) -> Fate {
    match (task.period_ns, task.wcet_high_ns) {
        // It runs where no job is ready, and no proof counts it.
        (0, _) => Fate::Kept { wcet_ns: 0 },
        (_, 0) => Fate::Dropped,
        (_, wcet_ns) => Fate::Kept { wcet_ns },
    }
}
