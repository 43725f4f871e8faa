// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of simulations, as every verb that simulates shows them: JSON, a report, tables as text.

use crate::failure::Failure;
use crate::files::{self, ReportDirectory};
use fresco_input::InputError;
use fresco_plan::Plan;
use fresco_report::Provenance;
use fresco_show::sweep::Sweep;
use fresco_show::table::Tasks;
use fresco_show::{json, page, text, timelines};
use fresco_system::results::ScenarioResult;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// What came of runs.
#[derive(Deserialize)]
pub struct Results {
    /// In the order of the command line.
    pub scenarios: Vec<ScenarioResult>,
}

impl Results {
    /// As JSON.
    ///
    /// # Errors
    /// None in practice: they are text, numbers and lists.
    pub fn json(&self, provenance: &Provenance) -> Result<Vec<u8>, Failure> {
        Ok(json::of(&self.scenarios, provenance)?)
    }

    /// Reads what [`Self::json`] made, such as the results of a report.
    ///
    /// # Errors
    /// The file cannot be read, is no such document, or one whose fields are not those of this version.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        #[derive(Deserialize)]
        struct Head {
            schema: Option<String>,
        }
        #[derive(Deserialize)]
        struct Whole {
            data: Results,
        }
        // Only the right document is said to lack fields.
        let Head { schema } = parsed(path)?;
        if schema.as_deref() != Some(json::SCHEMA) {
            let found = schema.map_or("found no schema".to_owned(), |schema| {
                format!("found schema {schema:?}")
            });
            return Err(unlike(path, found).in_field("schema"));
        }
        Ok(parsed::<Whole>(path)?.data)
    }

    /// Writes the report, if there is a directory for one; `plans` are those that were run.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(
        &self,
        directory: Option<&ReportDirectory>,
        plans: &[&Plan],
        provenance: &Provenance,
    ) -> Result<(), Failure> {
        let Some(directory) = directory else { return Ok(()) };
        let (page, figures) = page::of(&self.scenarios, plans, provenance)?;
        let trace = timelines::trace_file(&self.scenarios, provenance)?;
        directory.write_with(&page, &self.json(provenance)?, &figures, Vec::from_iter(trace))
    }

    /// As tables, with where the report is, if it was written.
    ///
    /// # Errors
    /// None in practice: a number that is none.
    pub fn text(&self, tasks: Tasks, report: Option<&Path>, provenance: &Provenance) -> Result<String, Failure> {
        let sweeps: Vec<Sweep<'_>> = self.scenarios.iter().map(Sweep::new).collect();
        let mut text = text::of(&sweeps, tasks, crate::terminal_width(), provenance)?;
        if let Some(directory) = report {
            text.push_str(&format!("report   {}\n", directory.join(files::PAGE).display()));
        }
        Ok(text)
    }
}

/// A document of JSON, read as it is parsed: results may be long.
fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, InputError> {
    let file = File::open(path).map_err(|error| unlike(path, format!("cannot be read: {error}")))?;
    serde_json::from_reader(BufReader::new(file)).map_err(|error| unlike(path, format!("found no results: {error}")))
}

fn unlike(path: &Path, found: String) -> InputError {
    let error = InputError::new(path.display().to_string(), found);
    let error = error.allowed(format!("results of fresco sim, schema {:?}", json::SCHEMA));
    error.help("write them anew: fresco sim --out DIR, or --json")
}

#[cfg(test)]
pub mod tests;
