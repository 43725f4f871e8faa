// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco-scheduler table --records` writes: a line of JSON for each slot that has ended.

use fresco_input::InputError;
use fresco_rt::Time;
use serde::Deserialize;

/// A slot that has ended. Times are those of CLOCK_MONOTONIC in ns; `None` for what has not happened.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Record {
    /// The processor.
    pub cpu: u32,
    /// The task; `None` of time that has no slot.
    pub task: Option<String>,
    /// As planned.
    pub begin_ns: Time,
    /// As planned.
    pub end_ns: Time,
    /// When the task ran first.
    pub started_ns: Option<Time>,
    /// When it ran last.
    pub stopped_ns: Option<Time>,
    /// For how long it ran.
    pub ran_ns: Time,
    /// It was ready when the slot began.
    pub ready: bool,
    /// It was stopped at the slot's end.
    pub cut: bool,
    /// It was stopped at the end of the last slot of a job.
    pub overran: bool,
    /// It waited, and did not run.
    pub missed: bool,
    /// Slots and gaps before this one that the processor never turned to.
    pub skipped: u32,
}

/// Reads records. A last line that was not written to its end, as by a program that was killed, is left out.
///
/// # Errors
/// A line that is none.
pub fn parse_records(file: &str, text: &str) -> Result<Vec<Record>, InputError> {
    let mut records = Vec::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        match serde_json::from_str(line) {
            Ok(record) => records.push(record),
            Err(_) if !line.ends_with('\n') && !records.is_empty() => {}
            Err(error) => {
                return Err(InputError::new(file, format!("found no record of a slot: {error}"))
                    .at_line(number)
                    .allowed("lines of JSON as `fresco run PLAN --records FILE` and `fresco-scheduler table --records FILE` write them")
                    .help("name the file that one of these has written"));
            }
        }
    }
    Ok(records)
}
