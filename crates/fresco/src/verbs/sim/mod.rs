// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim`: scenarios, or a plan, on the models of their machines.

mod plan;

use crate::arguments::integer;
use crate::failure::{Failure, Outcome, tell};
use crate::scenarios;
use crate::show::files::{self, ReportDirectory};
use crate::show::sweep::Sweep;
use crate::show::table::Tasks;
use crate::show::{page, text, timelines};
use crate::simulate::{End, provenance_of, simulate};
use crate::stop::{STOPPED, Stop};
use crate::{output, outputs, tidy};
use fresco_input::{InputError, quoted};
use fresco_plan::Plan;
use fresco_report::{Document, InputFile, Provenance};
use fresco_scenario::{builtin_names, builtin_titles};
use fresco_system::Scenario;
use fresco_system::results::ScenarioResult;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco sim`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A scenario is the name of a built-in one (see --list) or the path of a file, with a \"/\" or ending in .toml.
With several scenarios, --set, --seed and --trace-dir hold for each of them.

Examples:
  fresco sim --list
  fresco sim first
  fresco sim palloc-fig4 --set 'sweep.corunners=[0, 3]' --set repetitions=5
  fresco sim scenarios/first.toml --set task.victim.parameters.bytes=32MiB --json
  fresco sim palloc-fig4 camc-fig2.6 camc-fig2.7 --out out/demo
  fresco sim palloc-fig4 --csv out/fig4 --parquet out/fig4
  fresco sim spec-four --trace-dir ~/traces
  fresco sim plan.json --out out/plan
  fresco sim tasks/batch.toml")]
pub struct Args {
    /// Scenarios: names of built-in ones or files; or one plan, or one scenario with `[plan]`, which is planned first
    #[arg(required_unless_present_any = ["list", "programs"], value_name = "SCENARIO")]
    scenarios: Vec<String>,

    /// Set a key of the scenario (repeatable), e.g. task.victim.core=1 or memory.controller.page=closed
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Seed of page frames and programs, for the first repetition
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: Option<u32>,

    /// Directory of the recorded traces that the scenario names
    #[arg(long, value_name = "DIR")]
    trace_dir: Option<PathBuf>,

    /// Runs at the same time; 0, as without this option, is one per processor. Changes no result
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, allow_negative_numbers = true, value_parser = integer("--threads", 0..=1024u16))]
    threads: u16,

    /// Length of the run of a plan, e.g. '640 ms'; as long as everything takes to repeat if omitted, from two to ten retention
    /// times
    #[arg(long, value_name = "TIME")]
    horizon: Option<String>,

    /// Begin the run of a plan with the switch from ordinary refresh, which tasks may meet until each color's first window;
    /// otherwise refresh has been in its rhythm for a while when the tasks begin
    #[arg(long)]
    from_switch_on: bool,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Rows for the tasks in the background, too, and a table of the controllers
    #[arg(long)]
    all: bool,

    /// Write a report there: index.html, results.json, each figure as SVG, and trace.json for ui.perfetto.dev: who ran when, for
    /// the time that the scenario's key `timeline` says; replaces the report that is there, and no other file
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    tables: tidy::Options,

    /// List the built-in scenarios
    #[arg(long, conflicts_with_all = ["scenarios", "programs"])]
    list: bool,

    /// List the programs that tasks can run, with their parameters
    #[arg(long, conflicts_with = "scenarios")]
    programs: bool,
}

/// Schema of the JSON.
const SCHEMA: &str = "fresco-sim/3";

/// What `--json` prints.
#[derive(Serialize)]
struct Results {
    /// In the order of the command line.
    scenarios: Vec<ScenarioResult>,
}

/// Runs the scenarios and shows what came of them.
pub fn run(args: Args) -> Outcome {
    if args.list || args.programs {
        let text = if args.list { list() } else { programs() };
        output::write_text(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    refuse_two_values(&args)?;
    if let Some(plan) = plan::plan_of(&args.scenarios, &args.set)? {
        return plan::run(&args, &plan);
    }
    refuse_options(
        "a scenario",
        "plans",
        &[
            ("--horizon", args.horizon.is_some()),
            ("--from-switch-on", args.from_switch_on),
        ],
    )?;
    let overrides = overrides(&args)?;
    let mut loaded = Vec::new();
    for name in &args.scenarios {
        let (mut scenario, file) = scenarios::load(name, &overrides)?;
        scenario.timelines = args.out.is_some() || args.tables.are_wanted();
        loaded.push((scenario, file));
    }
    refuse_twins(&args.scenarios, &loaded)?;
    let directory = args
        .out
        .as_deref()
        .map(|directory| ReportDirectory::prepare(directory, inputs(&args.scenarios, &loaded)));
    let directory = directory.transpose()?;
    let tables = args.tables.prepare(&inputs(&args.scenarios, &loaded))?;
    let (mut results, end) = simulate(
        &loaded,
        usize::from(args.threads),
        &Stop::after("each run that has begun"),
    );
    let mut status = ExitCode::SUCCESS;
    let fault = match end {
        None => Ok(()),
        Some(End::Fault(fault)) => Err(fault.into()),
        Some(End::Stopped(made, total)) => {
            status = ExitCode::from(STOPPED);
            mark_stopped(&loaded, &mut results);
            let nothing = match results.is_empty() {
                true => ": no repetition and no value of an axis is whole, so that there is nothing to show",
                false => "",
            };
            tell(&format!("fresco: stopped after {made} of {total} runs{nothing}"));
            Ok(())
        }
    };
    // Neither costs the results that there are.
    let shown = match results.is_empty() {
        true => Ok(()),
        false => {
            let provenance = provenance_of(&loaded[..results.len()], &results)?;
            show(
                &args,
                directory.as_ref(),
                &tables,
                &provenance,
                &Results { scenarios: results },
                None,
            )
        }
    };
    outputs::all([shown, fault])?;
    Ok(status)
}

/// Says in the title of the scenario that was stopped that this is a part of it.
fn mark_stopped(loaded: &[(Scenario, InputFile)], results: &mut [ScenarioResult]) {
    for ((scenario, _), result) in loaded.iter().zip(results) {
        let made: usize = result.points.iter().map(|point| point.runs.len()).sum();
        let all = scenario.runs().len();
        if made < all {
            result.title = format!("{} [stopped: {made} of {all} runs]", result.title)
                .trim_start()
                .to_owned();
        }
    }
}

/// Options that would change nothing are refused; each comes with whether it was given.
fn refuse_options(found: &str, suits: &str, options: &[(&str, bool)]) -> Result<(), InputError> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(InputError::new(*option, format!("found it with {found}"))
            .allowed(format!("it with {suits}"))
            .help("omit it")),
    }
}

/// Every file that the scenarios are made of, and themselves.
fn inputs(given: &[String], loaded: &[(Scenario, InputFile)]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = given
        .iter()
        .filter(|name| scenarios::is_path(name))
        .map(PathBuf::from)
        .collect();
    for (scenario, _) in loaded {
        files.extend(scenario.machines().into_iter().filter_map(|machine| machine.path));
        files.extend(scenario.traces().into_iter().map(|trace| trace.path));
    }
    files
}

/// An option and the `--set` of the key that it stands for would be two values for one thing.
fn refuse_two_values(args: &Args) -> Result<(), InputError> {
    let options = [
        (args.seed.is_some(), "--seed", "seed"),
        (args.trace_dir.is_some(), "--trace-dir", "trace_dir"),
    ];
    for (given, option, key) in options {
        let is_key = |text: &&String| text.split_once('=').is_some_and(|(name, _)| name.trim() == key);
        if let Some(text) = args.set.iter().find(is_key).filter(|_| given) {
            let error = InputError::new(
                format!("--set {text}"),
                format!("found a second value, beside {option}"),
            );
            return Err(error
                .in_field(key)
                .allowed(format!("{option}, or --set {key}=…"))
                .help("omit one of them"));
        }
    }
    Ok(())
}

/// `--set`, and the options that stand for keys.
fn overrides(args: &Args) -> Result<Vec<String>, InputError> {
    let mut overrides = args.set.clone();
    overrides.extend(args.seed.map(|seed| format!("seed={seed}")));
    if let Some(directory) = &args.trace_dir {
        // A scenario's paths are relative to its file, an option's to the working directory.
        let path = std::path::absolute(directory).unwrap_or_else(|_| directory.clone());
        let Some(path) = path.to_str() else {
            let error = InputError::new("--trace-dir", "found a path that is not UTF-8");
            return Err(error
                .allowed("a path in UTF-8")
                .help("rename the directory, or link to it"));
        };
        overrides.push(format!("trace_dir={}", quoted(path)));
    }
    Ok(overrides)
}

/// Two scenarios of one name would share file names in the report.
fn refuse_twins(given: &[String], loaded: &[(Scenario, InputFile)]) -> Result<(), InputError> {
    for (number, (scenario, _)) in loaded.iter().enumerate() {
        let Some(other) = loaded[..number]
            .iter()
            .position(|(other, _)| other.name == scenario.name)
        else {
            continue;
        };
        let found = format!(
            "found a second scenario of the name {:?}, after {}",
            scenario.name, given[other]
        );
        let error = InputError::new(given[number].clone(), found).in_field("name");
        return Err(error
            .allowed("each name once")
            .help("give it once, or change the name in one of the files: --set holds for all of them"));
    }
    Ok(())
}

/// Prints results and writes the report and the tables that are asked for; `plan` is what was run, if it was one.
fn show(
    args: &Args,
    directory: Option<&ReportDirectory>,
    tables: &tidy::Destination,
    provenance: &Provenance,
    results: &Results,
    plan: Option<&Plan>,
) -> Result<(), Failure> {
    let document = Document {
        schema: SCHEMA,
        provenance,
        data: results,
    };
    // A report that cannot be written does not cost the results: they are printed first.
    let report = |directory: &ReportDirectory| {
        let (page, figures) = page::of(&results.scenarios, plan, provenance)?;
        let trace = timelines::trace_file(&results.scenarios, provenance)?;
        directory.write_with(&page, &document.to_bytes()?, &figures, Vec::from_iter(trace))
    };
    let written = directory.map_or(Ok(()), report);
    let tabled = tables.write(provenance, || tidy::scenarios(&results.scenarios));
    if args.json {
        output::write(document.to_bytes()?)?;
    } else {
        let tasks = if args.all { Tasks::All } else { Tasks::Measured };
        let sweeps: Vec<Sweep<'_>> = results.scenarios.iter().map(Sweep::new).collect();
        let mut text = text::of(&sweeps, tasks, crate::terminal_width(), provenance)?;
        if let (Some(directory), Ok(())) = (&args.out, &written) {
            text.push_str(&format!("report   {}\n", directory.join(files::PAGE).display()));
        }
        if tabled.is_ok() {
            text.push_str(&args.tables.lines());
        }
        output::write_text(&text)?;
    }
    outputs::all([written, tabled])
}

/// The built-in scenarios, a line each.
fn list() -> String {
    let width = builtin_names().map(str::len).max().unwrap_or(0);
    builtin_titles()
        .map(|(name, title)| format!("{name:<width$}  {title}\n"))
        .collect()
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
