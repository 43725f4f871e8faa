// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sched`: the theory of scheduling tasks and refresh, without a machine.

mod generate;
mod import;
mod oracle;
mod sensitivity;

use crate::failure::Outcome;
use clap::Subcommand;

/// Arguments of `fresco sched`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fresco sched generate --utilization 0.5:0.9:0.1 --accept table,flat --density 8 --svg a.svg
  fresco sched import tasks.xml --from schedcat --out tasks.toml
  fresco sched oracle sets.json
  fresco sched oracle sets.json more.json --json")]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    what: What,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum What {
    /// Draw random task sets, and count which of them each method schedules
    Generate(generate::Args),
    /// Make a scenario of a task set of SchedCAT, Cheddar, pyCPA or CSV
    Import(import::Args),
    /// Recompute recorded task sets, cyclic executives and servers, and print each answer that differs
    Oracle(oracle::Args),
    /// How far a task set can be pushed: longer execution times, denser devices, hotter memory
    Sensitivity(sensitivity::Args),
}

/// Runs the verb.
pub fn run(args: Args) -> Outcome {
    match args.what {
        What::Generate(args) => generate::run(&args),
        What::Import(args) => import::run(&args),
        What::Oracle(args) => oracle::run(&args),
        What::Sensitivity(args) => sensitivity::run(&args),
    }
}
