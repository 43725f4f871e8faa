// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was measured in a directory: samples over seeds and repetitions.

use fresco_input::InputError;
use fresco_report::ReportError;
use fresco_report::dataset::{Value, read_rows};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is compared with its like: everything of an observation but the run and the value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Measured {
    /// Name of the scenario or plan.
    pub scenario: String,
    /// Names of axes and their values, in the order of the names.
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

/// A failure of reading, or of the report crate.
pub struct Wrong(InputError);

impl From<ReportError> for Wrong {
    fn from(error: ReportError) -> Self {
        let error = InputError::new("a table", error.to_string());
        Self(
            error
                .allowed("observations.parquet or observations.csv as fresco writes them")
                .help("write the table anew"),
        )
    }
}

/// The table of a directory of `fresco sim --parquet` or `--csv`, or of a sweep; or the file of a table itself.
///
/// # Errors
/// There is none.
pub fn table(directory: &Path) -> Result<PathBuf, InputError> {
    if directory.is_file() {
        return Ok(directory.to_owned());
    }
    let names = ["observations.parquet", "observations.csv"].map(|name| directory.join(name));
    names.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        let error = InputError::new(directory.display().to_string(), "found no table of observations");
        error
            .allowed("a directory of fresco sweep --out, fresco sim --parquet or --csv")
            .help("add --parquet DIR to fresco sim; a report alone has no table")
    })
}

/// The samples of a directory; those of some metrics alone, if some are named. An axis of seeds makes samples, as repetitions do.
///
/// # Errors
/// There is no table, or it cannot be read.
pub fn read(directory: &Path, metrics: &[String]) -> Result<Samples, InputError> {
    let path = table(directory)?;
    let mut samples = Samples::new();
    let read = read_rows(&path, |names: &[String], values: &[Value]| -> Result<(), Wrong> {
        let mut of = Measured {
            scenario: String::new(),
            axes: Vec::new(),
            metric: String::new(),
            unit: String::new(),
            subject_kind: String::new(),
            subject: String::new(),
            task: None,
        };
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
                        // 7 and 7.0 are one value.
                        let text = text.parse::<f64>().map_or(text, |number| number.to_string());
                        of.axes.push((axis.to_owned(), text));
                    }
                }
            }
        }
        of.axes.sort();
        let is_wanted = metrics.is_empty() || metrics.contains(&of.metric);
        if let (Some(number), true) = (number.filter(|number| number.is_finite()), is_wanted) {
            samples.entry(of).or_default().push(number);
        }
        Ok(())
    });
    read.map_err(|Wrong(error)| error)?;
    match samples.is_empty() {
        false => Ok(samples),
        true => Err(InputError::new(path.display().to_string(), "found no value to compare")
            .allowed("a table with columns metric and value, and the metrics that are asked for")
            .help("check the directory and --metric")),
    }
}
