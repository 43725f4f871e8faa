// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds as tables.

use super::{Bounds, PointBounds, TaskBounds};
use fresco_bound::ReadBound;
use fresco_dram::Ps;
use fresco_report::{Cell, Column, ReportError, Table, Tone};

pub fn tables(bounds: &Bounds) -> Result<Vec<Table>, ReportError> {
    let mut tables = Vec::new();
    for point in &bounds.points {
        let named = bounds.axes.iter().zip(&point.values);
        let values: Vec<String> = named.map(|(axis, value)| format!("{axis} = {value}")).collect();
        let title = match values.is_empty() {
            true => bounds.scenario.clone(),
            false => format!("{}, {}", bounds.scenario, values.join(", ")),
        };
        tables.push(reads(&title, point)?);
        if point.tasks.iter().any(|task| task.work.is_some()) {
            tables.push(work(&title, point)?);
        }
        if let Some(reasons) = reasons(&title, point)? {
            tables.push(reasons);
        }
    }
    Ok(tables)
}

fn ns(time: Ps) -> Cell {
    Cell::Number(time as f64 / 1000.0)
}

fn reads(title: &str, point: &PointBounds) -> Result<Table, ReportError> {
    let observed = point.tasks.iter().any(|task| task.observed_read_ps.is_some());
    let mut columns = vec![
        Column::text("task"),
        Column::number("core", "", 0),
        Column::number("longest", "ns", 0),
    ];
    if observed {
        columns.push(Column::number("observed", "ns", 0));
    }
    columns.extend(
        ReadBound::default()
            .parts()
            .map(|(name, _)| Column::number(name, "ns", 0)),
    );
    let mut table = Table::new(format!("{title}: a read in its controller takes at most"), columns);
    for task in &point.tasks {
        let mut row: Vec<Cell> = vec![task.name.as_str().into(), Cell::Count(u64::from(task.core))];
        row.push(task.reads.as_ref().map_or_else(
            || Cell::Text("unbounded".to_owned(), Tone::Bad),
            |reads| ns(reads.longest_ps),
        ));
        if observed {
            row.push(seen(
                task.observed_read_ps,
                task.reads.as_ref().map(|reads| reads.longest_ps),
            ));
        }
        let parts = ReadBound::default().parts();
        row.extend(parts.iter().enumerate().map(|(i, _)| {
            task.reads.as_ref().map_or(Cell::Missing, |reads| {
                let bound = reads.bound;
                ns(
                    (u128::from(bound.parts()[i].1) * u128::from(reads.longest_ps) / u128::from(bound.total().max(1)))
                        as Ps,
                )
            })
        }));
        table.push(row)?;
    }
    Ok(table)
}

/// What was observed, in words if it is more than it may be.
fn seen(observed: Option<Ps>, bound: Option<Ps>) -> Cell {
    match (observed, bound) {
        (Some(observed), Some(bound)) if observed > bound => Cell::Text(
            format!("{:.0}, more than the bound", observed as f64 / 1000.0),
            Tone::Bad,
        ),
        (Some(observed), _) => ns(observed),
        (None, _) => Cell::Missing,
    }
}

fn work(title: &str, point: &PointBounds) -> Result<Table, ReportError> {
    let observed = point.tasks.iter().any(|task| task.observed_work_ps.is_some());
    // That may be reads if accesses come in another order.
    let has_hits = point
        .tasks
        .iter()
        .any(|task| task.work.is_some_and(|work| work.alone.hits > 0));
    let mut columns = vec![Column::text("task"), Column::number("longest", "us", 1)];
    if observed {
        columns.push(Column::number("observed", "us", 1));
    }
    columns.extend([Column::number("alone", "us", 1), Column::number("reads", "", 0)]);
    if has_hits {
        columns.push(Column::number("hits among them", "", 0));
    }
    columns.extend([
        Column::number("chain", "", 0),
        Column::number("their delay", "us", 1),
        Column::number("write-backs", "us", 1),
        Column::number("budgets", "us", 1),
        Column::number("slowdown", "", 2),
    ]);
    let mut table = Table::new(format!("{title}: the work of a task takes at most"), columns);
    let us = |time: Ps| Cell::Number(time as f64 / 1e6);
    for task in &point.tasks {
        let Some(work) = &task.work else { continue };
        let mut row: Vec<Cell> = vec![task.name.as_str().into(), us(work.longest_ps)];
        if observed {
            row.push(match task.observed_work_ps {
                Some(time) if time > work.longest_ps => {
                    Cell::Text(format!("{:.1}, more than the bound", time as f64 / 1e6), Tone::Bad)
                }
                Some(time) => us(time),
                None => Cell::Missing,
            });
        }
        row.extend([us(work.alone.time_ps), Cell::Count(work.alone.reads)]);
        if has_hits {
            row.push(Cell::Count(work.alone.hits));
        }
        row.extend([
            Cell::Count(work.alone.chain),
            us(work.reads_ps.saturating_add(work.edges_ps)),
            us(work.write_backs_ps),
            us(work.budgets_ps),
            Cell::Number(work.slowdown()),
        ]);
        table.push(row)?;
    }
    Ok(table)
}

/// What has no bound, and what to do about it; `None` if everything has one.
fn reasons(title: &str, point: &PointBounds) -> Result<Option<Table>, ReportError> {
    let columns = ["task", "of its", "no bound, because", "way out"].map(Column::text);
    let mut table = Table::new(format!("{title}: not bounded"), columns.to_vec());
    let rows = |task: &TaskBounds| {
        let reads = task.reads_unbounded.clone().map(|reason| ("reads", reason));
        let work = task.work_unknown.clone().map(|reason| ("work", reason));
        reads.into_iter().chain(work)
    };
    for task in &point.tasks {
        for (what, reason) in rows(task) {
            table.push(vec![
                task.name.as_str().into(),
                what.into(),
                reason.why.into(),
                reason.way_out.into(),
            ])?;
        }
    }
    Ok((!table.rows().is_empty()).then_some(table))
}
