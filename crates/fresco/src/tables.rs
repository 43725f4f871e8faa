// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of `--csv` and `--parquet`.

use crate::failure::Failure;
use crate::files::{FileSet, ReportDirectory};
use crate::outputs::{self, refuse_standard_output};
use fresco_input::InputError;
use fresco_report::dataset::{to_csv, to_parquet};
use fresco_report::{Provenance, ReportError};
use fresco_tidy::{NAMES, OBSERVATIONS, Tables};
use std::path::{Path, PathBuf};

/// Beside the tables of `--csv`: what was run.
const PROVENANCE: &str = "provenance.json";

/// Where tables go.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Write everything measured as CSV there, a row for each observation: observations.csv, jobs.csv, spans.csv, latencies.csv,
    /// periods.csv, and provenance.json; replaces those that are there, and no other file
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,

    /// Write the same tables as Parquet there
    #[arg(long, value_name = "DIR")]
    parquet: Option<PathBuf>,
}

/// Directories that tables will be written to.
pub struct Destination {
    csv: Option<ReportDirectory>,
    parquet: Option<ReportDirectory>,
}

const CSV: FileSet = FileSet {
    option: "--csv",
    what: "table",
    manifest: ".fresco-csv",
    names: &[
        "observations.csv",
        "jobs.csv",
        "spans.csv",
        "latencies.csv",
        "periods.csv",
        PROVENANCE,
    ],
    goes: |name| name.strip_suffix(".csv").is_some_and(|name| NAMES.contains(&name)),
};

const PARQUET: FileSet = FileSet {
    option: "--parquet",
    what: "table",
    manifest: ".fresco-parquet",
    names: &[
        "observations.parquet",
        "jobs.parquet",
        "spans.parquet",
        "latencies.parquet",
        "periods.parquet",
    ],
    goes: |name| name.strip_suffix(".parquet").is_some_and(|name| NAMES.contains(&name)),
};

impl Options {
    /// Makes sure that the tables can be written, before anything long is run for them. `inputs` are the files that the run
    /// reads.
    ///
    /// # Errors
    /// A directory cannot be made or written to; a table would replace an input, a directory, a file that is not ours, or what
    /// standard output goes to.
    pub fn prepare(&self, inputs: &[PathBuf]) -> Result<Destination, InputError> {
        let prepare = |set: &'static FileSet, directory: &Option<PathBuf>| {
            let Some(directory) = directory else { return Ok(None) };
            for name in set.names {
                refuse_standard_output(set.option, &directory.join(name), false)?;
            }
            ReportDirectory::prepare_for(set, directory, inputs.to_vec()).map(Some)
        };
        Ok(Destination {
            csv: prepare(&CSV, &self.csv)?,
            parquet: prepare(&PARQUET, &self.parquet)?,
        })
    }

    /// Returns true if tables are asked for.
    pub fn are_wanted(&self) -> bool {
        self.csv.is_some() || self.parquet.is_some()
    }

    /// Lines for people: where the tables are.
    pub fn lines(&self) -> String {
        let line = |(directory, ending): (&Option<PathBuf>, &str)| {
            let path = |directory: &Path| directory.join(format!("{OBSERVATIONS}.{ending}"));
            directory
                .as_deref()
                .map(|directory| format!("tables   {}\n", path(directory).display()))
        };
        [(&self.csv, "csv"), (&self.parquet, "parquet")]
            .into_iter()
            .filter_map(line)
            .collect()
    }
}

impl Destination {
    /// Writes the tables, if any are asked for: those of a directory all together or not at all.
    ///
    /// # Errors
    /// A file cannot be written; the files of its directory are what they were then.
    pub fn write(
        &self,
        provenance: &Provenance,
        tables: impl FnOnce() -> Result<Tables, ReportError>,
    ) -> Result<(), Failure> {
        if self.csv.is_none() && self.parquet.is_none() {
            return Ok(());
        }
        let tables = tables()?;
        let csv = self.csv.as_ref().map(|directory| {
            let mut files = Vec::new();
            for table in tables.filled() {
                files.push((format!("{}.csv", table.name), to_csv(table)?));
            }
            files.push((PROVENANCE.to_owned(), json(provenance)?));
            directory.replace(files)
        });
        let parquet = self.parquet.as_ref().map(|directory| {
            let mut files = Vec::new();
            for table in tables.filled() {
                files.push((format!("{}.parquet", table.name), to_parquet(table, provenance)?));
            }
            directory.replace(files)
        });
        outputs::all([csv, parquet].into_iter().flatten())
    }
}

fn json(provenance: &Provenance) -> Result<Vec<u8>, ReportError> {
    let mut bytes = serde_json::to_vec_pretty(provenance).map_err(|error| ReportError::Json(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}
