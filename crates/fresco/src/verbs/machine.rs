// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco machine`.

use crate::failure::Outcome;
use std::process::ExitCode;

/// Arguments of `fresco machine`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> Outcome {
    Ok(ExitCode::SUCCESS)
}
