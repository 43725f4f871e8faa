// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as JSON: numbers with all their digits, whatever the text shows.

use super::{Cell, Column, Table};
use serde::ser::{Serialize, SerializeStruct, Serializer};

impl Serialize for Table {
    /// `{"title": …, "columns": [{"name": …, "unit": …}], "rows": [[…]]}`; a missing cell is `null`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_struct("Table", 3)?;
        table.serialize_field("title", &self.title)?;
        table.serialize_field("columns", &self.columns)?;
        table.serialize_field("rows", &self.rows)?;
        table.end()
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut column = serializer.serialize_struct("Column", 2)?;
        column.serialize_field("name", &self.name)?;
        column.serialize_field("unit", &self.unit)?;
        column.end()
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Text(text, _) => serializer.serialize_str(text),
            Cell::Number(value) => serializer.serialize_f64(*value),
            Cell::Count(value) => serializer.serialize_u64(*value),
            Cell::Missing => serializer.serialize_unit(),
        }
    }
}
