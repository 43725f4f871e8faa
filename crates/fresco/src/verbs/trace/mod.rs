// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace`: what is in traces, and traces made of others.

mod convert;
mod cut;
mod diff;
mod info;
mod merge;
mod recover;
mod sample;
pub mod sampled;
pub mod sampling;
mod source;
mod target;
pub mod words;
mod working_set;
mod writing;

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
    /// Write a trace in another format
    Convert(convert::Args),
    /// Write a part of a trace
    Cut(cut::Args),
    /// Write several traces as threads of one
    Merge(merge::Args),
    /// Say where two traces differ; status 1 if they do
    Diff(diff::Args),
    /// Write a few intervals of a recorded program that stand for all of it
    Sample(sample::Args),
    /// Take out what is whole of a recording that was left behind
    Recover(recover::Args),
}

/// Does it.
pub fn run(args: &Args) -> Outcome {
    match &args.what {
        What::Info(args) => info::run(args),
        What::Convert(args) => convert::run(args),
        What::Cut(args) => cut::run(args),
        What::Merge(args) => merge::run(args),
        What::Diff(args) => diff::run(args),
        What::Sample(args) => sample::run(args),
        What::Recover(args) => recover::run(args),
    }
}
