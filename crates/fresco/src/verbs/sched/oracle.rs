// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sched oracle`: the answers of an independent program, recomputed field by field.

use crate::failure::{Outcome, WANTING};
use crate::output;
use crate::progress;
use crate::provenance;
use fresco_input::InputError;
use fresco_report::{Document, InputFile};
use fresco_rt::oracle::{self, Difference, RecordError};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco sched oracle`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A file holds a list of records, or one, or worked examples by name. A record with `candidates` (or `cands`) is a set of \
tasks under Colored Refresh, one with W1 and W2 a pair of servers; docs/file-formats.md says what they hold. Answers that \
are unique are compared, witnesses are checked. Exit status 1 if anything differs.

Examples:
  fresco sched oracle sets.json
  fresco sched oracle sets.json --json > differences.json")]
pub struct Args {
    /// Files of records
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// What `--json` prints: schema `fresco-sched-oracle/1`.
#[derive(Serialize)]
struct Comparison {
    /// Records read.
    records: u64,
    /// Answers that differ, in the order of the files.
    differences: Vec<Shown>,
}

/// A [`Difference`] with its file.
#[derive(Serialize)]
struct Shown {
    file: String,
    record: String,
    field: String,
    expected: String,
    found: String,
}

/// Compares every record.
pub fn run(args: &Args) -> Outcome {
    let mut comparison = Comparison {
        records: 0,
        differences: Vec::new(),
    };
    let mut provenance = provenance::of_this_run(None);
    for file in &args.files {
        let text = fresco_input::read_file(file)?;
        let name = fresco_input::file_name(file);
        provenance.inputs.push(InputFile::new(&name, provenance::digest(&text)));
        let value = parse(&name, &text)?;
        let entries = oracle::entries(&value).map_err(|error| refused(&name, "", &error))?;
        let bar = progress::bar(entries.len() as u64, &name);
        for entry in &entries {
            let differences = entry.compare().map_err(|error| refused(&name, &entry.place, &error))?;
            comparison
                .differences
                .extend(differences.into_iter().map(|d| shown(&name, d)));
            comparison.records += 1;
            bar.inc(1);
        }
        bar.finish_and_clear();
    }
    match args.json {
        true => {
            let document = Document {
                schema: "fresco-sched-oracle/1",
                provenance: &provenance,
                data: &comparison,
            };
            output::write(document.to_bytes()?)?;
        }
        false => output::write_text(&text(&comparison))?,
    }
    Ok(match comparison.differences.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    })
}

fn text(comparison: &Comparison) -> String {
    let line = |d: &Shown| {
        format!(
            "{}: {}: {}: expected {}, found {}\n",
            d.file, d.record, d.field, d.expected, d.found
        )
    };
    let mut text: String = comparison.differences.iter().map(line).collect();
    let (records, differences) = (comparison.records, comparison.differences.len());
    text.push_str(&format!("{records} records, {differences} differences\n"));
    text
}

fn shown(file: &str, difference: Difference) -> Shown {
    Shown {
        file: file.to_owned(),
        record: difference.record,
        field: difference.field,
        expected: difference.expected,
        found: difference.found,
    }
}

fn parse(name: &str, text: &str) -> Result<Value, InputError> {
    serde_json::from_str(text).map_err(|error| {
        InputError::new(name, format!("found no JSON: {error}"))
            .at_line(error.line() as u32)
            .help("give a file of records, as docs/file-formats.md describes them")
    })
}

/// A record that cannot be compared; `place` says which, unless the error does.
fn refused(file: &str, place: &str, error: &RecordError) -> InputError {
    let place = if place.is_empty() { &error.record } else { place };
    let parts = [place, &error.field, &error.message].into_iter();
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let help = match error.help.as_str() {
        "" => "correct the record, see docs/file-formats.md",
        help => help,
    };
    InputError::new(file, parts.join(": ")).help(help)
}
