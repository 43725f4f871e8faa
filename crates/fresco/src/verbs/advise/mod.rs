// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco advise`: the cheapest partition of banks, cache and bandwidth that meets given goals.

mod page;
mod show;

use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::files::{self, ReportDirectory};
use crate::on_machine::OnMachine;
use crate::output;
use crate::outputs::{self, Outputs};
use crate::plans;
use crate::progress;
use crate::scenarios;
use crate::stop::{STOPPED, Stop};
use crate::user::User;
use fresco_advise::{Advice, Bench, Candidate, Observer};
use fresco_input::{InputError, write_atomically};
use fresco_report::{Document, InputFile};
use fresco_scenario::Source;
use fresco_show::text::wrapped;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco advise`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The scenario has no sweep, and its tasks do not say which memory they get. Measured tasks have goals: no deadline missed, and \
at most the slowdown of --max-slowdown or of a --goal of their own. Everything is measured on the model: each task alone with \
fewer banks, fewer cache colors, less bandwidth; then all together under partitions. Where a task has a goal of reads, partitions \
that meet all other goals are attacked, as fresco attack does. Exit status 1 if no partition meets all goals: \
no plan is written then.

Examples:
  fresco advise advise-four
  fresco advise --on xeon-w3530 a.ftrace b.ftrace --beside noise.ftrace,2
  fresco advise advise-four --max-slowdown 1.5 --out out/advice
  fresco advise advise-four --plan plan.json && fresco sim plan.json
  fresco advise advise-four --goal 'pointers:slowdown=1.05' --goal 'counting:bandwidth=100MB/s' --json")]
pub struct Args {
    /// Scenario: the name of a built-in one, or a file; with --on, programs
    #[arg(value_name = "SCENARIO", required = true)]
    scenario: Vec<String>,

    #[command(flatten)]
    on_machine: OnMachine,

    /// Most that a measured task may be slowed down, as a ratio of its speed alone (BPM-18: 10 %)
    #[arg(long, value_name = "RATIO", default_value = "1.1")]
    max_slowdown: String,

    /// A goal of one task (repeatable): NAME:slowdown=1.2, NAME:bandwidth=500MB/s, or NAME:read=500ns, the longest read under attack
    #[arg(long, value_name = "GOAL")]
    goal: Vec<String>,

    /// Set a key of the scenario (repeatable), as fresco sim does
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Write the proposal there, as a plan that `fresco check`, `sim` and `run` take
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,

    /// Rows for every partition that was run, not only the best for their cost
    #[arg(long)]
    all: bool,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Write a report there: index.html, results.json, each figure as SVG
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The scenario, and what a report says of its file.
fn source(args: &Args) -> Result<(Source, InputFile), InputError> {
    match (
        args.on_machine.comparison(&args.scenario, &[]),
        args.scenario.as_slice(),
    ) {
        (Some(comparison), _) => scenarios::of_comparison(comparison.to_text_of_tasks()?),
        (None, [one]) => scenarios::source(one),
        (None, several) => Err(
            InputError::new(several[1].clone(), format!("found it beside {}", several[0]))
                .allowed("one scenario; or programs, with --on MACHINE")
                .help("ask for the advice of one at a time"),
        ),
    }
}

/// Measures and proposes.
pub fn run(args: &Args) -> Outcome {
    let slowdown = args
        .max_slowdown
        .parse::<f64>()
        .ok()
        .filter(|ratio| (1.0..=1000.0).contains(ratio));
    let slowdown = slowdown.ok_or_else(|| {
        InputError::new(format!("--max-slowdown {}", args.max_slowdown), "found no such ratio")
            .allowed("1 to 1000")
            .help("write 1.1 for ten percent")
    })?;
    let (source, file) = source(args)?;
    let mut bench = Bench::new(source, &args.set)?;
    let goals = fresco_advise::goals(&args.goal, slowdown, &bench.measured())?;
    let is_file = |word: &&String| !args.on_machine.is_given() && scenarios::is_path(word);
    let inputs: Vec<PathBuf> = args.scenario.iter().filter(is_file).map(PathBuf::from).collect();
    let of_inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let outputs = Outputs::new()
        .directory("--out", args.out.as_deref(), &[files::PAGE])
        .file("--plan", args.plan.as_deref());
    outputs.check(args.json, &of_inputs)?;
    if args.plan.is_some() {
        // What a plan has no place for is told before anything runs.
        bench.plan(&Candidate::default())?;
    }
    let directory = args
        .out
        .as_deref()
        .map(|out| ReportDirectory::prepare("fresco-advise", out, inputs))
        .transpose()?;
    let user = User {
        bar: progress::bar(0, &bench.scenario.name),
        stop: Stop::after("each run that has begun"),
    };
    let advice = bench.run_alone(&user).and_then(|()| match user.is_stopped() {
        true => Ok(None),
        false => fresco_advise::advise(&bench, &goals, &user).map(Some),
    });
    user.bar.finish_and_clear();
    let is_stopped = user.is_stopped();
    let has_something = |advice: &Advice| !(advice.tried.is_empty() && advice.curves.is_empty());
    let Some(advice) = advice?.filter(|advice| !is_stopped || has_something(advice)) else {
        tell("fresco: stopped while tasks ran alone: there is nothing to compare");
        return Ok(ExitCode::from(STOPPED));
    };
    if is_stopped {
        let tried = advice.tried.len();
        tell(&format!(
            "fresco: stopped after {tried} partitions; others may be better"
        ));
    }
    let scenario = &bench.scenario;
    let mut provenance = crate::provenance::of_this_run(Some(scenario.seed));
    provenance.scenario = Some(file);
    for machine in scenario.machines() {
        let named = crate::provenance::named_machine(&machine.name, machine.path.as_deref(), &machine.digest);
        provenance.machine_files.push(named);
    }
    let document = Document {
        schema: "fresco-advise/1",
        provenance: &provenance,
        data: &advice,
    };
    // A report that cannot be written does not cost the advice: it is printed first.
    let written = match &directory {
        Some(directory) => {
            let (page, figures) = page::of(&bench, &advice, &scenario.name, &provenance)?;
            directory.write(&page, &document.to_bytes()?, &figures)
        }
        None => Ok(()),
    };
    let plan = match &args.plan {
        Some(_) => advice.plan(&bench)?,
        None => None,
    };
    let planned = match (&args.plan, plan) {
        (Some(out), Some(plan)) => {
            plans::document(&plan, &provenance).and_then(|bytes| write_atomically(out, &bytes).map_err(Failure::from))
        }
        _ => Ok(()),
    };
    match args.json {
        true => output::write(document.to_bytes()?)?,
        false => {
            let width = crate::terminal_width();
            let mut text = String::new();
            for table in show::tables(&bench, &advice, args.all)? {
                text.push_str(&format!("{}\n", table.to_text(width)));
            }
            for sentence in show::sentences(&advice) {
                text.push_str(&wrapped(&sentence, width));
            }
            for key in advice.keys(&bench) {
                text.push_str(&format!("  --set '{key}'\n"));
            }
            for (name, value) in provenance.entries() {
                text.push_str(&format!("{name:<9}{value}\n"));
            }
            if let (Some(out), Ok(())) = (&args.out, &written) {
                text.push_str(&format!("report   {}\n", out.join(files::PAGE).display()));
            }
            if let (Some(out), Some(_), Ok(())) = (&args.plan, advice.proposed, &planned) {
                text.push_str(&format!("plan     {}\n", out.display()));
            }
            output::write_text(&text)?;
        }
    }
    outputs::all([written, planned])?;
    Ok(match advice.proposed {
        _ if is_stopped => ExitCode::from(STOPPED),
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(WANTING),
    })
}
