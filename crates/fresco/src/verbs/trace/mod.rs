// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace`: what is in traces.

mod info;
pub mod words;

use crate::failure::Outcome;

/// Arguments of `fresco trace`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

/// What is done with a trace.
#[derive(Debug, clap::Subcommand)]
enum What {
    /// Say what a trace is of, what it counts, and what it touches
    Info(info::Args),
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.what {
        What::Info(args) => info::run(args),
    }
}
