// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace convert`: a trace in another format.

use super::target::Target;
use super::writing::{Writing, each_record, no_access};
use crate::arguments::{choice, integer};
use crate::failure::Outcome;
use crate::stop::Stop;
use fresco_load::trace::ftrace::MAX_THREADS;
use fresco_load::trace::{AnyTrace, Format};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco trace convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads every format that `fresco trace info` reads; what the new format cannot hold is counted and told. docs/file-formats.md says what
becomes of what.

Examples:
  fresco trace convert 605.mcf.champsimtrace.xz -o mcf.ftrace
  fresco trace convert prog.ftrace -o prog.champsim.xz --thread 0
  fresco trace convert prog.ftrace -o prog.trace.gz --to dramsim3 --instructions-per-cycle 4")]
pub struct Args {
    /// A trace of any format, plain or compressed; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    target: Target,

    /// The format of FILE, if it is not to be found out
    #[arg(long, value_name = "FORMAT", value_parser = choice("--format", &Format::ALL))]
    format: Option<Format>,

    /// Write this thread alone; formats without threads hold the first one if none is chosen
    #[arg(long, value_name = "N", value_parser = integer("--thread", 0..=MAX_THREADS - 1))]
    thread: Option<u16>,
}

/// Converts it.
pub fn run(args: &Args) -> Outcome {
    args.target.check(&[&args.file])?;
    let export = args.target.export(args.thread)?;
    let mut trace = AnyTrace::open(&args.file, args.format)?;
    let stop = Stop::on_any_end();
    let mut writing = Writing::of(&args.target.output, &export, &trace)?;
    let whole = each_record(&mut trace, &args.file, &stop, |record| {
        writing.push(&record)?;
        Ok(true)
    })?;
    if !whole {
        return Ok(writing.stopped());
    }
    if let Some(thread) = args.thread
        && writing.accesses() == 0
    {
        return Err(no_access(&args.file, thread).into());
    }
    writing.finish("convert", &trace.lost())?;
    Ok(ExitCode::SUCCESS)
}
