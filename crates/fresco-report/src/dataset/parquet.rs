// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as Parquet.

use super::{DataTable, Kind, Value};
use crate::{Provenance, ReportError};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::collections::HashMap;
use std::sync::Arc;

/// Key of the provenance among the file's key-value metadata: the same JSON as in `provenance.json`.
pub const KEY: &str = "fresco.provenance";

/// The table as a Parquet file of one row group. Text and numbers that repeat are dictionaries; nothing else is compressed. What was run stands in
/// its metadata, as a whole under `fresco.provenance`, and field by field under names such as `fresco.command`.
///
/// # Errors
/// None in practice: memory can be written to.
pub fn to_parquet(table: &DataTable, provenance: &Provenance) -> Result<Vec<u8>, ReportError> {
    write(table, provenance).map_err(|error| ReportError::File(format!("{}.parquet: {error}", table.name)))
}

fn write(table: &DataTable, provenance: &Provenance) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by(provenance.tool_line())
        .set_key_value_metadata(Some(metadata(provenance)?))
        .build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema(table)?, Arc::new(properties))?;
    if table.rows() > 0 {
        let mut group = file.next_row_group()?;
        for (number, column) in table.columns().iter().enumerate() {
            let values = table.column(number);
            match column.kind {
                Kind::Text => add::<ByteArrayType>(&mut group, values, texts())?,
                Kind::Integer => add::<Int64Type>(&mut group, values, |value| match value {
                    Value::Integer(value) => Some(*value),
                    _ => None,
                })?,
                Kind::Number => add::<DoubleType>(&mut group, values, |value| match value {
                    Value::Number(value) => Some(*value),
                    _ => None,
                })?,
                Kind::Truth => add::<BoolType>(&mut group, values, |value| match value {
                    Value::Truth(value) => Some(*value),
                    _ => None,
                })?,
            }
        }
        group.close()?;
    }
    file.close()?;
    Ok(bytes)
}

/// Texts of values; those that the rows of a run share are one piece of memory.
fn texts() -> impl FnMut(&Value) -> Option<ByteArray> {
    let mut known: HashMap<Arc<str>, ByteArray> = HashMap::new();
    move |value| match value {
        Value::Name(text) => Some(ByteArray::from(*text)),
        Value::Text(text) => Some(match known.get(text) {
            Some(bytes) => bytes.clone(),
            None => {
                let bytes = ByteArray::from(&**text);
                known.insert(Arc::clone(text), bytes.clone());
                bytes
            }
        }),
        _ => None,
    }
}

/// Adds a column chunk; a value that is missing has definition level 0.
fn add<'v, D: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    values: impl Iterator<Item = &'v Value>,
    mut of: impl FnMut(&Value) -> Option<D::T>,
) -> Result<(), ParquetError> {
    let (mut present, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        let value = of(value);
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("fewer columns than the schema has".to_owned()));
    };
    column.typed::<D>().write_batch(&present, Some(&levels), None)?;
    column.close()
}

fn schema(table: &DataTable) -> Result<TypePtr, ParquetError> {
    let mut fields = Vec::new();
    for column in table.columns() {
        let (physical, logical) = match column.kind {
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Integer => (Physical::INT64, None),
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Truth => (Physical::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(&column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(field));
    }
    Ok(Arc::new(
        Type::group_type_builder(table.name).with_fields(fields).build()?,
    ))
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
