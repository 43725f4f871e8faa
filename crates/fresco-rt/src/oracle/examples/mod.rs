// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of worked examples: an object whose entries have names, each of the kind that its fields tell.
//!
//! Executives and their tables (`cands`; `avail`), servers at all densities (`dens`), counterexamples (`cfg`), budgets that a
//! lock takes away (`min_supplied`), and groups of such entries.

mod colors;
mod counterexample;
mod densities;

use serde_json::{Map, Value};

use super::json::Record;
use super::{Difference, RecordError, executive};
use crate::policy::{Order, Policy};

/// A worked example under its name.
#[derive(Clone, Debug)]
pub struct Example<'a> {
    name: String,
    value: &'a Value,
    kind: Kind<'a>,
}

/// What an example is.
#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    /// Tasks under Colored Refresh.
    Executive,
    /// Colors that the tasks of an executive keep away from; holds the executive.
    Colors(&'a Value),
    /// Colors that the first task of an executive may keep away from; holds the executive.
    SingleColors(&'a Value),
    /// Two servers at every density.
    Densities,
    /// Two servers and their misses.
    Counterexample,
    /// Two servers whose budgets are not delivered.
    Supplied,
}

impl Example<'_> {
    /// Names that lead to it, with dots.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Computes every recorded answer again and returns those that differ.
    ///
    /// # Errors
    /// If an input is missing or impossible.
    pub fn compare(&self) -> Result<Vec<Difference>, RecordError> {
        let record = Record::named(self.value, &self.name);
        match self.kind {
            Kind::Executive => executive::compare_named(record),
            Kind::Colors(tasks) => colors::compare_sets(record, tasks),
            Kind::SingleColors(tasks) => colors::compare_single(record, tasks),
            Kind::Densities => densities::compare_record(record),
            Kind::Counterexample => counterexample::compare_record(record),
            Kind::Supplied => counterexample::compare_supplied(record),
        }
    }
}

/// Tables of colors, and the executive of the same file that their tasks are those of.
const TABLES: [(&str, &str); 3] = [
    ("table4_2", "example1"),
    ("table4_5", "table4_4"),
    ("table4_6_lms_single_color", "table4_4"),
];

/// The examples of a file in the order of their names, groups taken apart.
///
/// # Errors
/// If one is of no known kind, or a table's executive is not in the file.
pub(super) fn of(named: &Map<String, Value>) -> Result<Vec<Example<'_>>, RecordError> {
    let mut found = Vec::new();
    collect("", named, named, &mut found)?;
    Ok(found)
}

fn collect<'a>(
    prefix: &str,
    group: &'a Map<String, Value>,
    file: &'a Map<String, Value>,
    found: &mut Vec<Example<'a>>,
) -> Result<(), RecordError> {
    for (key, value) in group {
        let name = format!("{prefix}{key}");
        let refused = |message: String, help: &str| Record::named(value, &name).error("", message).cured(help);
        let fields = value.as_object().filter(|fields| !fields.is_empty());
        let fields = fields.ok_or_else(|| {
            let message = "found a worked example that is no object with fields".to_owned();
            refused(message, "see docs/file-formats.md for the kinds there are")
        })?;
        let has = |key: &str| fields.contains_key(key);
        let colors = !fields.is_empty() && fields.iter().all(|(k, v)| k.parse::<usize>().is_ok() && v.is_boolean());
        let kind = if has("cands") || has("candidates") {
            Kind::Executive
        } else if has("avail") || colors {
            let executive = TABLES.iter().find(|(table, _)| table == key).map(|&(_, of)| of);
            let tasks = executive.and_then(|of| file.get(of)).ok_or_else(|| {
                let message = format!(
                    "found a table of colors without its tasks; known are {}",
                    known_tables()
                );
                refused(message, "add the executive to the file")
            })?;
            if colors {
                Kind::SingleColors(tasks)
            } else {
                Kind::Colors(tasks)
            }
        } else if has("dens") {
            Kind::Densities
        } else if has("cfg") {
            Kind::Counterexample
        } else if has("min_supplied") {
            Kind::Supplied
        } else if fields.values().all(Value::is_object) {
            collect(&format!("{name}."), fields, file, found)?;
            continue;
        } else {
            let message = "found a worked example of no known kind; allowed: one with `cands`, `avail`, `dens`, `cfg` or \
                           `min_supplied`, or a group of such";
            return Err(refused(message.to_owned(), "see docs/file-formats.md"));
        };
        found.push(Example { name, value, kind });
    }
    Ok(())
}

fn known_tables() -> String {
    TABLES.map(|(table, of)| format!("{table} of {of}")).join(", ")
}

/// The policy of an example: `edf`, or `fp`, priorities by deadline.
fn policy(record: &Record) -> Result<Policy, RecordError> {
    match record.field("policy")?.as_str() {
        Some("edf") => Ok(Policy::Edf),
        Some("fp") => Ok(Policy::FixedPriority(Order::DeadlineMonotonic)),
        _ => Err(record
            .error("policy", "found no known policy; allowed: edf, fp")
            .cured("write \"edf\" or \"fp\"")),
    }
}
