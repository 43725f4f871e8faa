// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sweep in a terminal: its points, how much there is, what the axes do.

use super::report::{Report, worded};
use crate::failure::Failure;
use crate::provenance;
use fresco_report::{Cell, Column, Document, ReportError, Table};
use fresco_sweep::{Effect, Shard, Summary, Sweep};
use serde::Serialize;

const LIST: &str = "fresco-sweep-list/1";
const STATUS: &str = "fresco-sweep-status/1";

#[derive(Serialize)]
struct List<'s> {
    sweep: &'s str,
    scenario: &'s str,
    axes: Vec<&'s str>,
    points: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    point: u32,
    values: Vec<Option<String>>,
    set: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<String>,
}

/// The points of a part of a sweep.
pub fn list(sweep: &Sweep, shard: Shard, json: bool) -> Result<Vec<u8>, Failure> {
    let listed = |number| {
        let point = sweep.point(number);
        Listed {
            point: number,
            set: point.set(),
            options: sweep.options(&point),
            values: point.values,
        }
    };
    let points = shard.points(sweep.points());
    if json {
        let provenance = provenance::of_this_run(u64::from(sweep.spec.seed));
        let data = List {
            sweep: &sweep.spec.name,
            scenario: &sweep.spec.scenario,
            axes: sweep.columns.iter().map(|column| column.key.as_str()).collect(),
            points: points.map(listed).collect(),
        };
        let document = Document {
            schema: LIST,
            provenance: &provenance,
            data: &data,
        };
        return Ok(document.to_bytes()?);
    }
    let words = |number| {
        let point = sweep.point(number);
        let (set, options) = (point.set(), sweep.options(&point));
        let set = set.iter().map(|set| format!("--set {}", provenance::quoted(set)));
        let options = options.iter().map(|option| provenance::quoted(option));
        format!("{number}  {}\n", set.chain(options).collect::<Vec<_>>().join(" "))
    };
    Ok(points.map(words).collect::<String>().into_bytes())
}

/// How much there is.
pub fn status(summary: &Summary, json: bool) -> Result<Vec<u8>, Failure> {
    if json {
        let document = Document {
            schema: STATUS,
            provenance: &provenance::of_this_run(None),
            data: summary,
        };
        return Ok(document.to_bytes()?);
    }
    let mut text = counts(summary);
    let size = fresco_input::format_size(summary.bytes);
    text.push_str(&format!("results  {} in {} segments", size, summary.segments));
    if summary.torn_bytes > 0 {
        text.push_str(&format!(
            ", of which {} bytes are no whole results: being written, or of runners that were killed",
            summary.torn_bytes
        ));
    }
    text.push('\n');
    text.push_str(&failures(summary)?);
    Ok(text.into_bytes())
}

fn counts(summary: &Summary) -> String {
    format!(
        "{}: {} points: {} done, {} failed, {} missing\n",
        summary.sweep, summary.points, summary.done, summary.failed, summary.missing
    )
}

/// Failures that a terminal shows.
const MOST_SHOWN: usize = 5;
/// Effects that a terminal shows, and how much of the variance they are of at least.
const MOST_EFFECTS: usize = 12;
pub const LEAST_SHARE: f64 = 0.01;

fn failures(summary: &Summary) -> Result<String, ReportError> {
    if summary.failures.is_empty() {
        return Ok(String::new());
    }
    let mut text = String::new();
    for failed in summary.failures.iter().take(MOST_SHOWN) {
        let lines = failed.error.replace('\n', "\n  ");
        text.push_str(&format!(
            "point {} failed: {}\n  {lines}\n",
            failed.point,
            failed.set.join(" ")
        ));
    }
    if summary.failed as usize > MOST_SHOWN {
        text.push_str(&format!(
            "and {} others: table points, column error\n",
            summary.failed as usize - MOST_SHOWN
        ));
    }
    Ok(text)
}

/// What is said at the end.
pub fn text(sweep: &Sweep, summary: &Summary, report: Option<&Report>, lines: &str) -> Result<String, Failure> {
    let mut text = counts(summary);
    if let Some(report) = report.filter(|report| !report.effects.is_empty()) {
        text.push('\n');
        let mut shown: Vec<&Effect> = report.effects.iter().filter(|one| one.share >= LEAST_SHARE).collect();
        shown.sort_by(|a, b| a.response.cmp(&b.response).then(b.share.total_cmp(&a.share)));
        shown.truncate(MOST_EFFECTS);
        text.push_str(&effects(sweep, shown)?.to_text(crate::terminal_width()));
        text.push('\n');
    }
    text.push_str(&failures(summary)?);
    text.push_str(lines);
    Ok(text)
}

/// How well a share is known.
pub fn known(sweep: &Sweep, effect: &Effect) -> String {
    let is_sampled = sweep.spec.sampled.iter().any(|axis| axis.key == effect.axis);
    match (effect.estimated_from, is_sampled) {
        (None, _) => "exact".to_owned(),
        (Some(from), true) => format!("estimated, {from} samples"),
        (Some(from), false) => format!("estimated, {from} points"),
    }
}

/// How much each axis decides, a row for each axis and response.
pub fn effects<'e>(sweep: &Sweep, effects: impl IntoIterator<Item = &'e Effect>) -> Result<Table, ReportError> {
    let columns = vec![
        Column::text("measured"),
        Column::text("axis"),
        Column::number("share", "%", 1),
        Column::text("share is"),
        Column::text("smallest mean"),
        Column::text("at"),
        Column::text("largest mean"),
        Column::text("at"),
    ];
    let mut table = Table::new(format!("{}: how much each axis decides", sweep.spec.name), columns);
    for effect in effects {
        let value = |mean: f64| worded(&effect.response.unit, mean);
        let ends = (
            effect.values.iter().min_by(|a, b| a.mean.total_cmp(&b.mean)),
            effect.values.iter().max_by(|a, b| a.mean.total_cmp(&b.mean)),
        );
        let (Some(least), Some(most)) = ends else { continue };
        table.push(vec![
            effect.response.words().into(),
            effect.axis.as_str().into(),
            Cell::Number(100.0 * effect.share),
            known(sweep, effect).into(),
            value(least.mean).into(),
            least.value.as_str().into(),
            value(most.mean).into(),
            most.value.as_str().into(),
        ])?;
    }
    Ok(table)
}
