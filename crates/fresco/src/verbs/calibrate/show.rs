// SPDX-License-Identifier: MIT OR Apache-2.0
//! A calibration as tables and sentences.

use super::report::{Report, Share};
use fresco_calibrate::{Comparison, Limits, Setting};
use fresco_report::{Cell, Column, ReportError, Table};

/// Errors by share of reads and values; with `all` every point and everything that was tried.
pub fn tables(report: &Report, all: bool) -> Result<Vec<Table>, ReportError> {
    let mut tables = Vec::new();
    if !report.shares.is_empty() {
        tables.push(errors(report)?);
    }
    if !report.turns.is_empty() {
        tables.push(turns(report)?);
    }
    if !report.fitted.settings.is_empty() {
        tables.push(values(report)?);
    }
    if all {
        tables.extend(tried(report)?);
        for share in &report.shares {
            tables.push(points(share)?);
        }
    }
    Ok(tables)
}

fn errors(report: &Report) -> Result<Table, ReportError> {
    let title = format!("{}: model beside {}", report.machine, report.curves.system);
    let mut table = Table::new(title, columns("curve"));
    for share in &report.shares {
        let how = match (report.fitted.steps.is_empty(), share.fitted) {
            (true, _) => "not fitted",
            (false, true) => "fitted",
            (false, false) => "held out",
        };
        table.push(row(&share.comparison, how.to_owned(), &report.limits))?;
    }
    Ok(table)
}

fn turns(report: &Report) -> Result<Table, ReportError> {
    let mut table = Table::new("Each share held out in turn, fitted to the others", columns("fitted"));
    for turn in &report.turns {
        table.push(row(&turn.comparison, in_words(&turn.settings), &report.limits))?;
    }
    Ok(table)
}

fn columns(how: &str) -> Vec<Column> {
    vec![
        Column::number("reads", "%", 0),
        Column::text(how),
        Column::number("unloaded", "ns", 1),
        Column::number("error", "%", 1),
        Column::number("highest", "GB/s", 1),
        Column::number("error", "%", 1),
        Column::number("error of latency at 50 %", "%", 1),
        Column::number("at 80 %", "%", 1),
        Column::text("within limits"),
    ]
}

fn row(comparison: &Comparison, how: String, limits: &Limits) -> Vec<Cell> {
    let (measured, errors) = (&comparison.measured, &comparison.errors);
    vec![
        Cell::Count(measured.reads.into()),
        how.into(),
        measured.unloaded().into(),
        errors.unloaded.into(),
        measured.highest().into(),
        errors.highest.into(),
        errors.at_half.into(),
        errors.at_80.into(),
        if errors.are_within(limits) { "yes" } else { "no" }.into(),
    ]
}

fn values(report: &Report) -> Result<Table, ReportError> {
    let columns = ["fitted", "before", "value"].map(Column::text);
    let mut table = Table::new("What was fitted", columns.into());
    for (setting, before) in std::iter::zip(&report.fitted.settings, &report.before) {
        let before = before.as_deref().unwrap_or("none").to_owned();
        table.push(vec![setting.key.into(), before.into(), setting.value.clone().into()])?;
    }
    Ok(table)
}

fn tried(report: &Report) -> Result<Vec<Table>, ReportError> {
    let of_step = |step: &fresco_calibrate::Step| {
        let columns = vec![
            Column::text("values"),
            Column::number("distance", "", 2),
            Column::number("error of latency up to 60 %", "%", 1),
            Column::number("error of the maximum", "%", 1),
            Column::text(""),
        ];
        let mut table = Table::new(format!("{}: {}", step.name, step.why), columns);
        for (number, tried) in step.tried.iter().enumerate() {
            let is_possible = tried.distance.is_some();
            table.push(vec![
                in_words(&tried.settings).into(),
                tried.distance.into(),
                is_possible.then_some(tried.slope).into(),
                is_possible.then_some(tried.highest).into(),
                match (is_possible, number == step.taken) {
                    (false, _) => "not a machine",
                    (true, true) => "taken",
                    (true, false) => "",
                }
                .into(),
            ])?;
        }
        Ok(table)
    };
    report.fitted.steps.iter().map(of_step).collect()
}

fn in_words(settings: &[Setting]) -> String {
    let name = |key: &'static str| key.rsplit('.').next().unwrap_or(key);
    let one = |setting: &Setting| format!("{}={}", name(setting.key), setting.value.trim_matches('"'));
    settings.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn points(share: &Share) -> Result<Table, ReportError> {
    let columns = vec![
        Column::text("pause"),
        Column::number("traffic", "GB/s", 1),
        Column::number("latency", "ns", 1),
        Column::number("measured", "ns", 1),
        Column::number("error", "%", 1),
        Column::number("reads served", "%", 1),
    ];
    let mut table = Table::new(format!("{} % reads", share.reads), columns);
    for point in &share.comparison.model {
        table.push(vec![
            point
                .pause
                .map_or("no traffic".into(), |pause| pause.to_string())
                .into(),
            point.gb_s.into(),
            point.ns.into(),
            share.comparison.measured.at(point.gb_s).into(),
            share.comparison.error(point).into(),
            point.reads_served.into(),
        ])?;
    }
    Ok(table)
}

/// What to know of the result.
pub fn sentences(report: &Report) -> Vec<String> {
    let limits = &report.limits;
    let mut sentences = vec![format!(
        "Errors are the model's over what was measured. Limits: unloaded latency {} %, highest traffic {} %, latency at 50 and 80 % of it {} %.",
        limits.unloaded, limits.highest, limits.loaded
    )];
    if report.stopped {
        sentences.push("It was stopped before all was done: what is missing here was not reached.".to_owned());
    }
    let clean: Vec<String> = report
        .shares
        .iter()
        .filter(|share| !share.is_dirty_enough)
        .map(|share| format!("{} %", share.reads))
        .collect();
    if !clean.is_empty() {
        sentences.push(format!(
            "With {} reads the DRAM served another share than that by more than 2 %: caches are not as dirty as they become, or the \
             model does not fetch lines that are stored.",
            clean.join(", ")
        ));
    }
    if !report.curves.left_out.is_empty() {
        let left: Vec<String> = report
            .curves
            .left_out
            .iter()
            .map(|reads| format!("{reads} %"))
            .collect();
        sentences.push(format!(
            "Not compared: {} reads; the generators fetch every line that they store to.",
            left.join(", ")
        ));
    }
    sentences
}
