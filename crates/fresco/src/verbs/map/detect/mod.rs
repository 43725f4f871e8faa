// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map detect`: the address map of a memory, from evidence.

pub mod disturbance;
mod figure;
pub mod live;
mod names;
mod registers;
mod report;
mod tables;
#[cfg(test)]
pub(super) mod tests;
pub mod timing;
mod way;
mod write;

use super::proved;
use crate::arguments::{choice, key_value};
use crate::failure::{Failure, Outcome, tell};
use crate::outputs::{self, Outputs};
use crate::stop::{STOPPED, Stop};
use crate::{output, provenance};
use disturbance::DisturbanceArgs;
use fresco_detect::synthetic::Disturbed;
use fresco_detect::{Detection, Options, Verdict, detect_until};
use fresco_input::{InputError, write_atomically};
use fresco_linux::probe::ProvedMap;
use fresco_machine::load_with;
use fresco_report::Provenance;
use fresco_system::MemoryTimer;
use report::DetectReport;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use timing::TimingArgs;
use way::{METHODS, Way};

/// Arguments of `fresco map detect`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --simulate it probes the memory of this machine, as root: it takes up to half of what is available, at most 4 GiB, \
and some minutes.

Methods:
  auto         registers where they are understood or a dump is given, the solver elsewhere
  timing       the solver
  solver       any XORs of address bits, offsets behind holes, interleaves over 3, 5 or 7
  algorithm1   bit by bit: single bits and XORs of two
  list         two chases, the second shifted by one bit: single bits below 8 MiB
  registers    no timing: decodes PCI configuration space, of this machine or from a dump (AMD family 10h)

Exit status: 0 MAP, 10 SIGNAL-ONLY, 11 NO-SIGNAL, 12 UNSTABLE, 13 NO-BENEFIT (a map, and nothing to gain from it), \
125 this machine cannot be timed, 2 wrong input. Only 0 and 13 write a map.

Examples:
  sudo fresco map detect --out detected
  fresco map detect --simulate i5-6200u --out detected
  fresco map detect --method registers --dump dump.txt")]
pub struct Args {
    /// Probe the simulated memory of a built-in machine, or of the machine file at this path
    #[arg(long, value_name = "MACHINE")]
    simulate: Option<String>,

    /// Override a key of the machine file (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value, requires = "simulate")]
    set: Vec<(String, String)>,

    /// Where functions come from; those from timing have to predict what was not measured
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = choice("--method", &METHODS))]
    method: Way,

    /// Registers: what `lspci -xxxx` prints as root
    #[arg(long, value_name = "FILE", conflicts_with = "simulate")]
    dump: Option<PathBuf>,

    /// Registers of this machine: the directory that holds its sys and proc, for a copy of another machine's
    #[arg(long, value_name = "DIR", conflicts_with_all = ["simulate", "dump"])]
    root: Option<PathBuf>,

    #[command(flatten)]
    timing: TimingArgs,

    /// Leave out refresh times, queues, what coloring gains, and which function selects what
    #[arg(long)]
    quick: bool,

    #[command(flatten)]
    disturbance: DisturbanceArgs,

    /// Write map.txt and map.toml into this directory, if there is a map
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Write the latencies of pairs of lines as a figure
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// What Ctrl-C waits for.
const PRESENT: &str = "the stage that has begun";

/// Detects, reports, and writes what can be defended.
pub fn run(args: &Args) -> Outcome {
    let root = args.root.as_deref().unwrap_or(Path::new("/"));
    let from_registers = args.dump.is_some() || args.root.is_some();
    let settled = args.method.settled(from_registers, args.simulate.is_some(), || {
        registers::family_is_here(root)
    });
    let method = match (settled, &args.simulate) {
        (Way::Registers, None) => {
            refuse_timing(args)?;
            return registers::run(args.dump.as_deref(), root, args.json);
        }
        (Way::Timing(method), _) if !from_registers => method,
        _ => return Err(mixed().into()),
    };
    let disturbance = args.disturbance.read();
    let options = Options {
        seed: args.timing.seed(),
        method,
        all: !args.quick,
        seconds: args.timing.limit(),
    };
    let outputs = Outputs::new()
        .directory("--out", args.out.as_deref(), &[write::MAP_TXT, write::MAP_TOML])
        .file("--svg", args.svg.as_deref());
    let read: Vec<&Path> = args.simulate.iter().map(Path::new).collect();
    outputs.check(args.json, &read)?;
    let mut provenance = provenance::of_this_run(args.timing.seed());
    let Some(name) = &args.simulate else {
        if args.disturbance.is_given() {
            return Err(disturbed_machine().into());
        }
        let mut timer = match live::begin(args.timing.memory()?) {
            Ok(timer) => timer,
            Err(reason) => return Ok(live::unable("detect", &reason)),
        };
        let stop = Stop::after(PRESENT);
        timer.stop_when(&stop);
        let mut found = detect_until(&mut timer, options, &|| stop.is_asked());
        let claimed = found.verdict.has_map();
        let (live, stayed) = timer.finish(&mut found.evidence, claimed);
        if claimed && !stayed {
            found.verdict = Verdict::Unstable;
        }
        let name = live::name(&live);
        let report = DetectReport::new(&name, &found, Some(live));
        let kept = match found.verdict.has_map() {
            true => kept(proved::found_by_timing(&found, &provenance)),
            false => Ok(()),
        };
        return shown(args, &report, &found, &provenance, kept);
    };
    let machine = load_with(name, &args.set)?;
    let mut timer = Disturbed::new(MemoryTimer::new(&machine), disturbance, args.timing.seed());
    let stop = Stop::after(PRESENT);
    let found = detect_until(&mut timer, options, &|| stop.is_asked());
    provenance.machine_files = vec![provenance::machine_file(&machine, name)];
    let report = DetectReport::new(&machine.name, &found, None);
    shown(args, &report, &found, &provenance, Ok(()))
}

/// Keeps a proved map of this machine, or says why not.
fn kept(proved: Result<ProvedMap, String>) -> Result<(), InputError> {
    match proved {
        Ok(proved) => {
            let path = proved::keep(&proved)?;
            tell(&format!("map detect: kept for this machine in {}", path.display()));
        }
        Err(reason) => tell(&format!("map detect: not kept for this machine: {reason}")),
    }
    Ok(())
}

/// Writes and prints what was found: what cannot be written does not keep the rest from being told.
fn shown(
    args: &Args,
    report: &DetectReport,
    found: &Detection,
    provenance: &Provenance,
    kept: Result<(), InputError>,
) -> Outcome {
    let map = match &args.out {
        Some(directory) if found.verdict.has_map() => write::map(directory, report, found, provenance),
        Some(_) => {
            tell(&format!("map detect: no map was written: {}", found.verdict));
            Ok(())
        }
        None => Ok(()),
    };
    let drawn = args
        .svg
        .as_deref()
        .map_or(Ok(()), |path| draw(path, report, found, provenance));
    let printed = output::print(args.json, "fresco-map-detect/1", provenance, report, || report.tables());
    outputs::all([kept.map_err(Failure::from), map, drawn, printed])?;
    if found.stopped {
        tell("fresco: stopped early: the verdict is that of what was measured until then");
        return Ok(ExitCode::from(STOPPED));
    }
    Ok(ExitCode::from(found.verdict.status()))
}

fn draw(path: &Path, report: &DetectReport, found: &Detection, provenance: &Provenance) -> Result<(), Failure> {
    match figure::contrasts(report, found, provenance)? {
        Some(svg) => write_atomically(path, svg.as_str().as_bytes()).map_err(|error| error.in_field("--svg"))?,
        None => tell("map detect: no figure was written, as no pair of lines stood out"),
    }
    Ok(())
}

/// Registers are read, and shown: what belongs to timing would be ignored.
fn refuse_timing(args: &Args) -> Result<(), InputError> {
    let given = [
        ("--out", args.out.is_some()),
        ("--svg", args.svg.is_some()),
        ("--quick", args.quick),
        ("options of a simulated memory", args.disturbance.is_given()),
    ];
    let given = given.into_iter().find(|(_, given)| *given).map(|(option, _)| option);
    let Some(option) = given.or(args.timing.given()) else {
        return Ok(());
    };
    Err(InputError::new(
        option,
        "found it where registers are decoded, which times nothing and writes no file",
    )
    .allowed("--dump or --root, and --json with registers; a map of this machine is kept for `fresco run`")
    .help(format!("leave out {option}, or time the memory: --method timing")))
}

/// Timing and registers do not go together.
fn mixed() -> InputError {
    InputError::new("command line", "found both a memory to time and registers to decode")
        .allowed("a method of timing, for this machine or --simulate MACHINE; or registers, of this machine, --dump or --root")
        .help("leave one of them out")
}

/// Disturbances are simulated.
fn disturbed_machine() -> InputError {
    InputError::new("command line", "found disturbances of a simulated memory without one")
        .allowed(
            "--noise, --tick, --interrupts, --drift, --prefetch, --line-spread and --labels with --simulate MACHINE",
        )
        .help("leave them out: this machine has its own")
}
