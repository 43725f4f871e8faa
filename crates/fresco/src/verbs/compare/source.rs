// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where measured values stand: in a table, or in the results of `fresco sim`, of which the same table is made.

use crate::failure::Failure;
use crate::files::RESULTS;
use crate::shown::Results;
use fresco_input::{InputError, file_name, is_standard_input};
use fresco_report::ReportError;
use fresco_report::dataset::{Value, read_rows};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The files of a directory that have values. Those of one run have the same values; the first is read fastest.
const FILES: [&str; 3] = ["observations.parquet", "observations.csv", RESULTS];
/// What a file of Parquet begins with.
const PARQUET: &[u8] = b"PAR1";

/// A file with measured values.
pub struct Source {
    /// The file.
    pub file: PathBuf,
    is_table: bool,
}

impl Source {
    /// The file that a path means: itself, or the first of a directory that has values.
    ///
    /// # Errors
    /// There is none.
    pub fn of(path: &Path) -> Result<Self, InputError> {
        if is_standard_input(path) {
            let error = InputError::new(
                file_name(path),
                "found no place where measured values could be looked for",
            );
            return Err(error
                .allowed(format!("a directory with {}, or such a file", FILES.join(", ")))
                .help("write them to a file first: fresco sim SCENARIO --json > a.json"));
        }
        let mut files = FILES.map(|name| path.join(name)).into_iter();
        let file = match path.is_file() {
            true => Some(path.to_owned()),
            false => files.find(|file| file.is_file()),
        };
        let file = file.ok_or_else(|| {
            let error = InputError::new(path.display().to_string(), "found no measured values");
            error
                .allowed(format!("a directory with {}, or such a file", FILES.join(", ")))
                .help("write one by --out, --parquet or --csv of fresco sim, or by fresco sweep --out, whose tables --merge writes")
        })?;
        let is_named = file
            .extension()
            .is_some_and(|ending| ending == "csv" || ending == "parquet");
        Ok(Self {
            is_table: is_named || begins_with(&file, PARQUET),
            file,
        })
    }

    /// Calls `row` with the names of the columns and the values of each observation, as in the table of `fresco sim`.
    ///
    /// # Errors
    /// The file cannot be read, or is neither such a table nor such results.
    pub fn rows(&self, mut row: impl FnMut(&[String], &[Value])) -> Result<(), Failure> {
        if self.is_table {
            let read = read_rows(&self.file, |names: &[String], values: &[Value]| {
                row(names, values);
                Ok::<(), ReportError>(())
            });
            return read.map_err(|error| {
                let error = InputError::new("a table", error.to_string());
                let error = error.allowed("a table of observations as fresco writes them");
                error.help("write the table anew").into()
            });
        }
        let tables = fresco_tidy::scenarios(&Results::read(&self.file)?.scenarios)?;
        let [observations, ..] = tables.all();
        let names: Vec<String> = observations
            .columns()
            .iter()
            .map(|column| column.name.clone())
            .collect();
        for values in observations.each_row() {
            row(&names, &values.cloned().collect::<Vec<_>>());
        }
        Ok(())
    }
}

fn begins_with(path: &Path, start: &[u8]) -> bool {
    let mut found = vec![0; start.len()];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut found))
        .is_ok()
        && found == start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shown::tests::results;
    use fresco_input::Kind;
    use serde_json::{Value as Json, json};
    use std::collections::BTreeMap;
    use std::fs;

    /// Leaves two elements of each list: what is of one kind need not be tried often.
    fn shortened(value: &mut Json) {
        match value {
            Json::Object(fields) => fields.values_mut().for_each(shortened),
            Json::Array(values) => {
                values.truncate(2);
                values.iter_mut().for_each(shortened);
            }
            _ => {}
        }
    }

    /// The first pointer to each number of a document, by the pointer without numbers of elements.
    fn numbers(value: &Json, at: &str, like: &str, into: &mut BTreeMap<String, String>) {
        match value {
            Json::Object(fields) => fields.iter().for_each(|(name, value)| {
                numbers(value, &format!("{at}/{name}"), &format!("{like}/{name}"), into);
            }),
            Json::Array(values) => values.iter().enumerate().for_each(|(number, value)| {
                numbers(value, &format!("{at}/{number}"), like, into);
            }),
            Json::Number(_) => _ = into.entry(like.to_owned()).or_insert_with(|| at.to_owned()),
            _ => {}
        }
    }

    #[test]
    fn wrong_numbers_are_refused_or_shown() {
        let (_, directory) = results();
        let source = Source::of(directory.path()).expect("results");
        let all: Json = serde_json::from_slice(&fs::read(&source.file).expect("readable")).expect("JSON");
        let (mut tried, mut refused) = (0, 0);
        for scenario in all["data"]["scenarios"].as_array().expect("scenarios") {
            let mut document = json!({ "schema": all["schema"], "data": { "scenarios": [scenario] } });
            shortened(&mut document);
            let mut pointers = BTreeMap::new();
            numbers(&document, "", "", &mut pointers);
            for pointer in pointers.values() {
                for wrong in [json!(0), json!(u64::MAX), json!(-1)] {
                    let place = document.pointer_mut(pointer).expect("is there");
                    let right = std::mem::replace(place, wrong.clone());
                    fs::write(&source.file, document.to_string()).expect("is written");
                    match source.rows(|_, _| {}) {
                        Ok(()) => {}
                        Err(Failure::Input(error)) if error.kind == Kind::Input => refused += 1,
                        Err(failure) => panic!("{pointer}: {wrong}: {failure}"),
                    }
                    tried += 1;
                    *document.pointer_mut(pointer).expect("is there") = right;
                }
            }
        }
        assert!(tried > 1000 && refused > 200, "{tried}, {refused}");
    }
}
