// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map verify`: checks a map by timing, on a simulated memory or on this machine's.

mod claim;
mod report;
#[cfg(test)]
mod tests;

use super::detect::disturbance::DisturbanceArgs;
use super::detect::live;
use super::detect::timing::TimingArgs;
use super::source::SourceArgs;
use crate::failure::Outcome;
use crate::{output, provenance};
use claim::Claim;
use fresco_detect::evidence::Evidence;
use fresco_detect::synthetic::Disturbed;
use fresco_detect::verify::Outcome as Predictions;
use fresco_detect::{Cost, Judge, Judgement, Timer};
use fresco_input::InputError;
use fresco_linux::proc::ram_ranges;
use fresco_machine::load_with;
use fresco_system::MemoryTimer;
use report::MapVerifyReport;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Time after which pairs are asked again, in nanoseconds.
const LATER_NS: f64 = 30e9;

/// Arguments of `fresco map verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Half of the pairs share a bank by the map, the others lie in banks that differ in one function only, each in turn: a \
function too many, one too few and one that is another shows.

Exit status: 0 CONFIRMED, 1 WRONG, 11 NO-SIGNAL (no judgement), 12 UNSTABLE, 125 this machine cannot be timed, 2 wrong \
input.

Examples:
  sudo fresco map verify map.txt
  fresco map verify map.txt --simulate i5-6200u")]
pub struct Args {
    /// A file of bank functions: map.txt, PALLOC masks or hexadecimal masks; without it and --machine, the map last
    /// proved for this machine
    #[arg(conflicts_with = "machine")]
    file: Option<PathBuf>,

    #[command(flatten)]
    source: SourceArgs,

    /// Ask the simulated memory of a built-in machine, or of the machine file at this path, instead of this machine
    #[arg(long, value_name = "MACHINE")]
    simulate: Option<String>,

    #[command(flatten)]
    disturbance: DisturbanceArgs,

    #[command(flatten)]
    timing: TimingArgs,

    /// Leave out asking again half a minute later
    #[arg(long)]
    quick: bool,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// What came out.
struct Judged {
    judgement: Judgement,
    predictions: Vec<Predictions>,
    evidence: Evidence,
    cost: Cost,
}

/// Judges the map and reports.
pub fn run(args: &Args) -> Outcome {
    let source = args.source.load(args.file.as_deref())?;
    let claim = Claim::of(&source);
    let disturbance = args.disturbance.read();
    let mut provenance = source.provenance();
    provenance.seed = Some(args.timing.seed());
    let (judged, memory, view) = match &args.simulate {
        Some(name) => {
            let machine = load_with(name, &[])?;
            let ends = machine.memory.map.regions().iter().map(|region| region.end());
            claim.check(&source.name, ends.max().unwrap_or(0))?;
            let mut timer = Disturbed::new(MemoryTimer::new(&machine), disturbance, args.timing.seed());
            let simulated = provenance::machine_file(&machine, name);
            if !provenance.machine_files.contains(&simulated) {
                provenance.machine_files.push(simulated);
            }
            (judge(&mut timer, &claim, args), machine.name.clone(), None)
        }
        None if args.disturbance.is_given() => return Err(disturbed_machine().into()),
        None => {
            // Known to root only; who is not cannot time it either.
            let ends = ram_ranges(Path::new(live::PROC)).and_then(|ranges| ranges.iter().map(|range| range.end).max());
            if let Some(end) = ends {
                claim.check(&source.name, end)?;
            }
            let mut timer = match live::begin(args.timing.memory()?) {
                Ok(timer) => timer,
                Err(reason) => return Ok(live::unable("verify", &reason)),
            };
            let mut judged = judge(&mut timer, &claim, args);
            let confirmed = judged.judgement == Judgement::Confirmed;
            let (view, stayed) = timer.finish(&mut judged.evidence, confirmed);
            if confirmed && !stayed {
                judged.judgement = Judgement::Unstable;
            }
            (judged, live::name(&view), Some(view))
        }
    };
    let report = MapVerifyReport::new(&source, &claim, memory, judged, view);
    output::print(args.json, "fresco-map-verify/1", &provenance, &report, || {
        report.tables()
    })?;
    Ok(ExitCode::from(report.status))
}

fn judge(timer: &mut dyn Timer, claim: &Claim<'_>, args: &Args) -> Judged {
    let mut judge = Judge::new(timer, args.timing.seed(), args.timing.limit());
    let (judgement, predictions) = judge.judge(claim, 1.0, (!args.quick).then_some(LATER_NS));
    Judged {
        judgement,
        predictions,
        cost: judge.cost(),
        evidence: judge.evidence,
    }
}

/// Disturbances are simulated.
fn disturbed_machine() -> InputError {
    InputError::new("command line", "found disturbances of a simulated memory without one")
        .allowed(
            "--noise, --tick, --interrupts, --drift, --prefetch, --line-spread and --labels with --simulate MACHINE",
        )
        .help("leave them out: this machine has its own")
}
