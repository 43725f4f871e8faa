// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as JSON: what `fresco sim --json` prints.

use fresco_report::{Document, Provenance, ReportError};
use fresco_system::results::ScenarioResult;
use serde::Serialize;

/// Schema of the JSON.
pub const SCHEMA: &str = "fresco-sim/3";

#[derive(Serialize)]
struct Data<'r> {
    scenarios: &'r [ScenarioResult],
}

/// The results of scenarios and plans as a document.
///
/// # Errors
/// None in practice: they are text, numbers and lists.
pub fn of(results: &[ScenarioResult], provenance: &Provenance) -> Result<Vec<u8>, ReportError> {
    let document = Document {
        schema: SCHEMA,
        provenance,
        data: &Data { scenarios: results },
    };
    document.to_bytes()
}
