// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as CSV (RFC 4180 with line feeds).

use super::{DataTable, Value};
use crate::ReportError;

/// The table with a first line of names, in UTF-8: fields are quoted where they must be, and values that are missing empty.
///
/// # Errors
/// None in practice: memory can be written to.
pub fn to_csv(table: &DataTable) -> Result<Vec<u8>, ReportError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: &dyn std::fmt::Display| ReportError::File(format!("{}.csv: {error}", table.name));
    let names = table.columns().iter().map(|column| &column.name);
    writer.write_record(names).map_err(|error| failed(&error))?;
    let mut number = String::new();
    for row in table.each_row() {
        for value in row {
            let field = match value {
                Value::Missing => "",
                Value::Name(text) => text,
                Value::Text(text) => text,
                Value::Truth(true) => "true",
                Value::Truth(false) => "false",
                Value::Integer(_) | Value::Number(_) => {
                    use std::fmt::Write;
                    number.clear();
                    let _ = match value {
                        Value::Integer(value) => write!(number, "{value}"),
                        Value::Number(value) => write!(number, "{value}"),
                        _ => Ok(()),
                    };
                    &number
                }
            };
            writer.write_field(field).map_err(|error| failed(&error))?;
        }
        writer.write_record(None::<&[u8]>).map_err(|error| failed(&error))?;
    }
    writer.into_inner().map_err(|error| failed(&error))
}
