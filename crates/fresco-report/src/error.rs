// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with data handed to a report.

use thiserror::Error;

/// Why a table or a figure cannot be made. A report never shows a number that is not one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReportError {
    /// A value is NaN or infinite.
    #[error("{what} is {value}, not a finite number")]
    NotFinite {
        /// The series, row or field.
        what: String,
        /// The value as text.
        value: String,
    },
    /// A value of zero or below on a logarithmic axis.
    #[error("{what} is {value}, which a logarithmic axis cannot show")]
    NotPositive {
        /// The series or field.
        what: String,
        /// The value as text.
        value: String,
    },
    /// The values lie so far apart that their difference is not a finite number.
    #[error("the values of {what} lie too far apart for one axis")]
    TooWide {
        /// The axis.
        what: String,
    },
    /// A row has more or fewer cells than the table has columns.
    #[error("table \"{table}\": row {row} has {found} cells, the table has {expected} columns")]
    RowLength {
        /// Title of the table.
        table: String,
        /// Row, counted from 1.
        row: usize,
        /// Cells in the row.
        found: usize,
        /// Columns of the table.
        expected: usize,
    },
    /// Numbers that contradict each other: a minimum above its maximum, a share above one.
    #[error("{what}: {why}")]
    Inconsistent {
        /// The series, box or bar.
        what: String,
        /// The contradiction.
        why: String,
    },
    /// The drawing library failed.
    #[error("drawing failed: {0}")]
    Drawing(String),
    /// A value could not be written as JSON.
    #[error("not expressible as JSON: {0}")]
    Json(String),
    /// A file of data cannot be read.
    #[error("cannot read {0}")]
    Unreadable(String),
    /// A file of data could not be made.
    #[error("cannot make {0}")]
    File(String),
}

/// `value`, or the error that names it.
pub(crate) fn finite(what: &str, value: f64) -> Result<f64, ReportError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ReportError::NotFinite {
            what: what.to_owned(),
            value: value.to_string(),
        })
    }
}
