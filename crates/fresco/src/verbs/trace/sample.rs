// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace sample`: a few intervals of a recorded program that stand for all of it.

use super::sampled::tables;
use super::sampling::{Sampling, intervals};
use crate::arguments::integer;
use crate::failure::{Outcome, tell};
use crate::stop::{STOPPED, Stop};
use crate::{output, provenance};
use fresco_load::trace::ftrace::MAX_THREADS;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco trace sample`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Cuts what one thread did into intervals, takes those for alike in which the same blocks of instructions run equally often, and writes one of each
kind, with its weight: the share of all instructions that it stands for. A rate per instruction of the whole is about the sum of weight times that
of each. What the choice and the begin with cold caches cost is said by cache size. docs/record.md says more.

Examples:
  fresco trace sample xz.ftrace -o part.ftrace --sample 10x1M
  fresco sim --on xeon-w3530 ./part-3.ftrace --set 'warm_up={passes=1}' --set 'measure={passes=1}'")]
pub struct Args {
    /// A trace of fresco record
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the intervals here, as NAME-1.ftrace and so on; files that are there are replaced
    #[arg(short, long, value_name = "NAME.ftrace")]
    output: PathBuf,

    /// So many intervals at most, of so many instructions each
    #[arg(long, value_name = "COUNTxLENGTH", value_parser = intervals)]
    sample: (usize, u64),

    /// Put so many intervals before each, as a pass of their own, in which caches fill
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer("--warm-up", 0..=1000u32))]
    warm_up: u32,

    /// Of this thread; if omitted, the first
    #[arg(long, value_name = "N", value_parser = integer("--thread", 0..=MAX_THREADS - 1))]
    thread: Option<u16>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Samples it.
pub fn run(args: &Args) -> Outcome {
    let sampling = Sampling {
        who: "fresco trace sample",
        intervals: args.sample,
        warm_up: args.warm_up,
        thread: args.thread,
        quiet: false,
    };
    let shown = args.file.display().to_string();
    let Some(data) = sampling.run(&args.file, &shown, &args.output, &Stop::on_any_end())? else {
        tell("fresco trace sample: stopped; nothing is written");
        return Ok(ExitCode::from(STOPPED));
    };
    let schema = "fresco-trace-sample/1";
    output::print(args.json, schema, &provenance::of_this_run(None), &data, || {
        tables(&data)
    })?;
    Ok(ExitCode::SUCCESS)
}
