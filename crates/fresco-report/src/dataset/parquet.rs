// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as Parquet.

use super::{DataTable, arrow};
use crate::{Provenance, ReportError};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

/// Key of the provenance among the file's key-value metadata: the same JSON as in `provenance.json`.
pub const KEY: &str = "fresco.provenance";

/// The table as a Parquet file. Text and numbers that repeat are dictionaries; nothing else is compressed. What was run stands in
/// its metadata, as a whole under `fresco.provenance`, and field by field under names such as `fresco.command`; units of columns
/// in those of their Arrow fields.
///
/// # Errors
/// None in practice: memory can be written to.
pub fn to_parquet(table: &DataTable, provenance: &Provenance) -> Result<Vec<u8>, ReportError> {
    let rows = arrow::to_record_batch(table)?;
    let write = || {
        let properties = WriterProperties::builder()
            .set_created_by(provenance.tool_line())
            .set_key_value_metadata(Some(metadata(provenance)?))
            .build();
        let mut bytes = Vec::new();
        let mut file = ArrowWriter::try_new(&mut bytes, rows.schema(), Some(properties))?;
        file.write(&rows)?;
        file.close()?;
        Ok(bytes)
    };
    write().map_err(|error: ParquetError| ReportError::File(format!("{}.parquet: {error}", table.name)))
}

fn metadata(provenance: &Provenance) -> Result<Vec<KeyValue>, ParquetError> {
    let whole = serde_json::to_string(provenance).map_err(|error| ParquetError::General(error.to_string()))?;
    let mut entries = vec![KeyValue::new(KEY.to_owned(), whole)];
    for (name, value) in provenance.entries() {
        let key = format!("fresco.{name}");
        // Of several machines or inputs there is a line each.
        match entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => entry.value = Some(format!("{}\n{value}", entry.value.as_deref().unwrap_or_default())),
            None => entries.push(KeyValue::new(key, value)),
        }
    }
    Ok(entries)
}
