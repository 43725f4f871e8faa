// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulated plan as tables.

use super::Simulated;
use fresco_report::{Cell, Column, ReportError, Table, Tone};

/// Promises, tasks, cores, and budgets of bandwidth if there are any.
pub fn tables(simulated: &Simulated) -> Result<Vec<Table>, ReportError> {
    let mut tables = vec![promises(simulated)?];
    tables.extend(measured(simulated)?);
    Ok(tables)
}

/// Tasks, cores, and budgets of bandwidth if there are any.
pub(super) fn measured(simulated: &Simulated) -> Result<Vec<Table>, ReportError> {
    let mut tables = vec![tasks(simulated)?, cores(simulated)?];
    tables.extend(super::budgets::table(simulated)?);
    Ok(tables)
}

/// What the plan promises, and whether it held.
pub(super) fn promises(simulated: &Simulated) -> Result<Table, ReportError> {
    let title = format!(
        "{}: {} for {} ms",
        simulated.name,
        simulated.method.name(),
        simulated.result.horizon_ns as f64 / 1e6
    );
    let mut table = Table::new(title, ["promise", "kept", "found"].map(Column::text).to_vec());
    for promise in &simulated.promises {
        let kept = match promise.kept {
            true => Cell::Text("yes".to_owned(), Tone::Good),
            false => Cell::Text("no".to_owned(), Tone::Bad),
        };
        table.push(vec![promise.what.as_str().into(), kept, promise.found.as_str().into()])?;
    }
    Ok(table)
}

fn tasks(simulated: &Simulated) -> Result<Table, ReportError> {
    let columns = vec![
        Column::text("task"),
        Column::number("jobs", "", 0),
        Column::number("misses", "", 0),
        Column::number("response mean", "ms", 3),
        Column::number("max", "ms", 3),
        Column::number("execution mean", "ms", 3),
        Column::number("max", "ms", 3),
        Column::number("reads", "", 0),
        Column::number("latency mean", "ns", 1),
        Column::number("max", "ns", 1),
        Column::number("met a refresh", "", 0),
        Column::number("copies", "", 0),
    ];
    let mut table = Table::new("Tasks", columns);
    let ms = |ps: u64| ps as f64 / 1e9;
    for task in &simulated.result.tasks {
        let latency = &task.reads.latency;
        let read = task.reads.count > 0;
        table.push(vec![
            task.name.as_str().into(),
            task.completed.into(),
            task.misses.into(),
            task.response.map(|spread| ms(spread.mean_ps)).into(),
            task.response.map(|spread| ms(spread.max_ps)).into(),
            task.execution.map(|spread| ms(spread.mean_ps)).into(),
            task.execution.map(|spread| ms(spread.max_ps)).into(),
            task.reads.count.into(),
            read.then_some(latency.mean_ns).into(),
            read.then_some(latency.max_ns).into(),
            task.met_refresh.accesses().into(),
            task.copies.into(),
        ])?;
    }
    Ok(table)
}

fn cores(simulated: &Simulated) -> Result<Table, ReportError> {
    let columns = vec![
        Column::number("core", "", 0),
        Column::number("tasks", "%", 2),
        Column::number("handlers", "%", 2),
        Column::number("idle", "%", 2),
        Column::number("switches", "", 0),
        Column::number("lines cleaned", "", 0),
        Column::number("writes into windows", "", 0),
    ];
    let mut table = Table::new("Cores", columns);
    let share = |ps: u64| 100.0 * ps as f64 / (simulated.result.horizon_ns as f64 * 1000.0);
    for core in &simulated.result.cores {
        table.push(vec![
            u64::from(core.core).into(),
            share(core.run_ps).into(),
            share(core.handler_ps).into(),
            share(core.idle_ps).into(),
            core.context_switches.into(),
            core.lines_cleaned.into(),
            core.writes_into_windows.into(),
        ])?;
    }
    Ok(table)
}
