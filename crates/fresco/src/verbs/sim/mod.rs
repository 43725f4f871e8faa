// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim`: scenarios, or a plan, on the models of their machines.

mod on;
mod subjects;

pub use subjects::asks_for_a_plan;

use crate::arguments::integer;
use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::files::ReportDirectory;
use crate::on_machine::OnMachine;
use crate::scenarios;
use crate::shown::Results;
use crate::simulate::{Simulated, Subject, provenance_of, simulate};
use crate::stop::{STOPPED, Stop};
use crate::{output, outputs, tables};
use fresco_input::format_duration;
use fresco_plan::Plan;
use fresco_report::Provenance;
use fresco_scenario::builtin_titles;
use fresco_show::table::Tasks;
use fresco_show::timelines::{self, TRACE};
use fresco_system::results::ScenarioResult;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco sim`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A scenario is the name of a built-in one (see --list) or the path of a file, with a \"/\" or ending in .toml; or a task set (fresco plan --list).
With several scenarios, --set, --seed and --trace-dir hold for each of them. A plan is run beside them.

Examples:
  fresco sim --list
  fresco sim first
  fresco sim --on xeon-w3530 victim.ftrace --beside noise.ftrace,3 --policies buddy,palloc,bpm
  fresco sim palloc-fig4 --set 'sweep.corunners=[0, 3]' --set repetitions=5
  fresco sim first --set task.victim.parameters.bytes=32MiB --json
  fresco sim palloc-fig4 camc-fig2.6 camc-fig2.7 --out out/demo
  fresco sim palloc-fig4 --csv out/fig4 --parquet out/fig4
  fresco sim spec-four --trace-dir ~/traces
  fresco sim plan.json --out out/plan
  fresco sim modes.json --mode-change '130 ms'
  fresco sim crs.json codesign.json --csv out/both
  fresco sim batch")]
pub struct Args {
    /// Scenarios: names of built-in ones or files, of which those with `[plan]` are planned first; or plans
    #[arg(required_unless_present_any = ["list", "programs"], value_name = "SCENARIO")]
    scenarios: Vec<String>,

    #[command(flatten)]
    on_machine: OnMachine,

    /// With --on, the policies that are compared, e.g. buddy,palloc,bpm; each also with +memguard
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "on")]
    policies: Vec<String>,

    /// With --on, print the scenario that this stands for, with what --set changes, and run nothing
    #[arg(long, requires = "on", conflicts_with_all = ["json", "out"])]
    print_scenario: bool,

    /// Set a key of the scenario (repeatable), e.g. task.victim.core=1 or memory.controller.page=closed
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Replay what `fresco loop` recorded there of the same scenario: its programs as Linux ran them, in the page frames that they had
    #[arg(long, value_name = "DIR", conflicts_with = "on")]
    recorded: Option<PathBuf>,

    /// Seed of page frames and programs, for the first repetition
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: Option<u32>,

    /// Directory of the recorded traces that the scenario names
    #[arg(long, value_name = "DIR")]
    trace_dir: Option<PathBuf>,

    /// Runs at the same time; 0, as without this option, is one per processor. Twice as many as there are runs give the memory
    /// controllers of each a thread of their own, which pays where many cores are busy and that many processors are idle, and is
    /// many times slower where they are not. Changes no result
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, allow_negative_numbers = true, value_parser = integer("--threads", 0..=1024u16))]
    threads: u16,

    /// Length of the run of a plan, e.g. '640 ms', 1 us to 100 s; as long as everything takes to repeat if omitted, from two to ten retention
    /// times
    #[arg(long, value_name = "TIME")]
    horizon: Option<String>,

    /// Begin the run of a plan with the switch from ordinary refresh, which tasks may meet until each color's first window;
    /// otherwise refresh has been in its rhythm for a while when the tasks begin
    #[arg(long)]
    from_switch_on: bool,

    /// When a plan of two criticality levels changes to high mode, e.g. '130 ms', 1 us to 100 s: tasks of low criticality are dropped, and jobs of the
    /// others take wcet_high, if they have no program. Without it the run is of low mode
    #[arg(long, value_name = "TIME")]
    mode_change: Option<String>,

    /// Length of the part of each run of which a report shows who ran when, e.g. '640 ms': key `timeline` of a scenario; 128 ms of a
    /// plan's run if omitted, or more if its mode changes later
    #[arg(long, value_name = "TIME")]
    timeline: Option<String>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Rows for the tasks in the background, too, and a table of the controllers
    #[arg(long)]
    all: bool,

    /// Write a report there: index.html, results.json, each figure as SVG, and trace.json for ui.perfetto.dev: who ran when, for
    /// as long as --timeline says; replaces the report that is there, and no other file
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    tables: tables::Options,

    /// List the built-in scenarios
    #[arg(long, conflicts_with_all = ["scenarios", "programs"])]
    list: bool,

    /// List the programs that tasks can run, with their parameters
    #[arg(long, conflicts_with = "scenarios")]
    programs: bool,
}

/// What is hardly meant of the machines, each once.
fn tell_warnings(subjects: &[Subject]) {
    let of = |subject: &Subject| match subject {
        Subject::Scenario(scenario, _) => {
            let machines = scenario.points.iter().map(|point| &point.setup.machine);
            machines.filter_map(|machine| machine.warning()).collect()
        }
        Subject::Plan(plan, _) => plan.machine.warning().into_iter().collect::<BTreeSet<String>>(),
    };
    let all: BTreeSet<String> = subjects.iter().flat_map(of).collect();
    all.iter().for_each(|warning| tell(&format!("fresco: {warning}")));
    let is_low = |subject: &Subject| matches!(subject, Subject::Plan(plan, run) if plan.plan.high.is_some() && run.mode_change_ns.is_none());
    if subjects.iter().any(is_low) {
        tell(
            "fresco: low mode is simulated: no job takes longer than its wcet, and no device becomes hot; --mode-change TIME simulates that",
        );
    }
}

/// Runs the scenarios and shows what came of them.
pub fn run(args: Args) -> Outcome {
    if args.list || args.programs {
        let text = if args.list {
            scenarios::list(builtin_titles().collect())
        } else {
            programs()
        };
        output::write_text(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let comparison = args.on_machine.comparison(&args.scenarios, &args.policies);
    if args.print_scenario
        && let Some(comparison) = comparison
    {
        output::write_text(&on::text(&args, comparison)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let subjects = subjects::load(&args)?;
    tell_warnings(&subjects);
    let files = files(&args.scenarios, &subjects);
    let directory = args
        .out
        .as_deref()
        .map(|directory| ReportDirectory::prepare("fresco-sim", directory, files.clone()));
    let directory = directory.transpose()?;
    let tables = args.tables.prepare(&files)?;
    let stop = Stop::after_grace("each run that has begun");
    let Simulated {
        subjects,
        results,
        faults,
        stopped,
    } = simulate(&subjects, usize::from(args.threads), &stop);
    let mut promises = results
        .iter()
        .flat_map(|result| &result.points)
        .flat_map(|point| &point.runs)
        .flat_map(|run| &run.promises);
    let mut status = match promises.all(|promise| promise.kept) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    };
    if let Some((made, total)) = stopped {
        status = ExitCode::from(STOPPED);
        let nothing = match results.is_empty() {
            true => ": no repetition and no value of an axis is whole, so that there is nothing to show",
            false => "",
        };
        tell(&format!("fresco: stopped after {made} of {total} runs{nothing}"));
    }
    // Neither costs the results that there are.
    let shown = match results.is_empty() {
        true => Ok(()),
        false => {
            let provenance = provenance_of(&subjects, &results)?;
            let results = Results { scenarios: results };
            show(&args, directory.as_ref(), &tables, &provenance, &results, &subjects)
        }
    };
    let faults = faults.into_iter().map(|fault| Err(fault.into()));
    outputs::all(std::iter::once(shown).chain(faults))?;
    Ok(status)
}

/// Every file that is read, and those of the command line themselves.
fn files(given: &[String], subjects: &[Subject]) -> Vec<PathBuf> {
    let named = given.iter().filter(|name| scenarios::is_path(name)).map(PathBuf::from);
    named.chain(subjects.iter().flat_map(Subject::files)).collect()
}

/// Prints results and writes the report and the tables that are asked for; `subjects` is what the results are of.
fn show(
    args: &Args,
    directory: Option<&ReportDirectory>,
    tables: &tables::Destination,
    provenance: &Provenance,
    results: &Results,
    subjects: &[&Subject],
) -> Result<(), Failure> {
    let plans: Vec<&Plan> = subjects.iter().filter_map(|subject| subject.plan()).collect();
    // A report that cannot be written does not cost the results: they are printed first.
    let written = results.write(directory, &plans, provenance);
    let tabled = tables.write(provenance, || fresco_tidy::scenarios(&results.scenarios));
    if args.json {
        output::write(results.json(provenance)?)?;
    } else {
        let tasks = if args.all { Tasks::All } else { Tasks::Measured };
        let report = args.out.as_deref().filter(|_| written.is_ok());
        let mut text = results.text(tasks, report, provenance)?;
        if tabled.is_ok() {
            text.push_str(&args.tables.lines());
        }
        output::write_text(&text)?;
    }
    if let Some(directory) = args.out.as_deref().filter(|_| written.is_ok()) {
        tell_where_traces_end(directory, &results.scenarios);
    }
    outputs::all([written, tabled])
}

/// Says that the trace of a report ends before the run does.
fn tell_where_traces_end(directory: &Path, results: &[ScenarioResult]) {
    let (runs, first) = timelines::cut_short(results);
    let Some((recorded, end)) = first else { return };
    let (to, of) = (format_duration(recorded), format_duration(end));
    let others = match runs {
        1 => String::new(),
        _ => format!(", and that of {} other runs in part", runs - 1),
    };
    tell(&format!(
        "fresco: {}: who ran when is recorded up to {to} of {of}{others}; --timeline '{of}' records all",
        directory.join(TRACE).display()
    ));
}

/// The programs, their parameters indented.
fn programs() -> String {
    let mut text = String::new();
    for kind in fresco_load::programs() {
        text.push_str(&format!("{}\n    {}\n", kind.name, kind.doc));
        // How long they run is said by the scenario.
        for parameter in kind
            .parameters()
            .filter(|one| !["passes", "warmup"].contains(&one.name))
        {
            text.push_str(&format!(
                "    {:<14} {} ({})\n",
                parameter.name,
                parameter.doc,
                parameter.kind.range()
            ));
        }
    }
    text
}
