// SPDX-License-Identifier: MIT OR Apache-2.0
//! What cores did in runs to a horizon: jobs, handlers and idle time, and what lock handlers cleaned (RLIM-7).

use super::schedule::has_horizon;
use super::sweep::Sweep;
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_system::experiment::CoreOutcome;
use fresco_system::results::{RunResult, Spread};

/// What the columns are.
pub const NOTE: &str = "Lines cleaned: dirty lines that lock handlers wrote back; writes into windows: dirty lines that left a cache for a rank in its \
                        refresh window all the same.";

/// A row for each core at each point, means of the repetitions; `None` for runs of phases, where each task has its core alone.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn table(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    if !has_horizon(result) {
        return Ok(None);
    }
    let mut columns = sweep.columns();
    columns.push(Column::number("core", "", 0));
    columns.extend(["tasks", "handlers", "idle"].map(|name| Column::number(name, "%", 2)));
    columns.extend(["switches", "lines cleaned", "writes into windows"].map(|name| Column::number(name, "", 0)));
    let mut table = Table::new(format!("{}: cores", result.scenario), columns);
    for point in &result.points {
        let cores = point.runs.first().map_or(0, |run| run.cores.len());
        for number in 0..cores {
            let mean = |value: &dyn Fn(&RunResult, &CoreOutcome) -> f64| {
                Cell::from(Spread::of(point.runs.iter().map(|run| value(run, &run.cores[number]))).mean)
            };
            let share = |of: fn(&CoreOutcome) -> u64| mean(&|run, core| 100.0 * of(core) as f64 / run.to_ps as f64);
            let count = |of: fn(&CoreOutcome) -> u64| mean(&|_, core| of(core) as f64);
            let mut cells = sweep.cells(point);
            cells.push(u64::from(point.runs[0].cores[number].core).into());
            cells.extend([
                share(|core| core.run_ps),
                share(|core| core.handler_ps),
                share(|core| core.idle_ps),
                count(|core| core.context_switches),
                count(|core| core.lines_cleaned),
                count(|core| core.writes_into_windows),
            ]);
            table.push(cells)?;
        }
    }
    Ok(Some(table))
}
