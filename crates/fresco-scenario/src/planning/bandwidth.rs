// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[bandwidth]`: budgets of bandwidth for the cores (MG-1 to MG-3).

use crate::plan::PlannedBandwidth;
use crate::scenario::Task;
use crate::scenario::bandwidth::lines_of;
use crate::scenario::bandwidth::period::{MOST, PERIODS, Period};
use fresco_input::{Document, InputError, Item, Table, format_bandwidth};
use fresco_machine::{Guaranteed, Machine, RefreshPolicy};
use std::collections::BTreeMap;

/// What tasks reserve for the cores that they name, in bytes per second.
#[derive(Default)]
pub(super) struct Asked {
    by_core: BTreeMap<u32, (u64, String)>,
}

impl Asked {
    /// Takes in what a task says.
    ///
    /// # Errors
    /// It names no core, or another task reserves something else for it.
    pub fn add(&mut self, task: &Task, table: &Table<'_>) -> Result<(), InputError> {
        let Some(bytes) = task.bandwidth.for_certain(table)? else {
            return Ok(());
        };
        let error = |found: String| table.error_at("reserve", found);
        if task.cores.is_empty() {
            return Err(error("found a budget of a task whose core the plan chooses".to_owned())
                .allowed("reserve of tasks that name their core: a budget is the core's")
                .help("name its core, or write bandwidth.reserve for all cores"));
        }
        for core in &task.cores {
            let known = self.by_core.get(core).filter(|(other, _)| *other != bytes);
            if let Some((_, other)) = known {
                return Err(
                    error(format!("found another reserve than that of {other}, on core {core}"))
                        .allowed("one budget for each core, whatever task runs on it")
                        .help("write it at one of the core's tasks, or at all of them the same"),
                );
            }
            self.by_core.insert(*core, (bytes, task.name.clone()));
        }
        Ok(())
    }
}

/// Reads the budgets of `cores` cores; `None` without `[bandwidth]` and without tasks that reserve any.
///
/// # Errors
/// More is reserved than r_min of a controller, or less than a line in a period.
pub(super) fn read(
    root: &Table<'_>,
    machine: &Machine,
    cores: u32,
    asked: &Asked,
) -> Result<Option<PlannedBandwidth>, InputError> {
    let nothing_said = Document::parse(&root.error("").file, "[bandwidth]")?;
    let table = match root.opt_table("bandwidth")? {
        Some(table) => table,
        None if asked.by_core.is_empty() => return Ok(None),
        None => nothing_said.root().table("bandwidth")?,
    };
    if let Some(item) = table.opt_item("period") {
        item.whole_ns(PERIODS)?;
    }
    let period = Period::read(&table, machine)?;
    let guaranteed = least(machine, period.count_write_backs);
    let of_core = |core: usize| machine.topology.node_of_core[core];
    let r_min = guaranteed.bytes_per_s();
    let by_tasks = |core: usize| asked.by_core.get(&(core as u32)).map(|(bytes, _)| *bytes);
    let reserved: Vec<u64> = match (table.opt_item("reserve"), asked.by_core.first_key_value()) {
        (Some(_), Some((core, (_, task)))) => {
            let found = format!("found reservations of cores, and one of {task} for core {core}");
            return Err(table
                .error_at("reserve", found)
                .allowed("reserve here or with tasks")
                .help("remove one of them"));
        }
        (Some(item), None) => reserved(&item, cores as usize)?,
        (None, _) => {
            // Cores without a reservation have equal parts of what the others of their node leave.
            let left = |core: usize| {
                let own = (0..cores as usize).filter(|&other| of_core(other) == of_core(core));
                let (taken, open) = own.fold((0, 0), |(taken, open): (u64, u64), other| match by_tasks(other) {
                    Some(bytes) => (taken.saturating_add(bytes), open),
                    None => (taken, open + 1),
                });
                r_min.saturating_sub(taken) / open.max(1)
            };
            (0..cores as usize)
                .map(|core| by_tasks(core).unwrap_or_else(|| left(core)))
                .collect()
        }
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
