// SPDX-License-Identifier: MIT OR Apache-2.0
//! Long tables, one row per observation, as files that pandas, polars and R read without a parser of their own: CSV and
//! Parquet, with the same rows; and as columns of Arrow.

mod arrow;
mod csv;
mod parquet;
mod read;

pub use arrow::{UNIT, to_record_batch, to_schema};
pub use csv::to_csv;
pub use parquet::{ParquetWriter, to_parquet};
pub use read::read_rows;

use crate::ReportError;
use std::sync::Arc;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text: UTF-8 in Parquet.
    Text,
    /// Whole numbers: 64 bits with sign in Parquet.
    Integer,
    /// Finite numbers: 64-bit floating point in Parquet; in CSV the shortest decimals that are read back as the same number.
    Number,
    /// `true` or `false`.
    Truth,
}

impl Kind {
    /// The narrowest kind of which all these texts are: whole numbers, else finite numbers, else text.
    pub fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let of_text = |text: &str| match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(_), _) => Self::Integer,
            (_, Ok(number)) if number.is_finite() => Self::Number,
            _ => Self::Text,
        };
        texts.into_iter().map(of_text).reduce(Self::or).unwrap_or(Self::Integer)
    }

    /// The narrowest kind that has the values of both: text has those of all.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one,
            (Self::Integer | Self::Number, Self::Integer | Self::Number) => Self::Number,
            _ => Self::Text,
        }
    }

    /// Returns true if the values are whole or other numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }
}

/// A value. Any column may have rows without one: an empty field of CSV, a null of Parquet.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// There is none.
    #[default]
    Missing,
    /// Text that is known when the program is compiled.
    Name(&'static str),
    /// Text.
    Text(Arc<str>),
    /// A whole number.
    Integer(i64),
    /// A number; finite.
    Number(f64),
    /// Whether something is so.
    Truth(bool),
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataColumn {
    /// Name, with the unit as its end where there is one.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
}

/// Rows that share their first values: those of one run.
#[derive(Clone, Debug, Default, PartialEq)]
struct Block {
    shared: Vec<Value>,
    /// Row by row.
    values: Vec<Value>,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct DataTable {
    /// Name, which is that of its files without their ending.
    pub name: &'static str,
    columns: Vec<DataColumn>,
    blocks: Vec<Block>,
}

impl DataColumn {
    /// A column of that name.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
        }
    }

    /// The unit that the name ends with, if it is one of those that tables have.
    pub fn unit(&self) -> Option<&'static str> {
        const UNITS: [(&str, &str); 2] = [("_ns", "ns"), ("_bytes_per_s", "bytes/s")];
        let mut units = UNITS.into_iter();
        units.find_map(|(end, unit)| self.name.ends_with(end).then_some(unit))
    }
}

impl DataTable {
    /// A table without rows.
    pub fn new(name: &'static str, columns: Vec<DataColumn>) -> Self {
        Self {
            name,
            columns,
            blocks: Vec::new(),
        }
    }

    /// The columns.
    pub fn columns(&self) -> &[DataColumn] {
        &self.columns
    }

    /// The rows pushed from here on begin with these values.
    pub fn begin(&mut self, shared: Vec<Value>) {
        self.blocks.push(Block {
            shared,
            values: Vec::new(),
        });
    }

    /// Adds a row: the values after those that it shares with the others of its run.
    ///
    /// # Errors
    /// It has more or fewer values than the table has columns, a value is not of its column's kind, or a number is not finite.
    pub fn push(&mut self, row: impl IntoIterator<Item = Value>) -> Result<(), ReportError> {
        if self.blocks.is_empty() {
            self.begin(Vec::new());
        }
        let Some(block) = self.blocks.last_mut() else {
            return Ok(());
        };
        let before = block.values.len();
        block.values.extend(row);
        let found = block.shared.len() + block.values.len() - before;
        let checked = match found == self.columns.len() {
            true => std::iter::zip(&self.columns, block.shared.iter().chain(&block.values[before..]))
                .try_for_each(|(column, value)| value.check(column).map_err(Some)),
            false => Err(None),
        };
        if checked.is_err() {
            block.values.truncate(before);
        }
        checked.map_err(|error| {
            error.unwrap_or_else(|| ReportError::RowLength {
                table: self.name.to_owned(),
                row: self.rows() + 1,
                found,
                expected: self.columns.len(),
            })
        })
    }

    /// The rows of each run: the values that they share, and their own, row by row.
    pub fn blocks(&self) -> impl Iterator<Item = (&[Value], &[Value])> {
        self.blocks
            .iter()
            .map(|block| (block.shared.as_slice(), block.values.as_slice()))
    }

    /// Takes all rows away.
    pub fn clear(&mut self) {
        self.blocks.clear();
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        let own = |block: &Block| block.values.len() / (self.columns.len() - block.shared.len()).max(1);
        self.blocks.iter().map(own).sum()
    }

    /// The values of a column, from the first row to the last; none if there is no such column.
    fn column(&self, number: usize) -> impl Iterator<Item = &Value> {
        let width = self.columns.len();
        self.blocks.iter().flat_map(move |block| {
            let own = (width - block.shared.len()).max(1);
            block
                .values
                .chunks(own)
                .filter_map(move |row| match number.checked_sub(block.shared.len()) {
                    Some(number) => row.get(number),
                    None => block.shared.get(number),
                })
        })
    }

    /// The rows, each from its first value to its last.
    pub fn each_row(&self) -> impl Iterator<Item = impl Iterator<Item = &Value>> {
        let width = self.columns.len();
        self.blocks.iter().flat_map(move |block| {
            let own = (width - block.shared.len()).max(1);
            block.values.chunks(own).map(|row| block.shared.iter().chain(row))
        })
    }
}

impl Value {
    /// The number, or none if it is not finite.
    pub fn finite(number: f64) -> Self {
        if number.is_finite() {
            Self::Number(number)
        } else {
            Self::Missing
        }
    }

    /// A text as a value of this kind; missing if it is none.
    pub fn parse(text: &str, kind: Kind) -> Self {
        match kind {
            Kind::Text => text.into(),
            Kind::Integer => text.parse().map_or(Self::Missing, Self::Integer),
            Kind::Number => text.parse().map_or(Self::Missing, Self::finite),
            Kind::Truth => text.parse().map_or(Self::Missing, Self::Truth),
        }
    }

    fn check(&self, column: &DataColumn) -> Result<(), ReportError> {
        let fits = match (self, column.kind) {
            (Self::Number(number), Kind::Number) => {
                crate::error::finite(&column.name, *number)?;
                true
            }
            (Self::Missing, _)
            | (Self::Name(_) | Self::Text(_), Kind::Text)
            | (Self::Integer(_), Kind::Integer)
            | (Self::Truth(_), Kind::Truth) => true,
            _ => false,
        };
        match fits {
            true => Ok(()),
            false => Err(ReportError::Inconsistent {
                what: format!("column {}", column.name),
                why: format!("{self:?} is no value of kind {:?}", column.kind),
            }),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<u64> for Value {
    /// Counts beyond 2^63 do not come about; they would stand there as 2^63 - 1.
    fn from(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Integer(count.into())
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        (count as u64).into()
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}
