// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of several threads: how long they take, how long their threads wait for each other (MET-3).

use super::sweep::Sweep;
use fresco_report::{Column, ReportError, Table};
use fresco_system::results::ScenarioResult;

/// What the columns are.
pub const NOTE: &str = "Threads of one program: idle is the time at the end of parallel sections until the last thread came \
                        (BEN-7), all threads together; busy is the rest of a thread's run time without serial sections of the \
                        master. Spreads: longest less shortest of the threads. Means of the repetitions.";

/// A row for each such program at each point; `None` if there is none.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn table(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    if result.points.iter().all(|point| point.teams.is_empty()) {
        return Ok(None);
    }
    let mut columns = sweep.columns();
    columns.extend([Column::text("task"), Column::number("threads", "", 0)]);
    columns.extend([Column::number("time", "ms", 3), Column::number("idle", "ms", 3)]);
    columns.push(Column::number("idle", "%", 1));
    columns.extend([
        Column::number("busy spread", "ms", 3),
        Column::number("idle spread", "ms", 3),
    ]);
    let mut table = Table::new(format!("{}: threads", result.scenario), columns);
    for point in &result.points {
        for team in &point.teams {
            let mut cells = sweep.cells(point);
            cells.push(team.name.as_str().into());
            cells.push((team.threads as f64).into());
            cells.push((team.run_time_ns.mean / 1e6).into());
            cells.push((team.total_idle_ns.mean / 1e6).into());
            cells.push((100.0 * team.idle_share.mean).into());
            cells.push((team.busy_spread_ns.mean / 1e6).into());
            cells.push((team.idle_spread_ns.mean / 1e6).into());
            table.push(cells)?;
        }
    }
    Ok(Some(table))
}

/// Says that threads of a trace waited for what never came, if they did.
pub fn given_up(result: &ScenarioResult) -> Option<String> {
    let runs = result.points.iter().flat_map(|point| &point.runs);
    let threads = runs.flat_map(|run| run.tasks.iter().filter_map(|task| task.thread));
    let count: u64 = threads.map(|thread| thread.given_up).sum();
    (count > 0).then(|| {
        format!(
            "Threads waited {count} times for what never comes in their trace, and went on: it is no recording as it was made."
        )
    })
}
