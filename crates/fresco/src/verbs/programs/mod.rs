// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco programs`: the gallery of real programs.

mod list;
mod measure;
mod record;
mod session;
mod table;

use crate::failure::{Outcome, tell};
use clap::Subcommand;
use fresco_programs::Gallery;

/// Arguments of `fresco programs`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The gallery is recipes, not data: which packages of Debian have a program, how its input is made on the spot, which part is recorded,
and what it stands for. docs/programs.md has what was measured.

Examples:
  fresco programs list
  fresco programs record --out out/programs
  fresco programs record lbm xalan --out out/programs
  fresco sim --on xeon-w3530 out/programs/xalan.ftrace --beside out/programs/lbm.ftrace,3 --policies buddy,palloc")]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    what: What,
}

/// What to do with the gallery.
#[derive(Debug, Subcommand)]
enum What {
    /// The programs, one line each: what they stand for, whether their packages are installed, whether they are recorded
    List(list::Args),
    /// Record programs, and measure how often they miss the last-level cache
    Record(record::Args),
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.what {
        What::List(args) => list::run(args),
        What::Record(args) => record::run(args),
    }
}

/// Says which recordings cannot be used.
pub fn tell_damaged(gallery: &Gallery) {
    for (name, reason) in gallery.damaged() {
        tell(&format!("fresco: {name} counts as not recorded: {reason}"));
    }
}
