// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco man`: the manual pages.

mod page;

use crate::cli::Cli;
use crate::failure::{Failure, Outcome};
use clap::CommandFactory;
use fresco_input::{InputError, write_atomically};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco man`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write fresco.1 and one page per verb (fresco-sim.1, fresco-map-colors.1, …) into this directory, instead of the
    /// first to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Args {
    /// Returns true if the page goes to standard output, not to files.
    pub fn prints(&self) -> bool {
        self.out.is_none()
    }
}

/// Prints or writes the pages.
pub fn run(args: &Args) -> Outcome {
    // The verb `help` has no page: `man fresco` is one.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(directory) = &args.out else {
        crate::output::write(page::page(&command)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(directory).map_err(|error| {
        InputError::new(
            directory.display().to_string(),
            format!("cannot make this directory: {error}"),
        )
        .help("name a directory that can be written")
    })?;
    write_with_subcommands(&command, "fresco", directory)?;
    Ok(ExitCode::SUCCESS)
}

/// The page of a command, named `name`, and those of its subcommands.
fn write_with_subcommands(command: &clap::Command, name: &str, directory: &Path) -> Result<(), Failure> {
    write_atomically(directory.join(format!("{name}.1")), &page::page(command)?)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        write_with_subcommands(verb, &format!("{name}-{}", verb.get_name()), directory)?;
    }
    Ok(())
}
