// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[bandwidth]`: budgets of bandwidth for the cores (MG-1 to MG-3).

use super::task::TaskSpec;
use crate::plan::PlannedBandwidth;
use crate::scenario::bandwidth::lines_of;
use crate::scenario::bandwidth::period::{MOST, PERIODS, Period};
use fresco_input::{InputError, Item, Table, format_bandwidth};
use fresco_machine::{Guaranteed, Machine, RefreshPolicy};

/// Reads the budgets of `cores` cores; `None` without `[bandwidth]`.
///
/// # Errors
/// More is reserved than r_min of a controller, or less than a line in a period; a task hands data on.
pub(super) fn read(
    root: &Table<'_>,
    machine: &Machine,
    cores: u32,
    tasks: &[TaskSpec],
) -> Result<Option<PlannedBandwidth>, InputError> {
    let Some(table) = root.opt_table("bandwidth")? else {
        return Ok(None);
    };
    if let Some(task) = tasks.iter().find(|task| task.global > 0) {
        let found = format!(
            "found budgets of bandwidth, and task {:?} that hands data on",
            task.name
        );
        return Err(table
            .error(found)
            .allowed("tasks without global: no plan counts for how long a copy waits for a budget")
            .help("remove global, or [bandwidth]"));
    }
    if let Some(item) = table.opt_item("period") {
        item.whole_ns(PERIODS)?;
    }
    let period = Period::read(&table, machine)?;
    let guaranteed = least(machine, period.count_write_backs);
    let of_core = |core: usize| machine.topology.node_of_core[core];
    let beside = |core: usize| {
        (0..cores as usize)
            .filter(|&other| of_core(other) == of_core(core))
            .count()
    };
    let r_min = guaranteed.bytes_per_s();
    let reserved: Vec<u64> = match table.opt_item("reserve") {
        Some(item) => reserved(&item, cores as usize)?,
        None => (0..cores as usize).map(|core| r_min / beside(core) as u64).collect(),
    };
    for node in 0..machine.memory.organisation.nodes {
        let own = (0..cores as usize).filter(|&core| of_core(core) == node);
        let sum: u128 = own.map(|core| u128::from(reserved[core])).sum();
        if sum > u128::from(r_min) {
            let sum = format_bandwidth(u64::try_from(sum).unwrap_or(u64::MAX));
            let error = table.error_at("reserve", format!("found reservations of {sum} on controller {node}"));
            return Err(error
                .allowed(format!("r_min at most, {}", format_bandwidth(r_min)))
                .help("reserve less"));
        }
    }
    let lines = reserved.into_iter();
    let lines: Vec<u64> = lines
        .map(|bytes| lines_of(bytes, period.length, guaranteed.line_bytes))
        .collect();
    if let Some(core) = lines.iter().position(|lines| *lines == 0) {
        let error = table.error_at("reserve", format!("found less than a line in a period for core {core}"));
        return Err(error
            .allowed("a line or more for each core")
            .help("reserve more for it, or lengthen bandwidth.period"));
    }
    table.finish()?;
    Ok(Some(PlannedBandwidth {
        period_ns: period.length / 1000,
        count_write_backs: period.count_write_backs,
        interrupt_cycles: period.interrupt_cycles,
        line_bytes: guaranteed.line_bytes,
        lines,
    }))
}

/// What a controller serves at worst, whether it refreshes as the machine's file says or as usual: which one it is, is the
/// method's affair.
fn least(machine: &Machine, with_writes: bool) -> Guaranteed {
    let mut usual = machine.clone();
    usual.memory.controller.refresh = RefreshPolicy::AllBankIndependent;
    let both = [machine, &usual].map(|machine| Guaranteed::of(machine, with_writes));
    both.into_iter().min_by_key(Guaranteed::bytes_per_s).unwrap_or(both[0])
}

/// `reserve`: one bandwidth for each core, or a list of one for each.
fn reserved(item: &Item<'_>, cores: usize) -> Result<Vec<u64>, InputError> {
    if !item.is_list() {
        return Ok(vec![item.bandwidth(1..=MOST)?; cores]);
    }
    let list = item.list()?;
    if list.len() != cores {
        let error = item.error(format!("found {} reservations", list.len()));
        return Err(error
            .allowed(format!("one for each of {cores} cores, or one bandwidth for all"))
            .help("list a bandwidth for each core that the plan uses"));
    }
    list.iter().map(|one| one.bandwidth(1..=MOST)).collect()
}
