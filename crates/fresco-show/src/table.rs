// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario's results as a table: a row for each task at each point.

use super::sweep::Sweep;
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_system::Role;
use fresco_system::results::{PointResult, RowCounts, Spread, TaskResult, TaskSummary};

/// Which tasks get rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tasks {
    /// Those that the scenario measures.
    Measured,
    /// Those in the background.
    Background,
    /// All of them.
    All,
}

const TIME: &str = "time";
const SLOWDOWN: &str = "slowdown";

/// One column: its heading, and its cell for a task.
type Quantity = (Column, fn(&Row<'_>) -> Cell);

/// What a cell is made from.
struct Row<'r> {
    summary: &'r TaskSummary,
    /// The task in each repetition.
    runs: Vec<&'r TaskResult>,
    /// Other points are compared with this one.
    is_baseline: bool,
}

/// The table of a sweep.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn of(sweep: &Sweep<'_>, tasks: Tasks) -> Result<Table, ReportError> {
    let result = sweep.result;
    let shown = |task: &TaskSummary| match tasks {
        Tasks::Measured => task.role == Role::Measured,
        Tasks::Background => task.role == Role::Background,
        Tasks::All => true,
    };
    let mut names: Vec<&str> = Vec::new();
    for task in result
        .points
        .iter()
        .flat_map(|point| &point.tasks)
        .filter(|task| shown(task))
    {
        if !names.contains(&task.name.as_str()) {
            names.push(&task.name);
        }
    }
    let one = names.len() == 1;
    // An axis with one value, and a task that is the only one, stand in the title.
    let mut columns = sweep.columns();
    if !one {
        columns.push(Column::text("task"));
    }
    let measured = |task: &TaskSummary| shown(task) && task.slowdown.is_some();
    let with_slowdown = result.points.iter().flat_map(|point| &point.tasks).any(measured);
    let mut quantities = quantities();
    quantities.retain(|(column, _)| match column.name.as_str() {
        SLOWDOWN => with_slowdown,
        // In the background a task runs as long as those that are measured.
        TIME => tasks != Tasks::Background,
        _ => true,
    });
    columns.extend(quantities.iter().map(|(column, _)| column.clone()));
    let mut table = Table::new(title(sweep, tasks, one.then(|| names[0])), columns);
    for point in &result.points {
        for (number, summary) in point.tasks.iter().enumerate().filter(|(_, task)| shown(task)) {
            let row = Row {
                summary,
                runs: point.runs.iter().map(|run| &run.tasks[number]).collect(),
                is_baseline: sweep.is_baseline(point),
            };
            let mut cells = sweep.cells(point);
            if !one {
                cells.push(summary.name.as_str().into());
            }
            cells.extend(quantities.iter().map(|(_, cell)| cell(&row)));
            table.push(cells)?;
        }
    }
    Ok(table)
}

fn title(sweep: &Sweep<'_>, tasks: Tasks, task: Option<&str>) -> String {
    let result = sweep.result;
    let mut title = result.scenario.clone();
    if let Some(task) = task {
        title.push_str(&format!(", {task}"));
    }
    for axis in result.axes.iter().filter(|axis| axis.values.len() == 1) {
        title.push_str(&format!(", {} {}", axis.name, axis.values[0]));
    }
    let machines = machines(&result.points);
    title.push_str(&format!(" on {}", machines.join(", ")));
    if tasks == Tasks::Background {
        title.push_str("; tasks in the background");
    }
    if result.repetitions > 1 {
        title.push_str(&format!("; {} repetitions", result.repetitions));
    }
    title
}

/// What the columns are of, where there are several runs for each row; empty if there is one.
pub fn note(repetitions: u32) -> String {
    match repetitions {
        1 => String::new(),
        _ => "Time, slowdown, IPC, LLC misses and traffic are means of the repetitions; mean, p99, max and row h/m/c are \
              those of all reads of all repetitions together."
            .to_owned(),
    }
}

/// The machines of the points, each once.
pub fn machines(points: &[PointResult]) -> Vec<&str> {
    let mut machines: Vec<&str> = Vec::new();
    for point in points {
        if !machines.contains(&point.machine.as_str()) {
            machines.push(&point.machine);
        }
    }
    machines
}

fn quantities() -> Vec<Quantity> {
    vec![
        (Column::number(TIME, "ms", 3), |row| {
            (row.summary.run_time_ns.mean / 1e6).into()
        }),
        (Column::number(SLOWDOWN, "", 2), slowdown),
        (Column::number("mean", "ns", 1), |row| read(row, |reads| reads.mean_ns)),
        (Column::number("p99", "ns", 0), |row| read(row, |reads| reads.p99_ns)),
        (Column::number("max", "ns", 0), |row| read(row, |reads| reads.max_ns)),
        (Column::number("IPC", "", 3), |row| {
            row.summary.instructions_per_cycle.mean.into()
        }),
        (Column::number("row h/m/c", "%", 0), |row| rows(&row.summary.reads.rows)),
        (Column::number("LLC misses", "", 0), |row| {
            let misses = row.runs.iter().filter_map(|task| Some(task.caches.llc?.misses as f64));
            let misses = Spread::of(misses);
            if misses.count == 0 {
                Cell::Missing
            } else {
                misses.mean.into()
            }
        }),
        (Column::number("traffic", "MB/s", 0), |row| {
            (row.summary.bandwidth_bytes_per_s.mean / 1e6).into()
        }),
    ]
}

/// Relative to the baseline; 1 at the baseline itself.
fn slowdown(row: &Row<'_>) -> Cell {
    match row.summary.slowdown {
        Some(slowdown) => slowdown.mean.into(),
        None if row.is_baseline => 1.0.into(),
        None => Cell::Missing,
    }
}

/// A value of the latency of reads from memory, if there were any.
fn read(row: &Row<'_>, value: fn(&fresco_system::results::Latency) -> f64) -> Cell {
    match row.summary.reads.count {
        0 => Cell::Missing,
        _ => value(&row.summary.reads.latency).into(),
    }
}

/// Shares of reads that found their row open, their bank closed, another row open.
fn rows(counts: &RowCounts) -> Cell {
    let total = counts.hits + counts.misses + counts.conflicts;
    if total == 0 {
        return Cell::Missing;
    }
    let percent = |count: u64| (100.0 * count as f64 / total as f64).round() as u64;
    let hits = percent(counts.hits);
    let misses = percent(counts.misses).min(100 - hits);
    format!("{hits}/{misses}/{}", 100 - hits - misses).into()
}
