// SPDX-License-Identifier: MIT OR Apache-2.0
//! The JSON that every verb writes: a schema name, what was run, the data.

use crate::{Provenance, ReportError};
use serde::Serialize;

/// A JSON document. Keys come in the order of the struct's fields (use `BTreeMap`, never `HashMap`, inside `data`), so
/// that the same run gives the same bytes.
#[derive(Clone, Debug, Serialize)]
pub struct Document<'a, T> {
    /// Name and version of the layout of `data`, for instance `fresco-sim/1`. The number changes whenever a reader of
    /// the old layout would go wrong.
    pub schema: &'a str,
    /// What was run.
    pub provenance: &'a Provenance,
    /// The data.
    pub data: &'a T,
}

impl<T: Serialize> Document<'_, T> {
    /// The document as indented JSON with a final newline. NaN and infinities become `null`, as JSON has no word for
    /// them; tables and figures refuse them earlier.
    ///
    /// # Errors
    /// `data` is not expressible as JSON (a map whose keys are not text).
    pub fn to_bytes(&self) -> Result<Vec<u8>, ReportError> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|error| ReportError::Json(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// As [`Self::to_bytes`], in one line: for documents that follow each other.
    ///
    /// # Errors
    /// As [`Self::to_bytes`].
    pub fn to_line(&self) -> Result<Vec<u8>, ReportError> {
        let mut bytes = serde_json::to_vec(self).map_err(|error| ReportError::Json(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}
