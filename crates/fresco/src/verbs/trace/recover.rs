// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace recover`: what is whole of a recording whose recorder was killed.

use super::words;
use crate::failure::{Outcome, tell};
use crate::outputs::Outputs;
use crate::whole::{WholeFile, unwritable};
use fresco_input::InputError;
use fresco_load::trace::ftrace::recorded::{Recovered, Unrecovered, recover};
use std::fs::File;
use std::io::{BufReader, BufWriter, IntoInnerError};
use std::path::PathBuf;
use std::process::ExitCode;

/// The option that names the trace.
const OUTPUT: &str = "--output";

/// Arguments of `fresco trace recover`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For what `fresco record` leaves behind when it is killed (SIGKILL) or the machine loses its power: beside the trace that was to be, a file
.fresco-PID-0.tmp. What was written until then is taken out; it does not say what pages are for, nor how regions are called.

Example:
  fresco trace recover .fresco-4711-0.tmp -o prog.ftrace")]
pub struct Args {
    /// The file that was left behind
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the trace here; a file that is there is replaced once the new trace is whole
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Recovers it.
pub fn run(args: &Args) -> Outcome {
    Outputs::new()
        .file(OUTPUT, Some(&args.output))
        .check(false, &[&args.file])?;
    let name = args.file.display().to_string();
    let input = File::open(&args.file).map_err(|error| {
        InputError::new(&name, format!("cannot be read: {error}")).help("check the name, and whose file it is")
    })?;
    let file = WholeFile::create(OUTPUT, &args.output)?;
    let unwritten = |error| unwritable(OUTPUT, &args.output, &error);
    let Recovered { out, trailer, kept } = match recover(&name, BufReader::new(&input), BufWriter::new(file)) {
        Ok(recovered) => recovered,
        Err(Unrecovered::Input(error)) => return Err(error.into()),
        Err(Unrecovered::Output(error)) => return Err(unwritten(error).into()),
    };
    let file = out
        .into_inner()
        .map_err(IntoInnerError::into_error)
        .map_err(unwritten)?;
    file.finish()?;
    let bytes = std::fs::metadata(&args.output).map_or(0, |metadata| metadata.len());
    tell(&format!("fresco trace recover: {}", args.output.display()));
    for line in words::lines(&trailer, bytes) {
        tell(&format!("  {line}"));
    }
    let all = std::fs::metadata(&args.file).map_or(kept, |metadata| metadata.len());
    tell(&format!(
        "fresco trace recover: of {} bytes {} are in it",
        words::grouped(all),
        words::grouped(kept)
    ));
    Ok(ExitCode::SUCCESS)
}
