// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the experiments found: the table that claims are checked against.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Labels of a row or of a selector: `policy` = `samebank`, `corunners` = `3`.
pub type Labels = BTreeMap<String, String>;

/// One configuration of an experiment and what was measured in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Which configuration.
    pub labels: Labels,
    /// Measured values by name, the unit in the name: `latency_ns.mean`, `time_ms.max`.
    pub values: BTreeMap<String, f64>,
}

impl Row {
    /// An empty row.
    pub fn new() -> Self {
        Self::default()
    }

    /// The row with one more label.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.labels.insert(name.into(), value.to_string());
        self
    }

    /// The row with one more value.
    #[must_use]
    pub fn value(mut self, name: impl Into<String>, value: f64) -> Self {
        self.values.insert(name.into(), value);
        self
    }

    fn has(&self, labels: &Labels) -> bool {
        labels.iter().all(|(name, value)| self.labels.get(name) == Some(value))
    }
}

/// Rows of each experiment, by its name in `claims/experiments.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Results(pub BTreeMap<String, Vec<Row>>);

impl Results {
    /// No results.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a row to an experiment.
    pub fn push(&mut self, experiment: impl Into<String>, row: Row) {
        self.0.entry(experiment.into()).or_default().push(row);
    }

    /// The one value called `metric` in the rows of `experiment` that have all `labels`.
    ///
    /// # Errors
    /// Why there is none, in words for the verdict: experiment not run, no such row, several, not finite.
    pub(super) fn value(&self, experiment: &str, metric: &str, labels: &Labels) -> Result<f64, String> {
        let rows = self.rows(experiment)?;
        let values: Vec<f64> = rows
            .iter()
            .filter(|row| row.has(labels))
            .filter_map(|row| row.values.get(metric).copied())
            .collect();
        let what = || format!("{metric}{} in {experiment}", braced(labels));
        match values.as_slice() {
            [] => Err(format!("no result {}", what())),
            [value] if value.is_finite() => Ok(*value),
            [value] => Err(format!("{} is {value}", what())),
            several => Err(format!("{} results {}, one expected", several.len(), what())),
        }
    }

    /// The values that `label` takes in the rows of `experiment` that have all `labels`, at least one; numbers in their
    /// order, before names in theirs.
    ///
    /// # Errors
    /// Why there is none, as for [`Results::value`].
    pub(super) fn values_of(&self, experiment: &str, label: &str, labels: &Labels) -> Result<Vec<String>, String> {
        let rows = self.rows(experiment)?;
        let found: BTreeSet<&String> = rows
            .iter()
            .filter(|row| row.has(labels))
            .filter_map(|row| row.labels.get(label))
            .collect();
        if found.is_empty() {
            return Err(format!(
                "no result with label {label}{} in {experiment}",
                braced(labels)
            ));
        }
        let mut found: Vec<String> = found.into_iter().cloned().collect();
        found.sort_by_key(|value| value.parse::<u64>().unwrap_or(u64::MAX));
        Ok(found)
    }

    fn rows(&self, experiment: &str) -> Result<&[Row], String> {
        let rows = self.0.get(experiment).map(Vec::as_slice);
        rows.ok_or_else(|| format!("experiment {experiment} was not run"))
    }
}

/// `{a=1, b=2}`, or nothing.
pub(super) fn braced(labels: &Labels) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{{{}}}", pairs.join(", "))
}
