// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco calibrate`: a machine's model beside curves of bandwidth and latency that were measured on it, with what they
//! determine of it fitted.

mod held;
mod page;
mod report;
mod show;

use crate::arguments::integer;
use crate::failure::{Failure, Outcome, tell};
use crate::files::{self, ReportDirectory};
use crate::output;
use crate::outputs::{self, Outputs};
use crate::progress;
use crate::scenarios::is_path;
use crate::stop::{STOPPED, Stop};
use crate::user::User;
use fresco_calibrate::{Bench, Curve, Curves, Fitted, Observer, as_texts, compare, each_left_out, fit};
use fresco_input::{InputError, file_name, read_file, write_atomically};
use fresco_report::{Document, InputFile, Provenance};
use fresco_show::text::wrapped;
use held::Held;
use report::{Found, Report};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The curves that come with the program.
const CURVES: &str = include_str!("../../../../../machines/curves/mess.csv");
const NAME_OF_CURVES: &str = "machines/curves/mess.csv";

/// Arguments of `fresco calibrate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The model makes the experiment by which the curves were measured: one core chases pointers, all others stream with a share of reads and a \
pause. What nobody publishes of a machine is fitted, in a fixed order and within bounds, and nothing else: the fixed latency of the front end, \
when rows are closed and writes drained, misses in flight of a core, a limit of a node's traffic, and of lines under way where the machine has one. docs/calibrate.md says how, and \
how to read the result.

Examples:
  fresco calibrate epyc-7742 --no-fit
  fresco calibrate epyc-7742 --hold-out 60 --out out/epyc
  fresco calibrate epyc-7742 --hold-out each
  fresco calibrate mine.toml --curves mine.csv --system mine --machine-out fitted.toml")]
pub struct Args {
    /// Machine: the name of a built-in one, or a file
    #[arg(value_name = "MACHINE")]
    machine: String,

    /// Measured curves: CSV with the columns system, read_percent, bandwidth_gb_s, latency_ns; those of five systems that come with
    /// the program if omitted
    #[arg(long, value_name = "FILE")]
    curves: Option<PathBuf>,

    /// System of the curves; the name of the machine if omitted
    #[arg(long, value_name = "NAME")]
    system: Option<String>,

    /// Shares of reads, in percent, that are compared and not used for fitting, e.g. 60,100; `each`: besides a fit to all of them, one
    /// to all but one for each in turn
    #[arg(long, value_name = "LIST|each", value_delimiter = ',')]
    hold_out: Vec<Held>,

    /// Fit nothing: compare the machine as it is
    #[arg(long, conflicts_with_all = ["hold_out", "machine_out"])]
    no_fit: bool,

    /// Set a key of the machine (repeatable), e.g. memory.controller.page=closed
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Loads of the chase that are timed in each run
    #[arg(long, value_name = "N", default_value_t = 2000, allow_negative_numbers = true, value_parser = integer("--accesses", 100..=1_000_000u64))]
    accesses: u64,

    /// Runs of each point of the final comparison, each with a seed of its own
    #[arg(long, value_name = "N", default_value_t = 3, allow_negative_numbers = true, value_parser = integer("--repetitions", 1..=100u32))]
    repetitions: u32,

    /// Seed of the first run
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: u32,

    /// Write the machine there, with what was fitted in a section of its own
    #[arg(long, value_name = "FILE", conflicts_with = "set")]
    machine_out: Option<PathBuf>,

    /// Rows for every point, and for every value that was tried
    #[arg(long)]
    all: bool,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Write a report there: index.html, results.json, a figure for each share of reads as SVG
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Name, text and path of the curves.
fn curves(args: &Args) -> Result<(String, String), InputError> {
    match &args.curves {
        Some(path) => Ok((file_name(path), read_file(path)?)),
        None => Ok((NAME_OF_CURVES.to_owned(), CURVES.to_owned())),
    }
}

/// Compares, after fitting if that is wanted.
pub fn run(args: &Args) -> Outcome {
    let bench = Bench::new(&args.machine, &args.set, args.accesses, args.seed, !args.no_fit)?;
    let system = args.system.as_ref().unwrap_or(&bench.machine.name);
    let (name, text) = curves(args)?;
    let curves = Curves::parse(&name, &text, system)?;
    let used = match args.no_fit {
        true => Vec::new(),
        false => held::used(&args.hold_out, &curves)?,
    };
    let is_file = is_path(&args.machine);
    let inputs: Vec<PathBuf> = (args.curves.iter().cloned())
        .chain(is_file.then(|| PathBuf::from(&args.machine)))
        .collect();
    let of_inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    Outputs::new()
        .directory("--out", args.out.as_deref(), &[files::PAGE])
        .file("--machine-out", args.machine_out.as_deref())
        .check(args.json, &of_inputs)?;
    let directory = args
        .out
        .as_deref()
        .map(|out| ReportDirectory::prepare("fresco-calibrate", out, inputs.clone()))
        .transpose()?;
    let user = User {
        bar: progress::bar(0, "fitting"),
        stop: Stop::after("each run that has begun"),
    };
    let fitted = match used.is_empty() {
        true => Fitted::default(),
        false => fit(&bench, &used, &user)?,
    };
    user.bar.set_message("comparing");
    let all: Vec<&Curve> = curves.curves.iter().collect();
    let compared = match user.is_stopped() {
        true => None,
        false => compare(&bench, &as_texts(&fitted.settings), &all, args.repetitions, &user)?,
    };
    let turns = match args.hold_out == [Held::Each] && compared.is_some() {
        true => each_left_out(&bench, &all, args.repetitions, &user)?,
        false => None,
    };
    user.bar.finish_and_clear();
    if compared.is_none() {
        tell(
            "fresco: stopped before the comparison was whole; values are those of the steps that were, and no machine is written",
        );
    }
    let stopped = user.is_stopped();
    if stopped && args.out.is_some() {
        tell("fresco: stopped: no report is written, and one that is there stays");
    }
    let found = Found {
        stopped,
        fitted,
        compared: compared.unwrap_or_default(),
        turns: turns.unwrap_or_default(),
    };
    let report = Report::new(&bench, &name, &curves, &used, found);
    let mut provenance = crate::provenance::of_this_run(Some(args.seed.into()));
    let path = is_file.then(|| Path::new(&args.machine));
    let machine = crate::provenance::named_machine(&bench.machine.name, path, &bench.machine.text_digest);
    provenance.machine_files.push(machine);
    provenance.scenario = Some(InputFile::new(name, report.curves.digest.clone()));
    shown(args, &report, directory.as_ref().filter(|_| !stopped), &provenance)?;
    Ok(match stopped {
        true => ExitCode::from(STOPPED),
        false => ExitCode::SUCCESS,
    })
}

/// Prints the report, and writes what is asked for besides. What cannot be written costs no result.
fn shown(
    args: &Args,
    report: &Report,
    directory: Option<&ReportDirectory>,
    provenance: &Provenance,
) -> Result<(), Failure> {
    let document = Document {
        schema: "fresco-calibrate/1",
        provenance,
        data: report,
    };
    let written = match directory {
        Some(directory) => {
            let (page, figures) = page::of(report, provenance)?;
            directory.write(&page, &document.to_bytes()?, &figures)
        }
        None => Ok(()),
    };
    let machine = match args.machine_out.as_ref().filter(|_| !report.shares.is_empty()) {
        Some(path) => report
            .machine_file(&args.machine)
            .and_then(|text| write_atomically(path, text.as_bytes()))
            .map_err(Failure::from),
        None => Ok(()),
    };
    if args.json {
        output::write(document.to_bytes()?)?;
    } else {
        let width = crate::terminal_width();
        let mut text = String::new();
        for table in show::tables(report, args.all)? {
            text.push_str(&format!("{}\n", table.to_text(width)));
        }
        for sentence in show::sentences(report) {
            text.push_str(&wrapped(&sentence, width));
        }
        for (name, value) in provenance.entries() {
            text.push_str(&format!("{name:<9}{value}\n"));
        }
        if let (Some(out), Ok(()), false) = (&args.out, &written, report.stopped) {
            text.push_str(&format!("report   {}\n", out.join(files::PAGE).display()));
        }
        if let (Some(out), Ok(()), false) = (&args.machine_out, &machine, report.shares.is_empty()) {
            text.push_str(&format!("machine  {}\n", out.display()));
        }
        output::write_text(&text)?;
    }
    outputs::all([written, machine])
}
