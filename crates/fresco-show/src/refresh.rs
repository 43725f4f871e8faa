// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tasks of runs to a horizon met: refresh (REF-17), and how long their jobs executed; copies between memories (CR-10).

use super::schedule::has_horizon;
use super::sweep::Sweep;
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_system::results::{JobsResult, RefreshMet, Spread, TaskResult};

/// What the columns are.
pub const NOTE: &str = "Met a refresh: reads that waited for a refresh of their bank or rank, and write-backs of the task that were in the \
                        controller meanwhile (REF-17). Execution: how long jobs had the core, waiting for memory included. Response: from \
                        release to end.";

/// A row for each task at each point, means of the repetitions; `None` for runs of phases.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn table(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    if !has_horizon(result) {
        return Ok(None);
    }
    let runs = || result.points.iter().flat_map(|point| &point.runs);
    let copies = runs().flat_map(|run| &run.tasks).any(|task| !task.memories.is_empty());
    let mut columns = sweep.columns();
    columns.push(Column::text("task"));
    columns.extend(["execution mean", "max"].map(|name| Column::number(name, "ms", 3)));
    columns.push(Column::number("met a refresh", "", 0));
    columns.push(Column::number("longest wait", "ns", 0));
    columns.extend(copies.then(|| Column::number("copies", "", 0)));
    let mut table = Table::new(format!("{}: executions and refresh", result.scenario), columns);
    for point in &result.points {
        for (number, summary) in point.tasks.iter().enumerate() {
            let tasks: Vec<&TaskResult> = point.runs.iter().map(|run| &run.tasks[number]).collect();
            let mut cells = sweep.cells(point);
            cells.push(summary.name.as_str().into());
            cells.extend(executions(&tasks));
            let met = |value: fn(&RefreshMet) -> f64| {
                Spread::of(tasks.iter().filter_map(|task| task.met_refresh).map(|met| value(&met)))
            };
            cells.push(met(|met| met.planned.accesses() as f64).mean.into());
            cells.push(met(|met| met.planned.longest_read_wait_ps as f64 / 1e3).max.into());
            if copies {
                cells.push(Spread::of(tasks.iter().map(|task| task.copies as f64)).mean.into());
            }
            table.push(cells)?;
        }
    }
    Ok(Some(table))
}

/// Mean and largest execution time of jobs that ended, in milliseconds.
fn executions(tasks: &[&TaskResult]) -> [Cell; 2] {
    let ended = tasks.iter().filter_map(|task| task.jobs.as_ref());
    let ended: Vec<&JobsResult> = ended.filter(|jobs| jobs.completed > 0).collect();
    if ended.is_empty() {
        return [Cell::Missing, Cell::Missing];
    }
    let spread = |value: fn(&JobsResult) -> f64| Spread::of(ended.iter().map(|jobs| value(jobs) / 1e6));
    [
        spread(|jobs| jobs.execution.mean_ns).mean.into(),
        spread(|jobs| jobs.execution.max_ns).max.into(),
    ]
}
