// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables: columns with units, right-aligned numbers; as text, Markdown, JSON and (in `html`) HTML.

mod json;
mod markdown;
mod text;

pub(crate) use text::wrap;

use crate::error::{ReportError, finite};
use crate::escape::one_line;
use crate::number::fixed;

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// Unit of its numbers, shown in brackets after the heading; empty if none.
    pub unit: String,
    /// Digits after the point in this column's numbers.
    pub decimals: usize,
    /// Numbers stand at the right, text at the left.
    pub numeric: bool,
}

impl Column {
    /// A column of text.
    pub fn text(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            unit: String::new(),
            decimals: 0,
            numeric: false,
        }
    }

    /// A column of numbers in `unit` (empty if they have none), with `decimals` digits after the point.
    pub fn number(name: impl Into<String>, unit: impl Into<String>, decimals: usize) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            decimals,
            numeric: true,
        }
    }

    /// Heading with its unit: `latency [ns]`.
    pub fn heading(&self) -> String {
        if self.unit.is_empty() {
            self.name.clone()
        } else {
            format!("{} [{}]", self.name, self.unit)
        }
    }
}

/// What a cell of text means, shown as color in HTML only; the text says it too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// As hoped.
    Good,
    /// Not as hoped.
    Bad,
    /// Of less interest.
    Faint,
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String, Tone),
    /// A number, shown with its column's digits.
    Number(f64),
    /// A whole number, shown in full.
    Count(u64),
    /// No value; shown as "-", `null` in JSON.
    Missing,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned(), Tone::Plain)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text, Tone::Plain)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Cell::Number(value)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Cell::Count(value)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Missing, Into::into)
    }
}

/// A table. Every row has one cell per column, and every number is finite.
///
/// ```
/// use fresco_report::{Cell, Column, Table};
///
/// let mut table = Table::new("Latency", vec![Column::text("policy"), Column::number("mean", "ns", 1)]);
/// table.push(vec!["samebank".into(), 191.0.into()])?;
/// table.push(vec!["diffbank".into(), Cell::Missing])?;
/// let lines = ["Latency", "policy    mean [ns]", "--------  ---------", "samebank      191.0", "diffbank          -", ""];
/// assert_eq!(table.to_text(80), lines.join("\n"));
///
/// // A row that does not fit is refused, and so is a number that is none.
/// assert!(table.push(vec!["buddy".into()]).is_err());
/// assert!(table.push(vec!["buddy".into(), f64::NAN.into()]).is_err());
/// assert_eq!(table.rows().len(), 2);
/// # Ok::<(), fresco_report::ReportError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    title: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>, columns: Vec<Column>) -> Self {
        Self {
            title: title.into(),
            columns,
            rows: Vec::new(),
        }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// The row does not fit the columns, or one of its numbers is NaN or infinite; the table stays as it was.
    pub fn push(&mut self, row: Vec<Cell>) -> Result<(), ReportError> {
        if row.len() != self.columns.len() {
            return Err(ReportError::RowLength {
                table: self.title.clone(),
                row: self.rows.len() + 1,
                found: row.len(),
                expected: self.columns.len(),
            });
        }
        for (cell, column) in row.iter().zip(&self.columns) {
            if let Cell::Number(value) = cell {
                finite(
                    &format!(
                        "row {} of \"{}\", column {}",
                        self.rows.len() + 1,
                        self.title,
                        column.name
                    ),
                    *value,
                )?;
            }
        }
        self.rows.push(row);
        Ok(())
    }

    /// Title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Rows, in the order they were pushed.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Headings of the columns, on one line each.
    pub(crate) fn headings(&self) -> Vec<String> {
        self.columns.iter().map(|column| one_line(&column.heading())).collect()
    }

    /// The cells of a row as text, on one line each.
    pub(crate) fn row_texts(&self, row: &[Cell]) -> Vec<String> {
        row.iter()
            .zip(&self.columns)
            .map(|(cell, column)| cell.to_text(column))
            .collect()
    }
}

impl Cell {
    fn to_text(&self, column: &Column) -> String {
        match self {
            Cell::Text(text, _) => one_line(text),
            Cell::Number(value) => fixed(*value, column.decimals),
            Cell::Count(value) => value.to_string(),
            Cell::Missing => "-".to_owned(),
        }
    }
}
