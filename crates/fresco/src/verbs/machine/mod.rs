// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco machine`: the built-in machines, and everything about one.

mod list;
mod memory_tables;
mod show;
mod tables;
mod timing;
mod view;

pub use tables::all as tables_of;
pub use view::MachineView;

use crate::failure::Outcome;
use clap::Subcommand;

/// Schema of a machine as JSON.
pub const SCHEMA: &str = "fresco-machine/1";

/// Arguments of `fresco machine`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fresco machine list
  fresco machine show xeon-w3530
  fresco machine show xeon-w3530 --toml > mine.toml
  fresco machine show ./mine.toml --set memory.controller.page=closed --json")]
pub struct Args {
    /// What to show.
    #[command(subcommand)]
    what: What,
}

/// What to show of machines.
#[derive(Debug, Subcommand)]
enum What {
    /// The built-in machines, one line each
    List(list::Args),
    /// One machine: cores, caches, DRAM, timing, controller, address map, colors, and where its numbers come from
    Show(show::Args),
}

/// Runs the verb.
pub fn run(args: Args) -> Outcome {
    match args.what {
        What::List(args) => list::run(&args),
        What::Show(args) => show::run(&args),
    }
}
