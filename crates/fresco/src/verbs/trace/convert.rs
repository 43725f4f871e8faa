// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace convert`: a trace in another format.

use super::source::Source;
use super::target::Target;
use super::writing::{Writing, each_record, no_access};
use crate::failure::Outcome;
use crate::stop::Stop;
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
    #[command(flatten)]
    source: Source,

    #[command(flatten)]
    target: Target,
}

/// Converts it.
pub fn run(args: &Args) -> Outcome {
    let Source { file, thread, .. } = &args.source;
    args.target.check(&[file])?;
    let export = args.target.export(*thread)?;
    let mut trace = args.source.open()?;
    let stop = Stop::on_any_end();
    let mut writing = Writing::of(&args.target.output, &export, &trace)?;
    let whole = each_record(&mut trace, file, &stop, |record| {
        writing.push(&record)?;
        Ok(true)
    })?;
    if !whole {
        return Ok(writing.stopped());
    }
    if let Some(thread) = *thread
        && writing.accesses() == 0
    {
        return Err(no_access(file, thread).into());
    }
    writing.finish("convert", &trace.lost())?;
    Ok(ExitCode::SUCCESS)
}
