// SPDX-License-Identifier: MIT OR Apache-2.0
//! A comparison as a table.

use super::comparison::{Comparison, Row, Verdict};
use super::sides::named;
use crate::verbs::sweep::worded;
use fresco_report::{Cell, Column, ReportError, Table};

/// Rows that a terminal shows.
const MOST_ROWS: usize = 40;

/// What has changed, and how much was compared.
pub fn text(comparison: &Comparison, all: bool) -> Result<String, ReportError> {
    let shown = comparison.shown(all);
    let (first, second) = (comparison.before.whole(), comparison.after.whole());
    let mut text = format!("first    {first}\nsecond   {second}\n\n{}\n", sentence(comparison));
    if !shown.is_empty() {
        text.push('\n');
        text.push_str(&table(comparison, shown.iter().take(MOST_ROWS).copied())?.to_text(crate::terminal_width()));
        if shown.len() > MOST_ROWS {
            text.push_str(&format!("and {} others: --json, --out\n", shown.len() - MOST_ROWS));
        }
        text.push('\n');
    }
    Ok(text)
}

/// In a sentence.
pub fn sentence(comparison: &Comparison) -> String {
    let counts = &comparison.counts;
    format!(
        "{} values compared: {} are the same, {} have changed by more than their spread, {} within it; of {} that differ the spread is not known. {} are of the first alone, {} of the second.",
        comparison.rows.len(),
        counts.same,
        counts.changed,
        counts.within_spread,
        counts.unknown_spread,
        counts.only_before,
        counts.only_after
    )
}

/// In words what a row is of.
pub fn words(row: &Row) -> String {
    let axes: Vec<String> = row.of.axes.iter().map(|(axis, value)| named(axis, value)).collect();
    let of = match row.of.subject_kind.as_str() {
        "task" => row.of.subject.clone(),
        kind if row.of.subject.is_empty() => format!("the {kind}"),
        kind => format!("{kind} {}", row.of.subject),
    };
    let what = format!("{} of {of}", row.of.metric.replace('_', " "));
    match axes.is_empty() {
        true => what,
        false => format!("{what} ({})", axes.join(", ")),
    }
}

/// A table of these rows.
pub fn table<'r>(comparison: &Comparison, rows: impl IntoIterator<Item = &'r Row>) -> Result<Table, ReportError> {
    let interval = format!("interval of {} %", 100.0 * comparison.confidence);
    let columns = vec![
        Column::text("scenario"),
        Column::text("measured"),
        Column::text(comparison.before.label.as_str()),
        Column::text(comparison.after.label.as_str()),
        Column::number("change", "%", 1),
        Column::text(interval),
        Column::text("more than the spread"),
    ];
    let mut table = Table::new("What has changed", columns);
    for row in rows {
        let value = |value: f64| worded(&row.of.unit, value);
        let interval = match &row.difference {
            Some(found) => format!("{} to {}", value(found.low), value(found.high)),
            None => "-".to_owned(),
        };
        let verdict = match row.verdict {
            Verdict::Changed => "yes",
            Verdict::UnknownSpread => "not known",
            Verdict::Same | Verdict::WithinSpread => "no",
        };
        table.push(vec![
            row.of.scenario.as_str().into(),
            words(row).into(),
            value(row.before).into(),
            value(row.after).into(),
            row.relative
                .map_or(Cell::Missing, |relative| Cell::Number(100.0 * relative)),
            interval.into(),
            verdict.into(),
        ])?;
    }
    Ok(table)
}
