// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco completions`: what a shell needs to complete verbs, options and their values. It is a few lines for the shell, which ask the
//! program at each TAB what can stand there: the program knows its table of verbs and what is built in.

mod names;
mod words;

use crate::arguments::{COMPLETING, choice};
use crate::cli::Cli;
use crate::failure::{Failure, Outcome};
use clap::CommandFactory;
use fresco_input::{InputError, write_atomically};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

/// Arguments of `fresco completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without root: fresco completions bash > ~/.local/share/bash-completion/completions/fresco; for zsh a file _fresco in a directory of
$fpath; for fish ~/.config/fish/completions/fresco.fish. `make install` and the package put them in place for all users.")]
pub struct Args {
    /// bash, zsh or fish
    #[arg(value_name = "SHELL", required_unless_present = "out", value_parser = choice("SHELL", &SHELLS))]
    shell: Option<&'static str>,

    /// Write those of all three below this directory, as share of a prefix has them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["shell", "words"])]
    out: Option<PathBuf>,

    /// Words of a command line: print what can stand in place of the last one, for that is what the scripts ask
    #[arg(value_name = "WORD", last = true, hide = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Shells by name, and what they read.
const SHELLS: [(&str, &str); 3] = [
    ("bash", include_str!("fresco.bash")),
    ("zsh", include_str!("fresco.zsh")),
    ("fish", include_str!("fresco.fish")),
];

/// Where shells, in their order, look below `share` of a prefix.
const PLACES: [&str; SHELLS.len()] = [
    "bash-completion/completions/fresco",
    "zsh/site-functions/_fresco",
    "fish/vendor_completions.d/fresco.fish",
];

impl Args {
    /// Returns true if they go to standard output, not to files.
    pub fn prints(&self) -> bool {
        self.out.is_none()
    }
}

/// Prints or writes them, or what can stand somewhere.
pub fn run(args: &Args) -> Outcome {
    if !args.words.is_empty() {
        COMPLETING.store(true, Ordering::Relaxed);
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let words: Vec<_> = args
            .words
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        crate::output::write(words::complete(&command, &words).lines())?;
    } else if let Some(script) = args.shell {
        crate::output::write(script)?;
    }
    if let Some(directory) = &args.out {
        write_all(directory)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_all(directory: &Path) -> Result<(), Failure> {
    for (place, (_, script)) in PLACES.iter().zip(SHELLS) {
        let path = directory.join(place);
        let parent = path.parent().unwrap_or(directory);
        std::fs::create_dir_all(parent).map_err(|error| {
            InputError::new(
                parent.display().to_string(),
                format!("cannot make this directory: {error}"),
            )
            .allowed("a directory, or a name that is free")
            .help("name a directory that can be written")
        })?;
        write_atomically(path, script.as_bytes())?;
    }
    Ok(())
}
