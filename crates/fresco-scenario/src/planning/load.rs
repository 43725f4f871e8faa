// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads that no method can carry: refused before any is tried.

use super::TaskSpec;
use fresco_input::{InputError, Table};
use fresco_machine::Machine;
use fresco_rt::Task;

/// Parts of a core in which utilisations are added, rounded down: 2^-64.
const ONE: u128 = 1 << 64;

/// Checks utilisation against the cores, and memory against the machine.
pub(super) fn check(root: &Table<'_>, tasks: &[TaskSpec], machine: &Machine, cores: u32) -> Result<(), InputError> {
    let timing: Vec<Task> = tasks.iter().filter_map(|task| task.timing.clone()).collect();
    let share = |task: &Task| (u128::from(task.wcet) << 64) / u128::from(task.period);
    let needed: u128 = timing.iter().map(share).sum();
    // Each share is rounded down, so that this much is certain.
    if needed > u128::from(cores) * ONE {
        let found = format!("found a utilisation of {:.4}", needed as f64 / ONE as f64);
        return Err(root
            .error_at("task", found)
            .allowed(format!("at most {cores}, the number of cores"))
            .help("shorten execution times, lengthen periods, or set plan.cores")
            .infeasible());
    }
    let bytes: u128 = tasks.iter().map(|task| u128::from(task.memory)).sum();
    let capacity = machine.memory.organisation.total_bytes();
    if bytes > u128::from(capacity) {
        let found = format!("found tasks with {bytes} bytes of memory together");
        return Err(root
            .error_at("task", found)
            .allowed(format!(
                "at most {}, the memory of {}",
                fresco_input::format_size(capacity),
                machine.name
            ))
            .help("give the tasks less memory, or take a larger machine")
            .infeasible());
    }
    Ok(())
}
