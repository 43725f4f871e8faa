// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco bound`: the longest that reads and jobs of each task can take, whatever the others do.

mod certify;
mod check;
mod measure;
mod show;

pub use measure::{Measure, alone as works_alone, note};

use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::output;
use crate::outputs::{self, Outputs};
use crate::progress;
use crate::scenarios;
use crate::simulate;
use crate::stop::{STOPPED, Stop};
use fresco_bound::{Alone, TaskReads, WorkBound};
use fresco_dram::Ps;
use fresco_input::write_atomically;
use fresco_report::Document;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco bound`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A bound of a read is proven from the machine, its controller and who may have how many requests under way in which banks; nothing of it \
is measured. That of a task's work (a job, or its measured phase) rests on what the work is alone, which is simulated. docs/bound.md has the \
formulas and the assumptions.
Exit status: 0 the reads of each measured task are bounded, and nothing observed exceeds a bound; 1 some are not, or something does; 2 wrong input; 130 Ctrl-C, \
what was known by then is printed.
With --check: 0 the certificate is verified, 1 a fact of it does not hold, 2 it is none. Without a scenario its facts of the machine and the tasks are taken as they stand.

Examples:
  fresco bound palloc-fig5
  fresco bound memguard-four --reads --set 'memory.controller={hit_cap=1, drain_once=true}'
  fresco bound first --observe
  fresco bound camc-tab2.1 --set memory.controller.hit_cap=4 --json
  fresco bound palloc-fig5 --reads --certificate bound.json
  fresco bound --check bound.json palloc-fig5")]
pub struct Args {
    /// Scenario: the name of a built-in one, or a file; a plan stands for its tasks
    #[arg(value_name = "SCENARIO", required_unless_present = "check")]
    scenario: Option<String>,

    /// Set a key of the scenario (repeatable), as fresco sim does
    #[arg(long, value_name = "KEY=VALUE", requires = "scenario")]
    set: Vec<String>,

    /// Bounds of reads only: nothing is simulated
    #[arg(long)]
    reads: bool,

    /// Run the scenario, too, and show the longest that was observed beside each bound
    #[arg(long)]
    observe: bool,

    /// Write there, as JSON, all that the bounds were made from, for --check
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Verify the certificate in this file, with a scenario against it, too; nothing is simulated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["reads", "observe", "certificate", "threads"])]
    check: Option<PathBuf>,

    /// Runs at the same time [default: one per processor]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    threads: usize,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Schema of the JSON.
pub const SCHEMA: &str = "fresco-bound/1";

/// Bounds of a scenario: schema `fresco-bound/1`.
#[derive(Debug, Serialize)]
pub struct Bounds {
    /// Name of the scenario.
    pub scenario: String,
    /// Names of the axes of its sweep.
    pub axes: Vec<String>,
    /// Its points.
    pub points: Vec<PointBounds>,
}

/// Bounds at one point of a sweep.
#[derive(Debug, Serialize)]
pub struct PointBounds {
    /// Its value on each axis.
    pub values: Vec<String>,
    /// Each copy of each task.
    pub tasks: Vec<TaskBounds>,
}

/// Bounds of a copy of a task. What is left out of one has a reason.
#[derive(Debug, Serialize)]
pub struct TaskBounds {
    /// Its name.
    pub name: String,
    /// Its core.
    pub core: u32,
    /// Its speed is what matters; else it is in the background.
    pub is_measured: bool,
    /// Its reads.
    pub reads: Option<TaskReads>,
    /// Why they have no bound.
    pub reads_unbounded: Option<Reason>,
    /// The longest read observed, from its arrival at the controller to its last data.
    pub observed_read_ps: Option<Ps>,
    /// Its work: the job, or the repetition, that takes longest.
    pub work: Option<WorkBound>,
    /// Why nothing follows for it.
    pub work_unknown: Option<Reason>,
    /// The longest work observed.
    pub observed_work_ps: Option<Ps>,
}

/// Why there is no bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// What stands against it.
    pub why: String,
    /// The cheapest change after which there is one.
    pub way_out: String,
}

impl Reason {
    /// Of what says why, and how to get out of it.
    pub fn of(why: &dyn std::fmt::Display, way_out: &str) -> Self {
        Self {
            why: why.to_string(),
            way_out: way_out.to_owned(),
        }
    }
}

impl TaskBounds {
    /// Returns true if something observed is longer than its bound.
    pub fn is_exceeded(&self) -> bool {
        let reads = self.reads.as_ref().zip(self.observed_read_ps);
        let work = self.work.as_ref().zip(self.observed_work_ps);
        reads.is_some_and(|(bound, observed)| observed > bound.longest_ps)
            || work.is_some_and(|(bound, observed)| observed > bound.longest_ps)
    }

    /// Returns true if it is measured and lacks a bound of its reads.
    pub fn is_wanting(&self) -> bool {
        self.is_measured && self.reads.is_none()
    }
}

/// Finds the bounds.
pub fn run(args: &Args) -> Outcome {
    if let Some(path) = &args.check {
        return check::run(args, path);
    }
    let given = args.scenario.as_deref().unwrap_or_default();
    let (scenario, file) = scenarios::load(given, &args.set)?;
    let outputs = Outputs::new().file("--certificate", args.certificate.as_deref());
    let inputs = simulate::files_read(given, &scenario);
    outputs.check(args.json, &inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    let mut provenance = crate::provenance::of_this_run(Some(scenario.seed));
    provenance.scenario = Some(file);
    simulate::add_files(&mut provenance, &scenario)?;
    let measure = Measure {
        scenario: &scenario,
        stop: Stop::after_grace("each run that has begun"),
        bar: progress::bar(0, &scenario.name),
        threads: args.threads,
    };
    let mut bounds = measure.reads();
    if !args.reads {
        measure.work(&mut bounds)?;
    }
    if args.observe && !measure.stop.is_asked() {
        measure.observe(&mut bounds)?;
    }
    measure.bar.finish_and_clear();
    let is_stopped = measure.stop.is_asked();
    let written = match &args.certificate {
        Some(path) if !is_stopped => write_certificate(path, &provenance, &scenario, &bounds),
        _ => Ok(()),
    };
    output::print(args.json, SCHEMA, &provenance, &bounds, || show::tables(&bounds))?;
    outputs::all([written])?;
    if is_stopped {
        tell("fresco: stopped before all runs were made: bounds of reads are whole, others may be missing");
        return Ok(ExitCode::from(STOPPED));
    }
    let mut tasks = bounds.points.iter().flat_map(|point| &point.tasks);
    Ok(match tasks.any(|task| task.is_wanting() || task.is_exceeded()) {
        true => ExitCode::from(WANTING),
        false => ExitCode::SUCCESS,
    })
}

fn write_certificate(
    path: &std::path::Path,
    provenance: &fresco_report::Provenance,
    scenario: &fresco_system::Scenario,
    bounds: &Bounds,
) -> Result<(), Failure> {
    let data = certify::certificates(scenario, bounds);
    let document = Document {
        schema: certify::SCHEMA,
        provenance,
        data: &data,
    };
    Ok(write_atomically(path, &document.to_bytes()?)?)
}
