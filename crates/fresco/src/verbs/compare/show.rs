// SPDX-License-Identifier: MIT OR Apache-2.0
//! A comparison as a table.

use super::comparison::{Comparison, Row, Verdict};
use super::samples::Measured;
use super::sides::named;
use crate::verbs::sweep::{scaled, worded};
use fresco_report::{Cell, Column, ReportError, Table};

/// Rows that a terminal shows, and values of one side alone.
const MOST_ROWS: usize = 40;
const MOST_MISSING: usize = 5;

/// What has changed, and how much was compared.
pub fn text(comparison: &Comparison, all: bool) -> Result<String, ReportError> {
    let shown = comparison.shown(all);
    let (first, second) = (comparison.before.whole(), comparison.after.whole());
    let mut text = format!("first    {first}\nsecond   {second}\n\n{}\n", sentence(comparison));
    if let Some(missing) = missing(comparison) {
        text.push_str(&missing);
        text.push('\n');
    }
    if !shown.is_empty() {
        text.push('\n');
        text.push_str(&table(comparison, shown.iter().take(MOST_ROWS).copied())?.to_text(crate::terminal_width()));
        if shown.len() > MOST_ROWS {
            text.push_str(&format!("and {} others: --json, --out\n", shown.len() - MOST_ROWS));
        }
        text.push('\n');
    }
    for (side, only) in [("first", &comparison.only_before), ("second", &comparison.only_after)] {
        for of in only.iter().take(MOST_MISSING) {
            let scenario = if of.scenario.is_empty() { "" } else { ", scenario " };
            text.push_str(&format!(
                "the {side} alone has {} [{}]{scenario}{}\n",
                words(of),
                of.unit,
                of.scenario
            ));
        }
        if only.len() > MOST_MISSING {
            text.push_str(&format!("and {} others, as --json tells\n", only.len() - MOST_MISSING));
        }
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

/// What was left out, if anything.
pub fn missing(comparison: &Comparison) -> Option<String> {
    let (first, second) = (comparison.before.missing_values, comparison.after.missing_values);
    (first + second > 0).then(|| {
        format!("Rows without a value are left out: {first} in the file of the first, {second} in that of the second.")
    })
}

/// In words what was measured.
pub fn words(measured: &Measured) -> String {
    let axes: Vec<String> = measured.axes.iter().map(|(axis, value)| named(axis, value)).collect();
    let of = match measured.subject_kind.as_str() {
        "task" => measured.subject.clone(),
        kind if measured.subject.is_empty() => format!("the {kind}"),
        kind => format!("{kind} {}", measured.subject),
    };
    let what = format!("{} of {of}", measured.metric.replace('_', " "));
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
            Some(found) => between(&row.of.unit, found.low, found.high),
            None => "-".to_owned(),
        };
        let verdict = match row.verdict {
            Verdict::Changed => "yes",
            Verdict::UnknownSpread => "not known",
            Verdict::Same | Verdict::WithinSpread => "no",
        };
        table.push(vec![
            row.of.scenario.as_str().into(),
            words(&row.of).into(),
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

/// An interval with as many digits as tell its ends apart, two of the distance.
fn between(unit: &str, low: f64, high: f64) -> String {
    let (factor, short) = scaled(unit, low.abs().max(high.abs()));
    let (low, high) = (low * factor, high * factor);
    let digits = match high > low {
        true => (1.0 - (high - low).log10()).ceil().clamp(1.0, 9.0) as usize,
        false => 3,
    };
    format!("{low:.digits$} to {high:.digits$} {short}")
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn ends_of_intervals_are_told_apart() {
        for (ends, told) in [
            ((-13.14, -13.08), "-13.140 to -13.080 ns"),
            ((-900.0, 1500.0), "-900.0 to 1500.0 ns"),
            ((2.0, 2.0), "2.000 to 2.000 ns"),
            ((1.26e6, 3.5e6), "1.3 to 3.5 ms"),
        ] {
            assert_eq!(between("ns", ends.0, ends.1), told);
        }
    }
}
