// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sched generate`: random task sets, and what fraction of them each method schedules.

mod accept;
mod figures;
mod options;
mod sets;

use crate::arguments::{choice, integer};
use crate::failure::{Failure, Outcome, tell};
use crate::files::{self, ReportDirectory};
use crate::outputs::{self, Outputs};
use crate::stop::{STOPPED, Stop};
use crate::{output, provenance};
use accept::Point;
use fresco_input::{InputError, write_atomically};
use fresco_report::{Document, Provenance};
use fresco_rt::Task;
use fresco_rt::acceptance::{Conditions, Method};
use fresco_rt::generate::{Deadlines, Phases, Recipe, Shares};
use fresco_rt::policy::Policy;
use fresco_rt::refresh::Density;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco sched generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Periods: a list (8ms,10ms,20ms); log:LEAST:MOST[:STEP], log-uniform in multiples of STEP (1ms); \
divisors:WHOLE:LEAST:MOST, those of WHOLE; harmonic:LEAST:COUNT, each twice the one before.
Methods of --accept: auto-refresh, linear, periodic, table, aligned, flat, colored-refresh, as \
docs/theory.md explains them.

Examples:
  fresco sched generate --sets 3
  fresco sched generate --tasks 8 --method drs --bounds 0.02:0.4 --out sets
  fresco sched generate --utilization 0.5:0.9:0.1 --accept table,flat --density 8 --svg a.svg
  fresco sched generate --utilization 0.6:1.0:0.1 --accept periodic,table,aligned --report out")]
pub struct Args {
    /// Sets at each utilization
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = integer("--sets", 1..=100_000u32))]
    sets: u32,

    /// Tasks of a set
    #[arg(long, value_name = "N", default_value_t = 6, allow_negative_numbers = true, value_parser = integer("--tasks", 1..=1024u16))]
    tasks: u16,

    /// Utilization of a set: one, or FROM:TO:STEP
    #[arg(long, value_name = "U", default_value = "0.8", allow_negative_numbers = true, value_parser = options::utilizations)]
    utilization: options::Utilizations,

    /// Where periods come from
    #[arg(long, value_name = "PERIODS", default_value = "8ms,10ms,16ms,20ms,32ms,40ms,64ms,80ms", value_parser = options::periods)]
    periods: fresco_rt::generate::Periods,

    /// Deadlines: implicit (the period), constrained (drawn from the later half of what is possible)
    #[arg(long, value_name = "D", default_value = "implicit", value_parser = choice("--deadlines", &DEADLINES))]
    deadlines: Deadlines,

    /// Phases: zero, random
    #[arg(long, value_name = "P", default_value = "zero", value_parser = choice("--phases", &PHASES))]
    phases: Phases,

    /// How utilization is shared: uunifast, drs
    #[arg(long, value_name = "METHOD", default_value = "uunifast", value_parser = choice("--method", &SHARES))]
    method: Shares,

    /// Least and greatest utilization of a task, MIN:MAX
    #[arg(long, value_name = "BOUNDS", default_value = "0:1", allow_negative_numbers = true, value_parser = options::bounds)]
    bounds: options::Bounds,

    /// Seed of all sets
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: u32,

    /// Write each set to a file of its own there; files of the same names are replaced
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Count what these methods schedule, separated by commas
    #[arg(long, value_name = "METHODS", value_delimiter = ',', value_parser = choice("--accept", &Method::NAMES))]
    accept: Vec<Method>,

    /// Densities in Gb, separated by commas
    #[arg(long, value_name = "LIST", requires = "accept", value_delimiter = ',', default_value = "1,2,4,8,16,32,64", value_parser = choice("--density", &DENSITIES))]
    density: Vec<Density>,

    /// Policy of the tasks, inside servers too: edf, rm (rate-monotonic), dm (deadline-monotonic)
    #[arg(long, value_name = "POLICY", requires = "accept", default_value = "edf", value_parser = choice("--policy", &Policy::NAMES))]
    policy: Policy,

    /// Cost of each handler that locks, unlocks or switches
    #[arg(long, value_name = "TIME", requires = "accept", default_value = "2us", value_parser = options::handler)]
    handler: u64,

    /// Write a report there: index.html, results.json, a figure for each density
    #[arg(long, value_name = "DIR", requires = "accept")]
    report: Option<PathBuf>,

    /// Write the figure there; for one density
    #[arg(long, value_name = "FILE", requires = "accept")]
    svg: Option<PathBuf>,

    /// Sets judged at the same time; 0, as without this option, is one per processor. Changes no result
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, allow_negative_numbers = true, value_parser = integer("--threads", 0..=1024u16))]
    threads: u16,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

const DEADLINES: [(&str, Deadlines); 2] = [
    ("implicit", Deadlines::Implicit),
    ("constrained", Deadlines::Constrained),
];
const PHASES: [(&str, Phases); 2] = [("zero", Phases::Zero), ("random", Phases::Random)];
const SHARES: [(&str, Shares); 2] = [("uunifast", Shares::UUniFast), ("drs", Shares::Drs)];
const DENSITIES: [(&str, Density); 7] = [
    ("1", Density::Gb1),
    ("2", Density::Gb2),
    ("4", Density::Gb4),
    ("8", Density::Gb8),
    ("16", Density::Gb16),
    ("32", Density::Gb32),
    ("64", Density::Gb64),
];

/// What `--json` prints: schema `fresco-sched-generate/1`.
#[derive(Serialize)]
struct Generated {
    /// What was drawn.
    recipe: sets::ShownRecipe,
    /// The sets, where they are not judged.
    sets: Vec<sets::ShownSet>,
    /// Points of the curves.
    acceptance: Vec<Point>,
}

/// The sets of one utilisation, in millionths.
struct Level {
    utilization: u32,
    sets: Vec<Vec<Task>>,
}

/// Draws the sets, and judges them if asked to.
pub fn run(args: &Args) -> Outcome {
    refuse_several_densities(args)?;
    Outputs::new()
        .directory("--report", args.report.as_deref(), &[files::PAGE, files::RESULTS])
        .directory("--out", args.out.as_deref(), &[])
        .file("--svg", args.svg.as_deref())
        .check(args.json, &[])?;
    let report = args.report.as_deref().map(|directory| {
        let prepared = ReportDirectory::prepare("fresco-sched-generate", directory, Vec::new());
        prepared.map_err(|error| error.in_field("--report"))
    });
    let report = report.transpose()?;
    let recipe = recipe(args);
    let levels = draw(args, &recipe)?;
    if let Some(directory) = &args.out {
        sets::write(directory, &recipe, &levels)?;
    }
    let provenance = provenance::of_this_run(u64::from(args.seed));
    let conditions = |density: &Density| Conditions {
        handler: args.handler,
        ..Conditions::of(*density, args.policy)
    };
    let conditions: Vec<Conditions> = args.density.iter().map(conditions).collect();
    let stop = match args.accept.is_empty() {
        true => Stop::never(),
        false => Stop::after("each set that is being judged"),
    };
    let all: usize = levels.iter().map(|level| level.sets.len()).sum();
    let (acceptance, judged) = match args.accept.is_empty() {
        true => (Vec::new(), all),
        false => accept::points(&levels, &args.accept, &conditions, usize::from(args.threads), &stop)?,
    };
    let is_stopped = judged < all;
    if is_stopped {
        let nothing = if judged == 0 {
            ", so that there is nothing to show"
        } else {
            ""
        };
        tell(&format!("fresco: stopped after {judged} of {all} sets{nothing}"));
        if judged == 0 {
            return Ok(ExitCode::from(STOPPED));
        }
    }
    let shown = match args.accept.is_empty() {
        true => sets::shown(&levels),
        false => Vec::new(),
    };
    let generated = Generated {
        recipe: sets::ShownRecipe::of(&recipe, args.sets),
        sets: shown,
        acceptance,
    };
    let drawn = draw_figures(args, report.as_ref(), &provenance, &generated);
    let printed = output::print(args.json, SCHEMA, &provenance, &generated, || {
        match args.accept.is_empty() {
            true => Ok(vec![sets::table(&generated.sets)?]),
            false => accept::tables(&generated.acceptance, &args.accept),
        }
    });
    outputs::all([drawn, printed])?;
    if let Some(directory) = args.report.as_ref().filter(|_| !args.json) {
        output::write(format!("report   {}\n", directory.join(files::PAGE).display()))?;
    }
    Ok(if is_stopped {
        ExitCode::from(STOPPED)
    } else {
        ExitCode::SUCCESS
    })
}

const SCHEMA: &str = "fresco-sched-generate/1";

fn recipe(args: &Args) -> Recipe {
    Recipe {
        tasks: usize::from(args.tasks),
        shares: args.method,
        bounds: args.bounds.0,
        periods: args.periods.clone(),
        deadlines: args.deadlines,
        phases: args.phases,
        seed: u64::from(args.seed),
    }
}

fn draw(args: &Args, recipe: &Recipe) -> Result<Vec<Level>, InputError> {
    let refused = |error: fresco_rt::generate::GenerateError| {
        InputError::new("the options of the sets", error.to_string())
            .help("change --utilization, --tasks, --bounds or --periods; with narrow bounds, --method drs")
    };
    let level = |&utilization: &u32| {
        let sets = (0..u64::from(args.sets)).map(|index| recipe.set(utilization, index));
        Ok(Level {
            utilization,
            sets: sets.collect::<Result<_, _>>().map_err(refused)?,
        })
    };
    args.utilization.0.iter().map(level).collect()
}

fn refuse_several_densities(args: &Args) -> Result<(), InputError> {
    if args.svg.is_none() || args.density.len() == 1 {
        return Ok(());
    }
    let found = format!("found {} densities for one figure", args.density.len());
    Err(InputError::new("--svg", found)
        .allowed("one density")
        .help("add --density 8, or write all figures with --report"))
}

fn draw_figures(
    args: &Args,
    report: Option<&ReportDirectory>,
    provenance: &Provenance,
    generated: &Generated,
) -> Result<(), Failure> {
    if args.svg.is_none() && report.is_none() {
        return Ok(());
    }
    let figures = figures::of(&generated.acceptance, &args.accept, &generated.recipe, provenance)?;
    if let (Some(file), [figure]) = (&args.svg, figures.as_slice()) {
        write_atomically(file, figure.svg.as_str().as_bytes()).map_err(|error| error.in_field("--svg"))?;
    }
    if let Some(report) = report {
        let document = Document {
            schema: SCHEMA,
            provenance,
            data: generated,
        };
        let tables = accept::tables(&generated.acceptance, &args.accept)?;
        let page = figures::page(
            &generated.acceptance,
            &figures,
            tables,
            &args.accept,
            &generated.recipe,
            provenance,
        );
        let written = report.write(&page, &document.to_bytes()?, &figures);
        written.map_err(|failure| match failure {
            Failure::Input(error) => Failure::Input(error.in_field("--report")),
            other => other,
        })?;
    }
    Ok(())
}
