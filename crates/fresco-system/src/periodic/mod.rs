// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario with periodic tasks: its runs are those of [`crate::multitask`], under plain priorities, with the machine's
//! own refresh.
//!
//! On each core the first ready job runs (`policy.scheduler`), and a task without a period when no job is ready. All pages
//! are mapped before time 0. Jobs released within the warm-up run but are not counted.

mod experiment;
mod result;

pub(crate) use experiment::of as experiment;

use crate::RunSpec;
use crate::results::RunResult;
use fresco_input::InputError;

/// Makes one run.
///
/// # Errors
/// As [`crate::run`].
pub(crate) fn run(spec: &RunSpec) -> Result<RunResult, InputError> {
    let experiment = experiment(spec)?;
    let outcome = crate::multitask::run(&experiment)?;
    result::of(spec, outcome)
}
