// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLBs and page walks of tasks, on machines that have them.

use super::sweep::Sweep;
use fresco_dram::color::format_list;
use fresco_report::{Column, ReportError, Table};
use fresco_system::results::{LevelReads, TlbResult};
use std::collections::BTreeSet;

/// What the columns are.
pub const NOTE: &str = "Page walks: of each thousand loads and stores, how many the first level of the TLB missed, and how many needed a walk; its mean time; \
                        of the entries of page tables that walks read, how many percent a private cache, the last level and the memory had; the bank colors in which \
                        page tables lie. Means of the repetitions.";

/// A row for each task at each point; `None` if no core has a TLB.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn table(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    let mut runs = result.points.iter().flat_map(|point| &point.runs);
    if !runs.any(|run| run.tasks.iter().any(|task| task.tlb.is_some())) {
        return Ok(None);
    }
    let mut columns = sweep.columns();
    columns.extend([
        Column::text("task"),
        Column::number("missed", "\u{2030}", 2),
        Column::number("walks", "\u{2030}", 2),
        Column::number("walk", "ns", 1),
        Column::number("private", "%", 1),
        Column::number("LLC", "%", 1),
        Column::number("memory", "%", 1),
        Column::text("banks of tables"),
    ]);
    let mut table = Table::new(format!("{}: page walks", result.scenario), columns);
    for point in &result.points {
        for (number, task) in point.tasks.iter().enumerate() {
            let runs = point.runs.iter().filter_map(|run| run.tasks[number].tlb.as_ref());
            let runs: Vec<&TlbResult> = runs.collect();
            if runs.is_empty() {
                continue;
            }
            let sum = |of: &dyn Fn(&TlbResult) -> u64| runs.iter().map(|run| of(run)).sum::<u64>() as f64;
            let reads = |of: fn(&LevelReads) -> u64| sum(&|run: &TlbResult| run.reads.iter().map(of).sum());
            let [private, llc, memory] = [
                reads(|level| level.private),
                reads(|level| level.llc),
                reads(|level| level.memory),
            ];
            let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
            let lookups = sum(&|run| run.lookups);
            let all = private + llc + memory;
            let banks = runs
                .iter()
                .flat_map(|run| run.tables.by_bank.iter().map(|(bank, _)| *bank));
            let banks: BTreeSet<u32> = banks.collect();
            let banks: Vec<u32> = banks.into_iter().collect();
            let mut cells = sweep.cells(point);
            cells.push(task.name.as_str().into());
            cells.push((1000.0 * share(sum(&|run| run.misses), lookups)).into());
            cells.push((1000.0 * share(sum(&|run| run.walks), lookups)).into());
            cells.push((runs.iter().map(|run| run.walk_ns).sum::<f64>() / runs.len() as f64).into());
            cells.extend([private, llc, memory].map(|part| (100.0 * share(part, all)).into()));
            cells.push(format_list(&banks).into());
            table.push(cells)?;
        }
    }
    Ok(Some(table))
}
