// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the handlers that lock colors are long enough for what is under way, and says on what more they rest.

use super::report::{CheckReport, Violation, holds};
use crate::plan::{Draining, Plan};
use fresco_machine::Machine;

pub(super) fn check(plan: &Plan, machine: &Machine, report: &mut CheckReport) -> Result<(), Violation> {
    let Some((place, handler)) = plan.locking() else {
        return Ok(());
    };
    let draining = Draining::of(machine, plan.cores);
    // The handler begins when a switch that is under way has ended.
    let switch = plan.context_switch_ns;
    let least = draining.requests_ns.saturating_add(switch);
    let sure = handler.checked_sub(switch).and_then(|left| draining.lines_in(left));
    let and_switch = if switch > 0 { " and a switch" } else { "" };
    holds! {
        sure.is_some(), place,
        "is {handler} ns; reads and writes{and_switch} under way when a color is locked take up to {least} ns until its first refresh"
    }
    report.facts.push(format!(
        "what is under way when a color is locked, {least} ns at most, ends before its first refresh"
    ));
    let held = draining.lines.min(dirty(plan, machine));
    let sure = sure.unwrap_or(0);
    if sure < held {
        report.warnings.push(format!(
            "handlers of {handler} ns are sure to write back {sure} dirty lines of a color, each with a row of its own; the caches may hold \
             {held} of them, which take {} ns: refresh is in time if no more are dirty, or rows are shared",
            draining.with_lines_ns(held).saturating_add(switch)
        ));
    }
    Ok(())
}

/// Most lines of one color that tasks can leave dirty: those of their memory in it.
fn dirty(plan: &Plan, machine: &Machine) -> u64 {
    let timing = &machine.memory.timing;
    let line = timing.bytes_of_line(&machine.memory.organisation).max(1);
    let bytes = |color: usize| {
        let instances = plan.tasks.iter().flat_map(|task| &task.instances);
        instances
            .filter_map(|bytes| bytes.get(color))
            .fold(0, |sum: u64, &more| sum.saturating_add(more))
    };
    (0..plan.colors.len())
        .map(|color| bytes(color).div_ceil(line))
        .max()
        .unwrap_or(0)
}
