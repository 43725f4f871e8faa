// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sched import`: a task set of another tool as a scenario that can be planned.

use crate::arguments::choice;
use crate::failure::{Outcome, tell};
use crate::output;
use crate::outputs::Outputs;
use crate::provenance;
use fresco_exchange::{ImportOptions, Importer, Unit, import};
use fresco_input::{InputError, file_name, read_file, write_atomically};
use fresco_scenario::TaskSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco sched import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
docs/exchange.md says what is read of each format. Times without a unit are those of --unit; SchedCAT's are microseconds if it is omitted.
What a scenario cannot say, such as shared resources, precedence and release jitter, is an error that names the place.

Examples:
  fresco sched import tasks.xml --from schedcat --machine ss-rtmc --out tasks.toml && fresco plan tasks.toml
  fresco sched import model.xmlv3 --from cheddar --unit ms --out tasks.toml
  fresco sched import tasks.csv --from csv --out tasks.toml")]
pub struct Args {
    /// The file of the other tool
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Its format: schedcat, cheddar, csv or pycpa
    #[arg(long, value_name = "FORMAT", value_parser = choice("--from", &Importer::NAMES))]
    from: Importer,

    /// Unit of times without one: ns, us, ms or s
    #[arg(long, value_name = "UNIT", value_parser = choice("--unit", &Unit::NAMES))]
    unit: Option<Unit>,

    /// The machine that the tasks run on: a built-in one, or the path of a machine file
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,

    /// Write the scenario there
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Imports.
pub fn run(args: &Args) -> Outcome {
    Outputs::new()
        .file("--out", args.out.as_deref())
        .check(false, &[args.file.as_path()])?;
    let file = file_name(&args.file);
    let text = read_file(&args.file)?;
    let options = ImportOptions { unit: args.unit };
    let mut imported = import(args.from, &file, &text, &options)?;
    imported.name = args.out.as_deref().and_then(scenario_name);
    let machine = args
        .machine
        .as_deref()
        .map(|machine| beside(machine, args.out.as_deref()))
        .transpose()?;
    let scenario = imported.to_scenario(machine.as_deref());
    // What is written can be planned, or the reason is told of the file that was read.
    let directory = args.out.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    TaskSet::parse(&file, &scenario, directory, &[]).map_err(|error| of_scenario(&file, &error))?;
    let head: String = [
        format!(
            "{} tasks of {file}, digest {}",
            imported.tasks.len(),
            provenance::digest(&text)
        ),
        format!("by {}", provenance::of_this_run(None).command),
    ]
    .into_iter()
    .chain(imported.notes.iter().map(|note| format!("left out: {note}")))
    .map(|line| format!("# {}\n", line.replace(char::is_control, " ")))
    .collect();
    let document = format!("{head}{scenario}");
    for note in &imported.notes {
        tell(&format!("fresco: {file}: left out: {note}"));
    }
    match &args.out {
        None => output::write(&document)?,
        Some(out) => write_atomically(out, document.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A name for the scenario: that of its file, if it can be one.
fn scenario_name(out: &Path) -> Option<String> {
    let stem = out.file_stem()?.to_str()?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    (stem.len() <= 60 && !stem.starts_with('.') && stem.bytes().all(is_plain)).then(|| stem.to_owned())
}

/// A machine as it is named in a file elsewhere: paths are relative to that.
fn beside(machine: &str, out: Option<&Path>) -> Result<String, InputError> {
    let is_path = machine.contains('/') || machine.ends_with(".toml");
    let is_elsewhere = out
        .and_then(Path::parent)
        .is_some_and(|parent| !parent.as_os_str().is_empty());
    if !is_path || !is_elsewhere {
        return Ok(machine.to_owned());
    }
    let path = std::path::absolute(machine).map_err(|error| {
        InputError::new("--machine", format!("found {machine:?}: {error}"))
            .allowed("a built-in machine, or the path of a machine file")
            .help("name it by its full path")
    })?;
    Ok(path.to_string_lossy().into_owned())
}

/// What is wrong with a scenario that the user has not written: lines are none of theirs.
fn of_scenario(file: &str, error: &InputError) -> InputError {
    InputError::new(file, error.found.clone())
        .in_field(error.field.clone())
        .allowed(error.allowed.clone())
        .help(format!("{}; --machine names another machine", error.help))
}
