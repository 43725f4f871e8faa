// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco export`: a partition, a schedule or a task set in the format of another system.

use crate::arguments::{choice, integer, listed};
use crate::failure::{Failure, Outcome, tell};
use crate::output;
use crate::outputs::Outputs;
use crate::plans::{self, LoadedPlan};
use crate::provenance;
use crate::scenarios;
use fresco_exchange::{ExportOptions, FORMATS, Format, Head, Subject, Supplement, Takes, Unit, export, format};
use fresco_input::{InputError, closest, file_name, write_atomically};
use fresco_report::{Column, Table};
use fresco_scenario::{Scenario, TaskSet, is_plan};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
docs/exchange.md says what each format carries, of which version it is, and has an example of each. Partitions are those of scenarios whose
tasks have banks, llc, ways or budgets, and of plans; schedules are those of plans, and a scenario is planned first; task sets are those of
any. What a format cannot say is an error that names it; with --lossy the file is written without it, and says so at its head.

Examples:
  fresco export --list
  fresco export plan.json --to cgroup --out colors.sh
  fresco export plan.json --to c-table --out schedule.c
  fresco export table-5.2 --to schedcat --out tasks.xml")]
pub struct Args {
    /// Scenario, or plan
    #[arg(value_name = "SCENARIO", required_unless_present = "list")]
    file: Option<String>,

    /// The format; --list names them
    #[arg(long, value_name = "FORMAT", required_unless_present = "list", value_parser = listed(of_name, FORMATS.iter().map(|format| format.name())))]
    to: Option<&'static str>,

    /// List the formats
    #[arg(long, exclusive = true)]
    list: bool,

    /// Write the file there; `c-table` writes a header beside it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Set a key of a scenario (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Write the file without what the format cannot say, and say at its head what that is
    #[arg(long)]
    lossy: bool,

    /// Unit of times in schedcat, cheddar and pycpa (us if omitted) and csv (ns): ns, us, ms or s
    #[arg(long, value_name = "UNIT", value_parser = choice("--unit", &Unit::NAMES))]
    unit: Option<Unit>,

    /// The core, for arinc653
    #[arg(long, value_name = "CORE", allow_negative_numbers = true, value_parser = integer("--core", 0..=1023u32))]
    core: Option<u32>,

    /// Names and units of arinc653: 2, in seconds, or 3, in nanoseconds
    #[arg(long, value_name = "NUMBER", value_parser = choice("--supplement", &SUPPLEMENTS))]
    supplement: Option<Supplement>,
}

const SUPPLEMENTS: [(&str, Supplement); 2] = [("2", Supplement::Two), ("3", Supplement::Three)];

/// The name of a format.
fn of_name(word: &str) -> Result<&'static str, InputError> {
    if let Some(format) = format(word) {
        return Ok(format.name());
    }
    let names = || FORMATS.iter().map(|format| format.name());
    Err(InputError::new("--to", format!("found {word:?}"))
        .allowed(names().collect::<Vec<_>>().join(", "))
        .help(match closest(word, names()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => "choose one of these; fresco export --list says what they are".to_owned(),
        }))
}

/// Exports.
pub fn run(args: &Args) -> Outcome {
    let (Some(file), Some(format)) = (&args.file, args.to.and_then(format)) else {
        return list();
    };
    options_of(args, format)?;
    let companion = match (&args.out, format.name()) {
        (Some(out), "c-table") => Some(out.with_extension("h")),
        (None, "c-table") => {
            return Err(InputError::new("--to c-table", "found no --out")
                .allowed("a file for the tables, beside which their header is written")
                .help("name it, as in --out schedule.c")
                .into());
        }
        _ => None,
    };
    let mut outputs = Outputs::new().file("--out", args.out.as_deref());
    if companion.is_some() {
        outputs = outputs.file("--out (header)", companion.as_deref());
    }
    let of_plan = scenarios::is_path(file).then(|| Path::new(file));
    outputs.check(false, &Vec::from_iter(of_plan))?;
    let (subject, digest) = read(file, &args.set, format.takes())?;
    let head = Head {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        input: subject.file.clone(),
        digest,
        command: provenance::of_this_run(None).command,
    };
    let stem = args.out.as_deref().and_then(Path::file_stem);
    let options = ExportOptions {
        lossy: args.lossy,
        unit: args.unit,
        core: args.core,
        supplement: args.supplement.unwrap_or_default(),
        stem: stem.map(|stem| stem.to_string_lossy().into_owned()),
    };
    let exported = export(format, &subject, &options, &head)?;
    for loss in &exported.losses {
        tell(&format!("fresco: {}: lost: {loss}", subject.file));
    }
    match &args.out {
        None => output::write(&exported.text)?,
        Some(out) => {
            if let (Some(path), Some((_, text))) = (&companion, &exported.companion) {
                write_atomically(path, text.as_bytes())?;
            }
            write_atomically(out, exported.text.as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses options that the format would not heed.
fn options_of(args: &Args, format: &dyn Format) -> Result<(), InputError> {
    let is_arinc = format.name() == "arinc653";
    for (option, is_given, is_heeded, of) in [
        (
            "--unit",
            args.unit.is_some(),
            format.takes() == Takes::Tasks,
            "schedcat, cheddar, csv, pycpa",
        ),
        ("--core", args.core.is_some(), is_arinc, "arinc653"),
        ("--supplement", args.supplement.is_some(), is_arinc, "arinc653"),
    ] {
        if is_given && !is_heeded {
            return Err(InputError::new(option, format!("found it with --to {}", format.name()))
                .allowed(format!("with --to {of}"))
                .help("leave it out"));
        }
    }
    Ok(())
}

/// What is exported, with the digest of its file.
fn read(file: &str, changes: &[String], takes: Takes) -> Result<(Subject, String), Failure> {
    let path = Path::new(file);
    let (_, text) = scenarios::text(path)?;
    let name = file_name(file);
    if takes == Takes::Schedule || is_plan(path, &text) {
        let LoadedPlan { plan, machine, .. } = plans::load(path, changes)?;
        let digest = provenance::digest(&text);
        return Ok((Subject::of_plan(&name, plan, machine)?, digest));
    }
    let (source, input) = scenarios::source(file)?;
    let subject = match takes {
        // What is planned need not be what can be simulated, and the other way round.
        Takes::Tasks => match (TaskSet::of(&source, changes), Scenario::of(&source, changes)) {
            (Ok(set), _) => Subject::of_tasks(&name, &set),
            (Err(_), Ok(scenario)) => Subject::of_scenario(&name, &scenario)?,
            (Err(error), Err(_)) => return Err(error.into()),
        },
        _ => Subject::of_scenario(&name, &Scenario::of(&source, changes)?)?,
    };
    Ok((subject, input.digest))
}

/// The formats.
fn list() -> Outcome {
    let mut table = Table::new(
        "Formats of fresco export",
        ["format", "takes a", "writes"].map(Column::text).into(),
    );
    for format in FORMATS {
        let takes = format.takes().words();
        table.push(vec![Format::name(format).into(), takes.into(), format.about().into()])?;
    }
    output::write_text(&table.to_text(crate::terminal_width()))?;
    Ok(ExitCode::SUCCESS)
}
