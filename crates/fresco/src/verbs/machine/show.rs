// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco machine show`.

use super::tables;
use super::view::MachineView;
use crate::arguments::key_value;
use crate::failure::{Outcome, tell_warning};
use crate::{output, provenance};
use fresco_input::read_file;
use fresco_machine::{builtin_text, load_with};
use std::process::ExitCode;

/// Arguments of `fresco machine show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A built-in machine, or the path of a machine file (with a / or ending in .toml)
    #[arg(value_name = "MACHINE")]
    machine: String,

    /// Override a key of the machine file (repeatable), e.g. memory.controller.page=closed
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Print the machine file itself, as a start for one's own
    #[arg(long, conflicts_with_all = ["json", "set"])]
    toml: bool,
}

/// Shows the machine.
pub fn run(args: &Args) -> Outcome {
    let machine = load_with(&args.machine, &args.set)?;
    tell_warning(&machine);
    if args.toml {
        let text = match builtin_text(&args.machine) {
            Ok(text) => text.to_owned(),
            Err(_) => read_file(&args.machine)?,
        };
        output::write(text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let view = MachineView::new(&machine);
    let mut provenance = provenance::of_this_run(None);
    provenance.machine_files = vec![provenance::machine_file(&machine, &args.machine)];
    output::print(args.json, super::SCHEMA, &provenance, &view, || tables::all(&view))?;
    Ok(ExitCode::SUCCESS)
}
