// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map`.

use crate::failure::Outcome;
use std::process::ExitCode;

/// Arguments of `fresco map`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: Args) -> Outcome {
    Ok(ExitCode::SUCCESS)
}
