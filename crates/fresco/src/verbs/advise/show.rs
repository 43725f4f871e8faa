// SPDX-License-Identifier: MIT OR Apache-2.0
//! The advice in tables and sentences.

use fresco_advise::{Advice, Bench, Resource, Tried, in_words};
use fresco_report::{Cell, Column, ReportError, Table};

/// Speed alone with less of each resource, and the partitions: the frontier, or `all` of them.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn tables(bench: &Bench, advice: &Advice, all: bool) -> Result<Vec<Table>, ReportError> {
    Ok(vec![sensitivity(advice)?, partitions(bench, advice, all)?])
}

fn sensitivity(advice: &Advice) -> Result<Table, ReportError> {
    let columns = vec![
        Column::text("task"),
        Column::text("resource"),
        Column::number("amount", "", 0),
        Column::number("speed", "%", 1),
    ];
    let mut table = Table::new("Alone on the machine, with less of a resource", columns);
    for curve in &advice.curves {
        for amount in &curve.too_small {
            let cells: Vec<Cell> = vec![
                curve.task.as_str().into(),
                curve.resource.name().into(),
                f64::from(*amount).into(),
                "does not fit".into(),
            ];
            table.push(cells)?;
        }
        for (amount, speed) in &curve.points {
            let cells: Vec<Cell> = vec![
                curve.task.as_str().into(),
                curve.resource.name().into(),
                f64::from(*amount).into(),
                (100.0 * speed).into(),
            ];
            table.push(cells)?;
        }
    }
    Ok(table)
}

fn partitions(bench: &Bench, advice: &Advice, all: bool) -> Result<Table, ReportError> {
    let mut columns = vec![
        Column::text("partition"),
        Column::number("set aside", "%", 1),
        Column::number("weighted speedup", "", 2),
    ];
    columns.extend(
        bench
            .measured()
            .iter()
            .map(|task| Column::number(format!("slowdown of {task}"), "", 2)),
    );
    let others = other_goals(bench, advice);
    columns.extend(others.iter().map(|goal| goal.column()));
    columns.push(Column::text("goals"));
    let title = match all {
        true => "All together: every partition that was run",
        false => "All together: no cheaper partition has a smaller largest slowdown",
    };
    let mut table = Table::new(title, columns);
    for (place, one) in advice.tried.iter().enumerate() {
        let proposed = advice.proposed == Some(place);
        if !(all || one.on_frontier || proposed) {
            continue;
        }
        let mut cells: Vec<Cell> = vec![
            in_words(&one.candidate).into(),
            (100.0 * one.candidate.cost).into(),
            one.outcome.weighted_speedup.into(),
        ];
        cells.extend(
            bench
                .measured()
                .iter()
                .map(|task| Cell::from(one.outcome.slowdowns[task])),
        );
        cells.extend(others.iter().map(|goal| goal.cell(one)));
        cells.push(
            match (proposed, one.outcome.meets_goals) {
                (true, _) => "met: proposed",
                (false, true) => "met",
                (false, false) => "missed",
            }
            .into(),
        );
        table.push(cells)?;
    }
    Ok(table)
}

/// A goal beside the slowdown.
enum OtherGoal<'a> {
    /// Bandwidth of a task.
    Bandwidth(&'a str),
    /// Reads of a task under attack.
    Read(&'a str),
    /// Deadlines of a periodic task.
    Deadlines(&'a str),
}

/// The goals of bandwidth and of reads, and the deadlines.
fn other_goals<'a>(bench: &'a Bench, advice: &'a Advice) -> Vec<OtherGoal<'a>> {
    let goals = || advice.goals.iter();
    let with_bandwidth = goals().filter(|(_, goal)| goal.bandwidth_bytes_per_s.is_some());
    let bandwidth = with_bandwidth.map(|(name, _)| OtherGoal::Bandwidth(name));
    let with_reads = goals().filter(|(_, goal)| goal.read_ps.is_some());
    let reads = with_reads.map(|(name, _)| OtherGoal::Read(name));
    let tasks = bench.overview.tasks.iter();
    let periodic = tasks.filter(|task| task.is_periodic && advice.goals.contains_key(&task.name));
    bandwidth
        .chain(reads)
        .chain(periodic.map(|task| OtherGoal::Deadlines(&task.name)))
        .collect()
}

impl OtherGoal<'_> {
    fn column(&self) -> Column {
        match self {
            Self::Bandwidth(task) => Column::number(format!("bandwidth of {task}"), "MB/s", 0),
            Self::Read(task) => Column::number(format!("longest read of {task}"), "ns", 0),
            Self::Deadlines(task) => Column::number(format!("missed by {task}"), "", 0),
        }
    }

    fn cell(&self, one: &Tried) -> Cell {
        match self {
            Self::Bandwidth(task) => (one.outcome.speeds[*task].bandwidth_bytes_per_s / 1e6).into(),
            Self::Read(task) => match one.outcome.reads.get(*task) {
                Some(read) => (read.observed_ps as f64 / 1e3).into(),
                None => Cell::Missing,
            },
            Self::Deadlines(task) => Cell::Count(one.outcome.speeds[*task].misses),
        }
    }
}

/// Sentences for under the tables.
pub fn sentences(advice: &Advice) -> Vec<String> {
    let mut said = Vec::new();
    match advice.proposal() {
        Some(one) if one.candidate.is_none() => {
            said.push("Proposed: no partition; the goals are met without.".to_owned());
        }
        Some(one) => said.push(format!(
            "Proposed: {}. It sets aside {:.1} % of the machine; the largest slowdown is {:.2}.",
            in_words(&one.candidate),
            100.0 * one.candidate.cost,
            one.outcome.max_slowdown
        )),
        None => said.push("No proposal: no partition that was tried meets all goals.".to_owned()),
    }
    for (name, read) in advice.proposal().iter().flat_map(|one| &one.outcome.reads) {
        let bound = match read.bound_ps {
            Some(bound) => format!("at most {} ns is proven", bound.div_ceil(1000)),
            None => "it has no bound".to_owned(),
        };
        said.push(format!(
            "{name}: under attack no read longer than {} ns was found; {bound}.",
            read.observed_ps.div_ceil(1000)
        ));
    }
    if advice.too_small > 0 {
        said.push(format!(
            "{} partitions were left out: programs do not fit them.",
            advice.too_small
        ));
    }
    said.extend(advice.warnings.iter().map(|warning| format!("Warning: {warning}.")));
    said
}

/// The unit of a curve's amounts.
pub fn unit(resource: Resource) -> &'static str {
    match resource {
        Resource::Banks | Resource::Llc => "colors",
        Resource::Bandwidth => "MB/s",
    }
}
