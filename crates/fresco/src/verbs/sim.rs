// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim`.

use crate::failure::Outcome;
use std::process::ExitCode;

/// Arguments of `fresco sim`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> Outcome {
    Ok(ExitCode::SUCCESS)
}
