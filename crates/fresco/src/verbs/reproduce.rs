// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco reproduce`: the papers' claims, each beside what our experiments find.

use crate::arguments::integer;
use crate::experiments;
use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::kernel_record::Record;
use crate::output;
use crate::scenarios;
use crate::show::files::{self, ReportDirectory};
use crate::show::verdicts::{self, Findings};
use crate::simulate::{End, is_whole, provenance_of, simulate_some};
use crate::stop::{STOPPED, Stop};
use fresco_input::InputError;
use fresco_report::claims::{self, Claims, Tally, Verdict, judge};
use fresco_report::{Document, InputFile, Provenance};
use fresco_system::Scenario;
use fresco_system::results::ScenarioResult;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco reproduce`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Runs the experiments of these systems on the models of the papers' machines, and checks each claim that the papers make \
about them by rules that are the same for all claims: see claims/README.md. Takes some minutes.

\"kernel\" judges what PALLOC and CAMC say of the cost of allocation by the patches for Linux: by the numbers that \
scripts/kernel-test cost recorded, in no time.

Examples:
  fresco reproduce
  fresco reproduce kernel --record out/kernel-cost.toml
  fresco reproduce palloc --out out/palloc
  fresco reproduce camc --strict --json > camc.json")]
pub struct Args {
    /// Systems whose claims are judged [default: all]
    #[arg(
        value_name = "SYSTEM",
        value_parser = [
            "bpm",
            "bpm-plus",
            "camc",
            "palloc",
            "tintmalloc",
            "colored-refresh",
            "crs",
            "codesign",
            "refresh-baselines",
            "memguard",
            experiments::KERNEL
        ]
    )]
    systems: Vec<String>,

    /// Seed of page frames and programs, for the first repetition
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: Option<u32>,

    /// Runs at the same time; 0, as without this option, is one per processor. Changes no result
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, allow_negative_numbers = true, value_parser = integer("--threads", 0..=1024u16))]
    threads: u16,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// Write a report there: index.html, results.json, each figure as SVG; replaces the report that is there, and no
    /// other file
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Judge "kernel" by the record in this file, instead of the one in the program
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Exit with status 1 if a claim differs
    #[arg(long)]
    strict: bool,
}

/// What `--json` prints: schema `fresco-reproduce/1`.
#[derive(Serialize)]
pub struct Reproduction {
    /// By name.
    pub systems: Vec<System>,
    /// The rows that claims were checked against.
    pub results: claims::Results,
    /// What the kernel's claims were checked against; absent without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
}

/// The claims of one system.
#[derive(Serialize)]
pub struct System {
    pub name: String,
    /// The paper.
    pub source: String,
    pub tally: Tally,
    /// In the order of the paper.
    pub verdicts: Vec<Verdict>,
}

/// Runs the experiments and judges the claims.
pub fn run(args: Args) -> Outcome {
    let claims = Claims::builtin().map_err(|error| InputError::new(error.file.clone(), error.to_string()))?;
    let systems: Vec<String> = match args.systems.as_slice() {
        [] => claims.names().iter().map(|name| (*name).to_owned()).collect(),
        named => named.to_vec(),
    };
    let record = record_of(&args, &systems)?;
    let inputs = args.record.iter().cloned().collect();
    let directory = args
        .out
        .as_deref()
        .map(|directory| ReportDirectory::prepare(directory, inputs));
    let directory = directory.transpose()?;
    let experiments = experiments::of_systems(&systems);
    let overrides: Vec<String> = args.seed.map(|seed| format!("seed={seed}")).into_iter().collect();
    let (mut loaded, mut names) = (Vec::new(), BTreeSet::new());
    for experiment in &experiments {
        let Some(name) = experiment.scenario else { continue };
        // Several experiments may read the results of one scenario.
        if !names.insert(name) {
            continue;
        }
        let only = experiment.only.iter().map(|text| (*text).to_owned());
        let overrides: Vec<String> = only.chain(overrides.iter().cloned()).collect();
        loaded.push(scenarios::load(name, &overrides)?);
    }
    let stop = Stop::after("each run that has begun");
    let (mut scenarios, end) = simulate_some(&loaded, usize::from(args.threads), &stop);
    if let Some(End::Fault(fault)) = end {
        return Err(fault.into());
    }
    // A claim is judged by all of an experiment, or not at all.
    let whole = |(result, (scenario, _)): (&ScenarioResult, &(Scenario, InputFile))| is_whole(scenario, result);
    scenarios.truncate(scenarios.iter().zip(&loaded).take_while(|pair| whole(*pair)).count());
    let seed = args.seed.map_or(1, u64::from);
    let results = experiments::rows(&experiments, &scenarios, record.as_ref(), seed, &|| stop.is_asked())?;
    let run = experiments
        .iter()
        .filter(|experiment| results.0.contains_key(experiment.name))
        .count();
    let is_stopped = stop.is_asked() && run < experiments.len();
    if is_stopped {
        let of = experiments.len();
        let nothing = if run == 0 {
            ": no experiment is whole, so that there is nothing to judge"
        } else {
            "; claims of the others cannot be judged"
        };
        tell(&format!("fresco: stopped after {run} of {of} experiments{nothing}"));
        if run == 0 {
            return Ok(ExitCode::from(STOPPED));
        }
    }
    let mut provenance = provenance_of(&loaded[..scenarios.len()], &scenarios)?;
    provenance
        .inputs
        .extend(record.iter().map(|record| record.file.clone()));
    let reproduction = Reproduction {
        systems: systems_of(&claims, &systems, &results),
        results,
        record,
    };
    let findings = Findings {
        reproduction: &reproduction,
        experiments: &experiments,
        scenarios: &scenarios,
        claims: &claims,
    };
    show(&args, directory.as_ref(), &provenance, &findings)?;
    let differs = reproduction.systems.iter().any(|system| system.tally.differs > 0);
    Ok(if is_stopped {
        ExitCode::from(STOPPED)
    } else if args.strict && differs {
        ExitCode::from(WANTING)
    } else {
        ExitCode::SUCCESS
    })
}

/// The record that the kernel's claims are judged by, if they are asked for.
fn record_of(args: &Args, systems: &[String]) -> Result<Option<Record>, InputError> {
    if systems.iter().any(|name| name == experiments::KERNEL) {
        return Record::load(args.record.as_deref()).map(Some);
    }
    match &args.record {
        None => Ok(None),
        Some(file) => Err(InputError::new(
            "--record",
            format!("found {}, which no claim asked for is judged by", file.display()),
        )
        .allowed("with the system kernel")
        .help("name kernel among the systems, or leave --record out")),
    }
}

/// Every claim of these systems, judged.
fn systems_of(claims: &Claims, names: &[String], results: &claims::Results) -> Vec<System> {
    let chosen = claims.systems.values().filter(|system| names.contains(&system.name));
    let judged = chosen.map(|system| {
        let verdicts: Vec<Verdict> = system.claims.iter().map(|claim| judge(claim, results)).collect();
        System {
            name: system.name.clone(),
            source: system.source.clone(),
            tally: Tally::of(&verdicts),
            verdicts,
        }
    });
    judged.collect()
}

fn show(
    args: &Args,
    directory: Option<&ReportDirectory>,
    provenance: &Provenance,
    findings: &Findings<'_>,
) -> Result<(), Failure> {
    let document = Document {
        schema: "fresco-reproduce/1",
        provenance,
        data: findings.reproduction,
    };
    // A report that cannot be written does not cost the results: they are printed first.
    let written = match directory {
        Some(directory) => {
            let (page, figures) = verdicts::page(findings, provenance)?;
            directory.write(&page, &document.to_bytes()?, &figures)
        }
        None => Ok(()),
    };
    if args.json {
        output::write(document.to_bytes()?)?;
    } else {
        let mut text = verdicts::text(findings.reproduction, crate::terminal_width(), provenance)?;
        if let (Some(directory), Ok(())) = (&args.out, &written) {
            text.push_str(&format!("report   {}\n", directory.join(files::PAGE).display()));
        }
        output::write_text(&text)?;
    }
    written
}
