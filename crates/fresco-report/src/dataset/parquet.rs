// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as Parquet.

use super::{DataTable, arrow};
use crate::{Provenance, ReportError};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::io::Write;

/// Key of the provenance among the file's key-value metadata: the same JSON as in `provenance.json`.
pub const KEY: &str = "fresco.provenance";

/// The table as a Parquet file. Text and numbers that repeat are dictionaries; nothing else is compressed. What was run stands in
/// its metadata, as a whole under `fresco.provenance`, and field by field under names such as `fresco.command`; units of columns
/// in those of their Arrow fields.
///
/// # Errors
/// None in practice: memory can be written to.
pub fn to_parquet(table: &DataTable, provenance: &Provenance) -> Result<Vec<u8>, ReportError> {
    let mut writer = ParquetWriter::new(Vec::new(), table, provenance)?;
    writer.add(table)?;
    writer.finish()
}

/// A Parquet file that is written row group by row group, for tables that do not fit into memory.
///
/// ```
/// use fresco_report::Provenance;
/// use fresco_report::dataset::{DataColumn, DataTable, Kind, ParquetWriter, to_parquet};
///
/// let mut table = DataTable::new("numbers", vec![DataColumn::new("n", Kind::Integer)]);
/// let provenance = Provenance::new("0.1.0", "fresco", None);
/// let mut writer = ParquetWriter::new(Vec::new(), &table, &provenance)?;
/// table.push([7u32.into()])?;
/// writer.add(&table)?;
/// assert_eq!(writer.finish()?, to_parquet(&table, &provenance)?);
/// # Ok::<(), fresco_report::ReportError>(())
/// ```
pub struct ParquetWriter<W: Write + Send> {
    name: &'static str,
    file: ArrowWriter<W>,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// A file with the columns of `table`; none of its rows yet.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(into: W, table: &DataTable, provenance: &Provenance) -> Result<Self, ReportError> {
        let name = table.name;
        let open = || {
            let properties = WriterProperties::builder()
                .set_created_by(provenance.tool_line())
                .set_key_value_metadata(Some(metadata(provenance)?))
                .build();
            ArrowWriter::try_new(into, arrow::to_schema(table), Some(properties))
        };
        let file = open().map_err(|error| failed(name, &error))?;
        Ok(Self { name, file })
    }

    /// Adds the rows of `table`, which has the same columns, as a row group; nothing if it has none.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, table: &DataTable) -> Result<(), ReportError> {
        if table.rows() == 0 {
            return Ok(());
        }
        let rows = arrow::to_record_batch(table)?;
        let added = self.file.write(&rows).and_then(|()| self.file.flush());
        added.map_err(|error| failed(self.name, &error))
    }

    /// Ends the file, and gives back what it was written to.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<W, ReportError> {
        self.file.into_inner().map_err(|error| failed(self.name, &error))
    }
}

fn failed(name: &str, error: &ParquetError) -> ReportError {
    ReportError::File(format!("{name}.parquet: {error}"))
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
