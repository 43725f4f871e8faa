// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of simulations, as every verb that simulates shows them: JSON, a report, tables as text.

use crate::failure::Failure;
use crate::files::{self, ReportDirectory};
use fresco_plan::Plan;
use fresco_report::Provenance;
use fresco_show::sweep::Sweep;
use fresco_show::table::Tasks;
use fresco_show::{page, text, timelines};
use fresco_system::results::ScenarioResult;
use std::path::Path;

/// What came of runs.
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
        Ok(fresco_show::json::of(&self.scenarios, provenance)?)
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
