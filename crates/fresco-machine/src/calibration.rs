// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which values of a machine were fitted to what was measured on it, and how close that came.

use serde::Serialize;

/// The `[calibration]` of a machine file. Its fitted values are in force in place of those that the rest of the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Calibration {
    /// What the values were fitted to, in words.
    pub data: String,
    /// Fingerprint of that file.
    pub digest: String,
    /// Shares of reads, in percent, that were not used.
    pub held_out: Vec<u32>,
    /// Dotted keys, each with its value as TOML.
    pub fitted: Vec<(String, String)>,
    /// What remains between the model and the data, a line for each share of reads.
    pub residuals: Vec<String>,
}
