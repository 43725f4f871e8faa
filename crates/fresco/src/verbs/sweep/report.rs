// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is said of a sweep: the same whoever ran it.

use crate::failure::Failure;
use fresco_report::{Document, Provenance};
use fresco_sweep::{Column, Effect, Effects, FailedPoint, Index, Merged, Response, Shard, Sweep, summarize};
use serde::Serialize;

/// Schema of the JSON.
const SCHEMA: &str = "fresco-sweep/1";

/// A unit in which numbers up to `largest` are short, and by how much the others are multiplied.
pub fn scaled(unit: &str, largest: f64) -> (f64, &str) {
    match unit {
        "ns" if largest >= 1e6 => (1e-6, "ms"),
        "bytes/s" => (1e-6, "MB/s"),
        "ratio" | "count" => (1.0, ""),
        unit => (1.0, unit),
    }
}

/// A value with its unit, for people.
pub fn worded(unit: &str, value: f64) -> String {
    let (factor, short) = scaled(unit, value.abs());
    let digits = if short.is_empty() || short == "ms" { 3 } else { 1 };
    format!("{:.digits$} {short}", value * factor).trim_end().to_owned()
}

/// Results of a sweep, in short.
#[derive(Serialize)]
pub struct Report {
    /// Its name.
    pub sweep: String,
    /// Its scenario.
    pub scenario: String,
    /// How many points it has.
    pub points: u32,
    /// Points with rows.
    pub done: u32,
    /// Points that failed.
    pub failed: u32,
    /// Points that were not run.
    pub missing: u32,
    /// Its axes.
    pub axes: Vec<ReportAxis>,
    /// What each axis does to what was measured.
    pub effects: Vec<Effect>,
    /// Where what was measured is smallest and largest.
    pub extremes: Vec<Extremes>,
    /// The first failures.
    pub failures: Vec<FailedPoint>,
    /// Points that should have rows.
    #[serde(skip)]
    pub index_done: u32,
}

/// An axis.
#[derive(Serialize)]
pub struct ReportAxis {
    /// Its key.
    pub key: String,
    /// Unit of its numbers; empty without.
    pub unit: String,
    /// Whether its values are numbers.
    pub is_number: bool,
}

/// Where something is smallest and largest.
#[derive(Serialize)]
pub struct Extremes {
    /// What.
    pub response: Response,
    /// Where it is smallest.
    pub least: AtPoint,
    /// Where it is largest.
    pub most: AtPoint,
}

/// A value at a point.
#[derive(Serialize)]
pub struct AtPoint {
    /// Number of the point.
    pub point: u32,
    /// What it sets, in words.
    pub values: String,
    /// Mean of the repetitions.
    pub value: f64,
}

impl Report {
    /// Of what was merged.
    pub fn new(sweep: &Sweep, index: &Index, merged: &Merged, effects: &Effects) -> Self {
        let summary = summarize(sweep, index, Shard::WHOLE);
        let at = |(point, value): (u32, f64)| AtPoint {
            point,
            values: sweep.point(point).words(sweep),
            value,
        };
        let axis = |column: &Column| ReportAxis {
            key: column.key.clone(),
            unit: column.unit.clone(),
            is_number: column.kind.is_number(),
        };
        let extremes = effects.extremes().into_iter().map(|one| Extremes {
            response: one.response.clone(),
            least: at(one.least),
            most: at(one.most),
        });
        Self {
            sweep: sweep.spec.name.clone(),
            scenario: sweep.spec.scenario.clone(),
            points: sweep.points(),
            done: merged.done,
            failed: merged.failed,
            missing: merged.missing,
            axes: sweep.columns.iter().map(axis).collect(),
            effects: effects.all(sweep),
            extremes: extremes.collect(),
            failures: summary.failures,
            index_done: summary.done,
        }
    }

    /// As JSON.
    ///
    /// # Errors
    /// None in practice: it is text, numbers and lists.
    pub fn json(&self, provenance: &Provenance) -> Result<Vec<u8>, Failure> {
        let document = Document {
            schema: SCHEMA,
            provenance,
            data: self,
        };
        Ok(document.to_bytes()?)
    }
}
