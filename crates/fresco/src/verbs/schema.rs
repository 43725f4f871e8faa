// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco schema`: JSON Schemas of the files that people write, for their editors.

use crate::arguments::choice;
use crate::failure::Outcome;
use std::process::ExitCode;

/// Arguments of `fresco schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Editors complete and check TOML by them: docs/install.md tells how. A task set is a scenario.

Example:
  fresco schema scenario > scenario.schema.json    # and #:schema ./scenario.schema.json as the first line of a scenario")]
pub struct Args {
    /// machine, scenario, tasks, which is the same as scenario, or sweep
    #[arg(value_name = "KIND", value_parser = choice("KIND", &KINDS))]
    kind: &'static str,
}

/// Kinds of files, and their schemas, which tests of fresco-scenario and fresco-sweep make from the readers.
const KINDS: [(&str, &str); 4] = [
    ("machine", include_str!("../../../../docs/schemas/machine.schema.json")),
    ("scenario", SCENARIO),
    ("tasks", SCENARIO),
    ("sweep", include_str!("../../../../docs/schemas/sweep.schema.json")),
];
const SCENARIO: &str = include_str!("../../../../docs/schemas/scenario.schema.json");

/// Prints it.
pub fn run(args: &Args) -> Outcome {
    crate::output::write_text(args.kind)?;
    Ok(ExitCode::SUCCESS)
}
