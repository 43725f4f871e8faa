// SPDX-License-Identifier: MIT OR Apache-2.0
//! The advice in tables and sentences.

use super::propose::{Advice, Tried};
use super::sensitivity::{Curve, Resource};
use super::{Bench, Candidate};
use fresco_report::{Cell, Column, ReportError, Table};

/// A task that loses more than this share of its speed gets a warning: the 10 % rule (BPM-18).
const TEN_PERCENT: f64 = 0.9;

/// What the user should know: tasks that a partition of their own slows down, goals that nothing meets.
pub fn warnings(curves: &[Curve], tried: &[Tried], proposed: Option<usize>) -> Vec<String> {
    let mut warnings = Vec::new();
    for curve in curves {
        let slow = curve
            .points
            .iter()
            .filter(|(_, speed)| *speed < TEN_PERCENT)
            .max_by_key(|(amount, _)| *amount);
        if let Some((amount, speed)) = slow {
            warnings.push(format!(
                "{}: with {} alone on the machine it has {:.0} % of its speed (10 % rule, BPM-18)",
                curve.task,
                curve.resource.amount(*amount),
                100.0 * speed
            ));
        }
    }
    let none = tried.iter().find(|one| one.candidate.is_none());
    let full = tried
        .iter()
        .filter(|one| {
            one.candidate.reserved.is_none() && one.candidate.amounts.values().all(|a| a.banks > 0 && a.llc > 0)
        })
        .min_by(|a, b| a.outcome.max_slowdown.total_cmp(&b.outcome.max_slowdown));
    if let (Some(none), Some(full)) = (none, full) {
        let ratio = full.outcome.weighted_speedup / none.outcome.weighted_speedup;
        if ratio < 1.0 {
            warnings.push(format!(
                "full coloring hurts here: with banks and cache of their own the tasks together have {:.1} % less throughput \
                 than without a partition (LIM-5)",
                100.0 * (1.0 - ratio)
            ));
        }
    }
    if proposed.is_none() {
        let best = tried
            .iter()
            .min_by(|a, b| a.outcome.max_slowdown.total_cmp(&b.outcome.max_slowdown));
        if let Some(best) = best {
            warnings.push(format!(
                "no partition that was tried meets all goals; the best largest slowdown is {:.2}, with {}",
                best.outcome.max_slowdown,
                in_words(&best.candidate)
            ));
        }
    }
    warnings
}

/// A partition in words: `hrt: 4 bank colors, 1 LLC color`.
pub fn in_words(candidate: &Candidate) -> String {
    let mut parts = Vec::new();
    for (name, amount) in &candidate.amounts {
        let mut own = Vec::new();
        if amount.banks > 0 {
            own.push(Resource::Banks.amount(amount.banks));
        }
        if amount.llc > 0 {
            own.push(Resource::Llc.amount(amount.llc));
        }
        if let Some(bytes) = candidate.reserved.as_ref().and_then(|reserved| reserved.get(name)) {
            own.push(format!("{} MB/s", bytes / 1_000_000));
        }
        if !own.is_empty() {
            parts.push(format!("{name}: {}", own.join(", ")));
        }
    }
    match parts.is_empty() {
        true => "no partition".to_owned(),
        false => parts.join("; "),
    }
}

/// Why a partition is proposed, for its plan.
pub fn reasons(proposed: &Tried) -> Vec<String> {
    let slowdowns = proposed.outcome.slowdowns.iter();
    let slowdowns: Vec<String> = slowdowns.map(|(task, ratio)| format!("{task} {ratio:.3}")).collect();
    vec![
        format!(
            "the cheapest partition that was found to meet all goals: {}; it sets aside {:.1} % of the machine",
            in_words(&proposed.candidate),
            100.0 * proposed.candidate.cost
        ),
        format!("slowdowns as measured on the model: {}", slowdowns.join(", ")),
    ]
}

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
    /// Deadlines of a periodic task.
    Deadlines(&'a str),
}

/// The goals of bandwidth, and the deadlines.
fn other_goals<'a>(bench: &'a Bench, advice: &'a Advice) -> Vec<OtherGoal<'a>> {
    let goals = advice.goals.iter();
    let with_bandwidth = goals.filter(|(_, goal)| goal.bandwidth_bytes_per_s.is_some());
    let bandwidth = with_bandwidth.map(|(name, _)| OtherGoal::Bandwidth(name));
    let tasks = bench.overview.tasks.iter();
    let periodic = tasks.filter(|task| task.is_periodic && advice.goals.contains_key(&task.name));
    bandwidth
        .chain(periodic.map(|task| OtherGoal::Deadlines(&task.name)))
        .collect()
}

impl OtherGoal<'_> {
    fn column(&self) -> Column {
        match self {
            Self::Bandwidth(task) => Column::number(format!("bandwidth of {task}"), "MB/s", 0),
            Self::Deadlines(task) => Column::number(format!("missed by {task}"), "", 0),
        }
    }

    fn cell(&self, one: &Tried) -> Cell {
        match self {
            Self::Bandwidth(task) => (one.outcome.speeds[*task].bandwidth_bytes_per_s / 1e6).into(),
            Self::Deadlines(task) => Cell::Count(one.outcome.speeds[*task].misses),
        }
    }
}

/// The keys that make the proposal part of the scenario, one to a line as `--set` takes them.
pub fn keys(bench: &Bench, advice: &Advice) -> Vec<String> {
    let proposed = advice.proposed.map(|place| &advice.tried[place].candidate);
    proposed.map_or_else(Vec::new, |candidate| candidate.overrides(&bench.overview))
}

/// Sentences for under the tables.
pub fn sentences(advice: &Advice) -> Vec<String> {
    let mut said = Vec::new();
    match advice.proposed.map(|place| &advice.tried[place]) {
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
