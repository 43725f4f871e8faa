// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `plan.migration = "global"` does not go with: whatever belongs to a core.

use super::Options;
use fresco_input::{InputError, Table};

/// Refuses it in a partition, which schedules nothing.
pub(super) fn refuse_in_partition(root: &Table<'_>, options: &Options) -> Result<(), InputError> {
    if options.migration.is_none() {
        return Ok(());
    }
    Err(error(root, " in a plan that is a partition")
        .allowed("\"none\": a partition decides nothing about who runs when")
        .help("remove it, or choose plan.method \"auto-refresh\" or \"burst\""))
}

/// Refuses tasks with cores of their own.
pub(super) fn check(root: &Table<'_>, options: &Options, with_core: usize) -> Result<(), InputError> {
    if options.migration.is_none() || with_core == 0 {
        return Ok(());
    }
    Err(error(root, ", and tasks with a core")
        .allowed("no core for tasks whose jobs may run on any")
        .help("remove core from the tasks; plan.cores says on how many they run"))
}

/// Refuses budgets of bandwidth, which are of cores: under which one a WCET holds is not known.
pub(super) fn check_budgets(root: &Table<'_>, options: &Options, has_budgets: bool) -> Result<(), InputError> {
    if options.migration.is_none() || !has_budgets {
        return Ok(());
    }
    Err(error(root, ", and budgets of bandwidth")
        .allowed("no budgets: they are of cores, and a job may run under several")
        .help("remove [bandwidth] and reserve, or plan.migration"))
}

fn error(root: &Table<'_>, beside: &str) -> InputError {
    let found = format!("found \"global\"{beside}");
    match root.opt_table("plan") {
        Ok(Some(plan)) => plan.error_at("migration", found),
        _ => root.error_at("plan.migration", found),
    }
}
