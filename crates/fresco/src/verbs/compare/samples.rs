// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was measured: samples over seeds and repetitions.

use super::source::Source;
use crate::failure::Failure;
use fresco_input::InputError;
use fresco_report::dataset::Value;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What is compared with its like: everything of an observation but the run and the value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Measured {
    /// Name of the scenario or plan; empty where scenarios are compared.
    pub scenario: String,
    /// Names of axes and their values, in the order of the names; without those that are compared.
    pub axes: Vec<(String, String)>,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What it is measured of: `task`, `core` and so on.
    pub subject_kind: String,
    /// Its name or number.
    pub subject: String,
    /// The task, if it is one or belongs to one.
    pub task: Option<String>,
}

/// Values of each seed and repetition.
pub type Samples = BTreeMap<Measured, Vec<f64>>;

/// A value of an axis, however it is written: 7 and 7.0 are one.
pub fn plain(value: &str) -> String {
    value
        .parse::<f64>()
        .map_or(value.to_owned(), |number| number.to_string())
}

/// What a file has.
pub struct Found {
    /// The samples of the metrics that are asked for.
    pub samples: Samples,
    /// All metrics, also those that are not asked for.
    pub metrics: BTreeSet<String>,
    /// Rows of the metrics that are asked for without a value.
    pub missing: usize,
}

/// The samples of a file; those of some metrics alone, if some are named. An axis of seeds makes samples, as repetitions do; runs with the same
/// seed are one run, however often they stand there.
///
/// # Errors
/// It cannot be read, or a value is no number.
pub fn read(source: &Source, metrics: &[String]) -> Result<Found, Failure> {
    let mut samples: BTreeMap<Measured, BTreeMap<Run, f64>> = BTreeMap::new();
    let (mut all, mut missing, mut wrong) = (BTreeSet::new(), 0, None);
    let mut row = 0;
    source.rows(|names, values| {
        let (of, seed, given) = observation(names, values);
        row += 1;
        if !all.contains(&of.metric) {
            all.insert(of.metric.clone());
        }
        if !metrics.is_empty() && !metrics.contains(&of.metric) {
            return;
        }
        match given {
            Given::Number(number) => {
                let run = seed.map_or(Run::Row(row), Run::Seed);
                samples.entry(of).or_default().entry(run).or_insert(number);
            }
            Given::Nothing => missing += 1,
            Given::Wrong(text) => _ = wrong.get_or_insert((row, text)),
        }
    })?;
    if let Some((row, text)) = wrong {
        let error = InputError::new(source.file.display().to_string(), format!("found {text:?}"));
        let error = error
            .in_field(format!("row {row}: value"))
            .allowed("a finite number, or NaN or nothing where there is no value");
        return Err(error
            .help(
                "write the table anew, or take the row out; rows are counted from 1, without the names of the columns",
            )
            .into());
    }
    let values = |runs: BTreeMap<Run, f64>| runs.into_values().collect();
    Ok(Found {
        samples: samples.into_iter().map(|(of, runs)| (of, values(runs))).collect(),
        metrics: all,
        missing,
    })
}

/// The value of a row.
enum Given {
    Number(f64),
    /// None, or NaN, as other programs write it.
    Nothing,
    /// No number, or one that is too large.
    Wrong(String),
}

impl Given {
    fn read(text: String) -> Self {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Self::Number(number),
            Ok(number) if number.is_nan() => Self::Nothing,
            _ => Self::Wrong(text),
        }
    }
}

/// Which run a value is of: by its seed, or by the row where no seed is told.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Run {
    Seed(String),
    Row(usize),
}

/// What a row says, its seed, and its value.
fn observation(names: &[String], values: &[Value]) -> (Measured, Option<String>, Given) {
    let mut of = Measured::default();
    let (mut seed, mut given) = (None, Given::Nothing);
    for (name, value) in std::iter::zip(names, values) {
        let text = match value {
            Value::Missing => continue,
            Value::Text(text) => text.to_string(),
            Value::Name(text) => (*text).to_owned(),
            Value::Integer(number) => number.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Truth(truth) => truth.to_string(),
        };
        match name.as_str() {
            "scenario" => of.scenario = text,
            "metric" => of.metric = text,
            "unit" => of.unit = text,
            "subject_kind" => of.subject_kind = text,
            "subject" => of.subject = text,
            "task" => of.task = Some(text),
            "value" => given = Given::read(text),
            "seed" => seed = Some(plain(&text)),
            "axis.seed" => {}
            name => {
                if let Some(axis) = name.strip_prefix("axis.") {
                    of.axes.push((axis.to_owned(), plain(&text)));
                }
            }
        }
    }
    of.axes.sort();
    (of, seed, given)
}
