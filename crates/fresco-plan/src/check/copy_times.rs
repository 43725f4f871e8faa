// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that copies between instances (CR-10) take as long as the memory lets them.

use super::report::{CheckReport, Violation, holds};
use crate::plan::Plan;
use fresco_machine::Machine;

/// A copy fetches each line where it was and where it goes: twice its bytes pass the data buses, or more.
pub(super) fn check(plan: &Plan, machine: &Machine, report: &mut CheckReport) -> Result<(), Violation> {
    let (timing, org) = (&machine.memory.timing, &machine.memory.organisation);
    let line = timing.bytes_of_line(org);
    let buses = u64::from(org.nodes) * u64::from(org.channels);
    // Each of the two lines in a row that has to be opened first.
    let closed = timing.rp + timing.rcd + timing.read_data(org);
    for (number, task) in plan.tasks.iter().enumerate() {
        let place = format!("tasks[{number}] ({})", task.name);
        let (bytes, memory) = (task.global_bytes, task.memory_bytes);
        holds! { bytes <= memory, format!("{place}.global_bytes"), "is {bytes}, the task has {memory} bytes of memory" }
        let Some(copy) = task.copy_ns.filter(|_| task.instances.len() > 1 && bytes > 0) else {
            continue;
        };
        let lines = 2 * bytes.div_ceil(line);
        let least = timing
            .clock
            .to_ps(lines.div_ceil(buses) * timing.line_on_bus(org))
            .div_ceil(1000);
        let place = format!("{place}.copy_ns");
        holds! { copy >= least, &place, "is {copy}; the data buses need {least} ns for {bytes} bytes" }
        let usual = timing.clock.to_ps(lines * closed).div_ceil(1000);
        if copy < usual {
            report.warnings.push(format!(
                "{}: it is taken for granted that {bytes} bytes are copied within {copy} ns; with a row to open for each line it takes \
                 {usual} ns",
                task.name
            ));
        }
    }
    Ok(())
}
