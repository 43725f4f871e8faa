// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was measured: samples over seeds and repetitions.

use super::source::Source;
use crate::failure::Failure;
use fresco_input::InputError;
use fresco_report::dataset::Value;
use serde::Serialize;
use std::collections::BTreeMap;

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

/// The samples of a file; those of some metrics alone, if some are named. An axis of seeds makes samples, as repetitions do.
///
/// # Errors
/// It cannot be read, or has no value.
pub fn read(source: &Source, metrics: &[String]) -> Result<Samples, Failure> {
    let mut samples = Samples::new();
    source.rows(|names, values| {
        let (of, number) = observation(names, values);
        let is_wanted = metrics.is_empty() || metrics.contains(&of.metric);
        if let (Some(number), true) = (number.filter(|number| number.is_finite()), is_wanted) {
            samples.entry(of).or_default().push(number);
        }
    })?;
    if samples.is_empty() {
        let error = InputError::new(source.file.display().to_string(), "found no value to compare");
        let error = error.allowed("observations with a metric and a value, and the metrics that are asked for");
        return Err(error.help("check the path and --metric").into());
    }
    Ok(samples)
}

/// What a row says, and its value.
fn observation(names: &[String], values: &[Value]) -> (Measured, Option<f64>) {
    let mut of = Measured::default();
    let mut number = None;
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
            "value" => number = text.parse::<f64>().ok(),
            "axis.seed" => {}
            name => {
                if let Some(axis) = name.strip_prefix("axis.") {
                    of.axes.push((axis.to_owned(), plain(&text)));
                }
            }
        }
    }
    of.axes.sort();
    (of, number)
}
