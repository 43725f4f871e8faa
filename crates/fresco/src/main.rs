// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fresco: predictable DRAM on multicores. One module per verb, one table of verbs ([`cli::Verb`]).

mod arguments;
mod cli;
mod failure;
mod files;
mod kept;
mod latencies;
mod on_machine;
mod openmetrics;
mod output;
mod outputs;
mod plans;
mod progress;
mod provenance;
mod scenarios;
mod shown;
mod simulate;
mod stack;
mod stop;
mod tables;
mod user;
mod verbs;
mod verdicts;
mod waiting;
mod whole;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Err(error) = stack::check() {
        return failure::Failure::from(error).report();
    }
    run()
}

/// What `main` does once the stack is known to suffice: a function of its own, so that none of its frame is needed before.
#[inline(never)]
fn run() -> ExitCode {
    stop::outlive_file_size_limit();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure::of_command_line(&error),
    };
    // Found out before anything long is run.
    let heard = match cli.verb.prints() {
        true => output::check_open(),
        false => Ok(()),
    };
    match heard.and_then(|()| cli.verb.run()) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// Columns of the terminal, or a width that suits a file.
fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).max(40))
}
