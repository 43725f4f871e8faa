// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that a plan is sound. Every fact is derived from the plan and its machine alone; nothing of the planner is used.
//!
//! Trusted are the machine's file, the supply bounds of `fresco_rt::supply`, and, for a cyclic table, the checker of
//! `fresco_rt::executive`. All else is derived here: when each task may run, from locks, servers and slots
//! ([`timeline`](self)); the retention of every row, from the commands themselves; the deadlines, from the plan's
//! certificates or by a run of our own.

mod bandwidth;
mod charges;
mod copies;
mod copy_times;
mod deadlines;
mod global;
mod handlers;
mod hiding;
mod high;
mod kinds;
mod layout;
mod machine;
mod memory;
mod others;
mod programs;
mod replay;
mod report;
mod retention;
mod runs;
mod scope;
mod slices;
mod spans;
mod switchover;
mod table;
mod timeline;
mod words;

pub use report::{CheckReport, Objection, Unverified, Violation};
pub(crate) use runs::RunSize;

use crate::plan::Plan;
use fresco_machine::Machine;

/// Checks a plan against its machine, which is the one that the plan names, with the plan's changes.
///
/// # Errors
/// The first fact that does not hold; or that nothing is wrong with what could be looked at, but some of the plan is too long.
///
/// # Examples
///
/// ```
/// use fresco_plan::{TaskSet, check, plan};
///
/// let text = r#"
///     machine = "ss-rtmc"
///     [[task]]
///     name = "control"
///     period = "8 ms"
///     wcet = "2 ms"
///     memory = "64 KiB"
/// "#;
/// let set = TaskSet::parse("one.toml", text, "".as_ref(), &[])?;
/// let mut found = plan(&set)?;
/// assert!(check(&found, &set.machine).is_ok());
///
/// // A task that takes longer than the plan was made for is found.
/// found.tasks[0].wcet_ns = 7_900_000;
/// assert!(check(&found, &set.machine).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(plan: &Plan, machine: &Machine) -> Result<CheckReport, Objection> {
    let mut report = CheckReport::default();
    machine::check(plan, machine, &mut report)?;
    kinds::check(plan)?;
    layout::check(plan, &mut report)?;
    memory::check(plan, &mut report)?;
    let hidden = hiding::check(plan, &mut report);
    report.go_on(hidden)?;
    copies::check(plan, &mut report)?;
    copies::check_budgets(plan)?;
    retention::check(plan, &mut report)?;
    handlers::check(plan, machine, &mut report)?;
    bandwidth::check(plan, machine, &mut report)?;
    copy_times::check(plan, machine, &mut report)?;
    programs::check(plan, &mut report)?;
    others::check(plan, machine, &mut report)?;
    deadlines::check(plan, &mut report)?;
    let changed = high::check(plan, machine, &mut report);
    report.go_on(changed)?;
    match report.unverified.is_empty() {
        true => Ok(report),
        false => Err(Objection::Unverifiable(report)),
    }
}
