// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading back tables that were written as Parquet or CSV.

use super::Value;
use crate::ReportError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::fs::File;
use std::path::Path;

/// Calls `row` with the names of the columns and the values of each row, in their order. A path that ends in `.csv` is read as CSV, whose values are texts or
/// missing; others as Parquet. Values of kinds that [`Value`] has not count as missing.
///
/// # Errors
/// The file cannot be read, or is no such table; what `row` returns.
pub fn read_rows<E: From<ReportError>>(
    path: &Path,
    mut row: impl FnMut(&[String], &[Value]) -> Result<(), E>,
) -> Result<(), E> {
    match path.extension().is_some_and(|ending| ending == "csv") {
        true => of_csv(path, &mut row),
        false => of_parquet(path, &mut row),
    }
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> ReportError {
    ReportError::Unreadable(format!("{}: {error}", path.display()))
}

fn of_csv<E: From<ReportError>>(
    path: &Path,
    row: &mut impl FnMut(&[String], &[Value]) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| unreadable(path, &error))?;
    let names: Vec<String> = reader
        .headers()
        .map_err(|error| unreadable(path, &error))?
        .iter()
        .map(str::to_owned)
        .collect();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(path, &error))?;
        let value = |text: &str| {
            if text.is_empty() {
                Value::Missing
            } else {
                Value::from(text)
            }
        };
        let values: Vec<Value> = record.iter().map(value).collect();
        row(&names, &values)?;
    }
    Ok(())
}

fn of_parquet<E: From<ReportError>>(
    path: &Path,
    row: &mut impl FnMut(&[String], &[Value]) -> Result<(), E>,
) -> Result<(), E> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let reader = SerializedFileReader::new(file).map_err(|error| unreadable(path, &error))?;
    let columns = reader.metadata().file_metadata().schema_descr().columns().iter();
    let names: Vec<String> = columns.map(|column| column.name().to_owned()).collect();
    let value = |field: &Field| match field {
        Field::Str(text) => Value::from(text.as_str()),
        Field::Long(number) => Value::Integer(*number),
        Field::Double(number) => Value::finite(*number),
        Field::Bool(truth) => Value::Truth(*truth),
        _ => Value::Missing,
    };
    for record in reader.get_row_iter(None).map_err(|error| unreadable(path, &error))? {
        let record = record.map_err(|error| unreadable(path, &error))?;
        let values: Vec<Value> = record.get_column_iter().map(|(_, field)| value(field)).collect();
        row(&names, &values)?;
    }
    Ok(())
}
