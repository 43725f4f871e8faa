// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as columns of Arrow, which data frames take without copying.

use super::{DataColumn, DataTable, Kind, Value};
use crate::ReportError;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::collections::HashMap;
use std::sync::Arc;

/// Key of a column's unit among the metadata of its field.
pub const UNIT: &str = "unit";

/// The schema of a table. Each column may be null; one with a unit has it in its metadata under [`UNIT`].
pub fn to_schema(table: &DataTable) -> SchemaRef {
    let fields: Vec<Field> = table.columns().iter().map(field).collect();
    Arc::new(Schema::new(fields))
}

/// The rows of a table.
///
/// # Errors
/// None in practice: columns are as long as the table has rows.
pub fn to_record_batch(table: &DataTable) -> Result<RecordBatch, ReportError> {
    let columns = table
        .columns()
        .iter()
        .enumerate()
        .map(|(number, column)| array(column.kind, table.column(number)));
    RecordBatch::try_new(to_schema(table), columns.collect()).map_err(|error| ReportError::File(error.to_string()))
}

fn field(column: &DataColumn) -> Field {
    let kind = match column.kind {
        Kind::Text => DataType::Utf8,
        Kind::Integer => DataType::Int64,
        Kind::Number => DataType::Float64,
        Kind::Truth => DataType::Boolean,
    };
    let unit = column.unit().map(|unit| (UNIT.to_owned(), unit.to_owned()));
    Field::new(&column.name, kind, true).with_metadata(HashMap::from_iter(unit))
}

fn array<'v>(kind: Kind, values: impl Iterator<Item = &'v Value>) -> ArrayRef {
    match kind {
        Kind::Text => {
            let mut texts = StringBuilder::new();
            values.for_each(|value| match value {
                Value::Name(text) => texts.append_value(text),
                Value::Text(text) => texts.append_value(text),
                _ => texts.append_null(),
            });
            Arc::new(texts.finish())
        }
        Kind::Integer => {
            let mut numbers = Int64Builder::new();
            values.for_each(|value| match value {
                Value::Integer(number) => numbers.append_value(*number),
                _ => numbers.append_null(),
            });
            Arc::new(numbers.finish())
        }
        Kind::Number => {
            let mut numbers = Float64Builder::new();
            values.for_each(|value| match value {
                Value::Number(number) => numbers.append_value(*number),
                _ => numbers.append_null(),
            });
            Arc::new(numbers.finish())
        }
        Kind::Truth => {
            let mut truths = BooleanBuilder::new();
            values.for_each(|value| match value {
                Value::Truth(truth) => truths.append_value(*truth),
                _ => truths.append_null(),
            });
            Arc::new(truths.finish())
        }
    }
}
