// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco completions`: what a shell needs to complete verbs, options and their values, made from the command table.

use crate::arguments::{COMPLETING, choice};
use crate::cli::Cli;
use crate::failure::{Failure, Outcome};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use fresco_input::{InputError, write_atomically};
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
    shell: Option<Shell>,

    /// Write those of all three below this directory, as share of a prefix has them
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    out: Option<PathBuf>,
}

/// Shells by name.
const SHELLS: [(&str, Shell); 3] = [("bash", Shell::Bash), ("zsh", Shell::Zsh), ("fish", Shell::Fish)];

/// Where shells look below `share` of a prefix.
const PLACES: [(&str, Shell); 3] = [
    ("bash-completion/completions/fresco", Shell::Bash),
    ("zsh/site-functions/_fresco", Shell::Zsh),
    ("fish/vendor_completions.d/fresco.fish", Shell::Fish),
];

impl Args {
    /// Returns true if they go to standard output, not to files.
    pub fn prints(&self) -> bool {
        self.out.is_none()
    }
}

/// Prints or writes them.
pub fn run(args: &Args) -> Outcome {
    COMPLETING.store(true, Ordering::Relaxed);
    if let Some(shell) = args.shell {
        crate::output::write(script(shell))?;
    }
    if let Some(directory) = &args.out {
        write_all(directory)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_all(directory: &Path) -> Result<(), Failure> {
    for (place, shell) in PLACES {
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
        write_atomically(path, &script(shell))?;
    }
    Ok(())
}

/// What the shell reads.
fn script(shell: Shell) -> Vec<u8> {
    let whole = Cli::command();
    // What no help tells of nobody types.
    let verbs = whole.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    let mut command = Command::new("fresco")
        .version(env!("FRESCO_VERSION"))
        .subcommands(verbs);
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "fresco", &mut text);
    text
}
