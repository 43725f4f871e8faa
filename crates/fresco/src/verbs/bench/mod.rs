// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco bench`: the yardsticks of the papers, on this machine or on the model of one, with the same programs and the
//! same output.

mod curves;
mod hrt;
mod jobs;
mod model;
mod native;
mod pattern;
mod report;
mod yardstick;

use crate::arguments::{choice, integer, key_value};
use crate::failure::{Failure, Outcome, tell};
use crate::outputs::{self, Outputs};
use crate::stop::{STOPPED, Stop};
use crate::{output, progress, provenance};
use curves::CurvesArgs;
use fresco_input::{InputError, write_atomically};
use fresco_linux::probe::Conditions;
use fresco_report::Provenance;
use fresco_system::results::Spread;
use hrt::HrtArgs;
use jobs::Jobs;
use native::Native;
use pattern::AccessPattern;
use report::BenchReport;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use yardstick::{Chosen, YARDSTICKS, Yardstick};

/// The root of the tree in which the kernel tells about the machine.
const PROC: &str = "/proc";

/// Arguments of `fresco bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Yardsticks:
  latency    a linked list in random order, one load at a time
  bandwidth  an array in order; --set access=write for stores
  strides    writes from the middle of an area outwards, each line once
  hrt        a job each period; how late jobs end, and how many miss their deadline
  curves     latency beside traffic from idleness to saturation, by share of reads, for fresco calibrate --curves

Parameters (--set) are those of the programs of the same name: see fresco sim --programs.

Examples:
  fresco bench latency --set bytes=64MiB
  fresco bench latency --set bytes=64MiB --simulate i5-6200u
  fresco bench curves --system mine --csv mine.csv
  sudo fresco run --machine i5-6200u --colors banks=0-3 -- fresco bench bandwidth")]
pub struct Args {
    /// What to measure
    #[arg(value_name = "YARDSTICK", value_parser = choice("YARDSTICK", &YARDSTICKS))]
    yardstick: Yardstick,

    /// A parameter of its program (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,

    /// Measure on the model of a built-in machine, or of the machine file at this path
    #[arg(long, value_name = "MACHINE")]
    simulate: Option<String>,

    /// Seed of the first repetition
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: u32,

    /// Passes that are measured: each after one that is not, in memory of its own, with a seed of its own [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--repetitions", 1..=10_000u32))]
    repetitions: Option<u32>,

    #[command(flatten)]
    hrt: HrtArgs,

    #[command(flatten)]
    curves: CurvesArgs,

    /// Write the distribution as a figure
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Args {
    fn repetitions(&self) -> u32 {
        self.repetitions.unwrap_or(10)
    }
}

/// A measured pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Seed of the repetition.
    pub seed: u64,
    /// Its time, in nanoseconds.
    pub pass_ns: f64,
    /// Its loads or stores.
    pub accesses: u64,
}

impl Sample {
    /// Time of the pass over its accesses, in nanoseconds.
    pub fn access_ns(&self) -> f64 {
        self.pass_ns / self.accesses.max(1) as f64
    }
}

/// Measures and reports.
pub fn run(args: &Args) -> Outcome {
    if args.yardstick == Yardstick::Curves {
        return curves::run(args);
    }
    args.curves.check_absent()?;
    let chosen = args.yardstick.chosen(&args.set)?;
    args.hrt
        .check(args.yardstick == Yardstick::Hrt, args.repetitions.is_some())?;
    let read: Vec<&Path> = args.simulate.iter().map(Path::new).collect();
    Outputs::new()
        .file("--svg", args.svg.as_deref())
        .check(args.json, &read)?;
    let period = (args.yardstick == Yardstick::Hrt).then(|| {
        let micros = |count: u32| Duration::from_micros(u64::from(count));
        (micros(args.hrt.period()), micros(args.hrt.deadline()))
    });
    if period.is_some_and(|(period, deadline)| deadline > period) {
        return Err(
            InputError::new("--deadline", format!("found {} us", args.hrt.deadline()))
                .allowed(format!("up to the period, {} us", args.hrt.period()))
                .help("give a shorter deadline, or a longer --period")
                .into(),
        );
    }
    let pattern = AccessPattern::record(chosen.program, &chosen.parameters, u64::from(args.seed));
    let pattern = pattern.map_err(|error| chosen.as_given(error, &args.set))?;
    let stop = match args.simulate {
        Some(_) => Stop::after("each repetition that has begun"),
        None => Stop::on_any_end(),
    };
    let (report, provenance) = match &args.simulate {
        Some(machine) => {
            let modelled = model::run(machine, args, &chosen, period, &stop)?;
            let mut report = begun(args, &chosen, &pattern, modelled.machine);
            (report.samples, report.jobs) = (modelled.samples, modelled.jobs);
            (report, modelled.provenance)
        }
        None => (
            measured(args, &chosen, &pattern, period, &stop)?,
            provenance::of_this_run(u64::from(args.seed)),
        ),
    };
    let stopped = stop.is_asked();
    if report.samples.is_empty() && report.jobs.is_none() {
        tell("fresco: stopped before anything was measured");
        return Ok(ExitCode::from(STOPPED));
    }
    shown(args, &report.summed(), &provenance)?;
    Ok(match stopped {
        true => {
            tell("fresco: stopped early: the numbers are those of what was measured until then");
            ExitCode::from(STOPPED)
        }
        false => ExitCode::SUCCESS,
    })
}

/// A report without results.
fn begun(args: &Args, chosen: &Chosen, pattern: &AccessPattern, machine: String) -> BenchReport {
    BenchReport {
        yardstick: args.yardstick.name(),
        machine,
        simulated: args.simulate.is_some(),
        program: chosen.program,
        parameters: chosen.parameters.clone(),
        accesses: pattern.order.len() as u64,
        bytes: pattern.bytes_touched(),
        addresses: None,
        samples: Vec::new(),
        access_time_ns: Spread::default(),
        bandwidth_bytes_per_s: Spread::default(),
        jobs: None,
        conditions: None,
    }
}

/// On this machine.
fn measured(
    args: &Args,
    chosen: &Chosen,
    pattern: &AccessPattern,
    period: Option<(Duration, Duration)>,
    stop: &Stop,
) -> Result<BenchReport, InputError> {
    let before = Conditions::read(Path::new(PROC));
    let machine = match before.processor.as_str() {
        "" => "this machine".to_owned(),
        processor => format!("this machine, {processor}"),
    };
    let mut report = begun(args, chosen, pattern, machine);
    if let Some((period, deadline)) = period {
        let mut native = Native::new(pattern);
        report.addresses = Some(native.how());
        report.jobs = Some(Jobs::run(
            &mut native,
            u64::from(args.hrt.jobs()),
            period,
            deadline,
            stop,
        ));
    } else {
        let bar = progress::bar(u64::from(args.repetitions()), args.yardstick.name());
        for seed in (u64::from(args.seed)..).take(args.repetitions() as usize) {
            if stop.is_asked() && !report.samples.is_empty() {
                break;
            }
            // Courses that no seed changes are recorded again all the same: that is not timed.
            let own = AccessPattern::record(chosen.program, &chosen.parameters, seed)?;
            let mut native = Native::new(&own);
            native.pass();
            report.samples.push(Sample {
                seed,
                pass_ns: native.pass() as f64,
                accesses: own.order.len() as u64,
            });
            report.addresses = Some(native.how());
            bar.inc(1);
        }
        bar.finish_and_clear();
    }
    report.conditions = Some(Conditions::read(Path::new(PROC)).since(&before));
    Ok(report)
}

/// Prints, and draws if asked to: what cannot be drawn is printed all the same.
fn shown(args: &Args, report: &BenchReport, provenance: &Provenance) -> Result<(), Failure> {
    let drawn = args
        .svg
        .as_deref()
        .map_or(Ok(()), |path| draw(path, report, provenance));
    let printed = output::print(args.json, "fresco-bench/1", provenance, report, || report.tables());
    outputs::all([drawn, printed])
}

fn draw(path: &Path, report: &BenchReport, provenance: &Provenance) -> Result<(), Failure> {
    if report.jobs.as_ref().is_some_and(|jobs| jobs.jobs.is_empty()) {
        tell("bench: no figure was written, as no job ended");
        return Ok(());
    }
    let figure = report.figure(provenance)?;
    write_atomically(path, figure.as_str().as_bytes()).map_err(|error| error.in_field("--svg"))?;
    Ok(())
}
