// SPDX-License-Identifier: MIT OR Apache-2.0
//! A study: from systems to the experiments that their claims need, and from what these find to verdicts.

use crate::Observer;
use crate::experiments::{self, Experiment, KERNEL};
use crate::kernel_record::Record;
use fresco_input::InputError;
use fresco_report::InputFile;
use fresco_report::claims::{Claims, Results, Tally, Verdict, judge};
use fresco_scenario::{Scenario, builtin, builtin_text};
use fresco_system::results::ScenarioResult;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// What is to be run and judged.
pub struct Study {
    claims: Claims,
    /// In no order.
    systems: Vec<String>,
    experiments: Vec<&'static Experiment>,
    /// Each once, with what a report says of its file.
    scenarios: Vec<(Scenario, InputFile)>,
    record: Option<Record>,
    seed: u64,
}

/// What a study has found.
pub struct Findings {
    /// The verdicts, and what they rest on.
    pub reproduction: Reproduction,
    /// All experiments of the study, with or without rows.
    pub experiments: Vec<&'static Experiment>,
    /// The scenarios of which all runs were made, each with what a report says of its file.
    pub scenarios: Vec<(Scenario, InputFile)>,
    /// The result of each of these.
    pub results: Vec<ScenarioResult>,
    /// All claims, of other systems too.
    pub claims: Claims,
}

/// Schema `fresco-reproduce/1`.
#[derive(Serialize)]
pub struct Reproduction {
    /// By name.
    pub systems: Vec<System>,
    /// The rows that claims were checked against.
    pub results: Results,
    /// What the kernel's claims were checked against; absent without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
}

/// The claims of one system.
#[derive(Serialize)]
pub struct System {
    /// One of [`SYSTEMS`](crate::SYSTEMS).
    pub name: String,
    /// The paper.
    pub source: String,
    /// How many claims hold, differ, cannot be run.
    pub tally: Tally,
    /// In the order of the paper.
    pub verdicts: Vec<Verdict>,
}

impl Study {
    /// The study of these systems; of all without any. `seed` is that of page frames and programs, for the first
    /// repetition; without it each scenario has its own. The kernel's claims are judged by the `record` in that file;
    /// without one, by that which is part of the program.
    ///
    /// # Errors
    /// [`Record::load`]. Anything else is a fault of Fresco: claims or scenarios that come with it are wrong.
    pub fn new(systems: &[String], seed: Option<u32>, record: Option<&Path>) -> Result<Self, InputError> {
        let claims = Claims::builtin().map_err(|error| InputError::new(error.file.clone(), error.to_string()))?;
        let systems: Vec<String> = match systems {
            [] => claims.names().iter().map(|name| (*name).to_owned()).collect(),
            named => named.to_vec(),
        };
        let record = match systems.iter().any(|name| name == KERNEL) {
            true => Some(Record::load(record)?),
            false => None,
        };
        let experiments = experiments::of_systems(&systems);
        Ok(Self {
            scenarios: scenarios_of(&experiments, seed)?,
            claims,
            systems,
            experiments,
            record,
            seed: seed.map_or(1, u64::from),
        })
    }

    /// Runs the experiments, on `threads` threads at the same time (0: one per processor), and judges the claims. Once
    /// the observer stops it, experiments that are not whole have no rows: their claims cannot be judged.
    ///
    /// # Errors
    /// A run that has a fault.
    pub fn run(mut self, threads: usize, observer: &dyn Observer) -> Result<Findings, InputError> {
        let scenario_results = simulate(&self.scenarios, threads, observer)?;
        self.scenarios.truncate(scenario_results.len());
        let record = self.record.as_ref();
        let results = experiments::rows(&self.experiments, &scenario_results, record, self.seed, observer)?;
        Ok(Findings {
            reproduction: Reproduction {
                systems: judged(&self.claims, &self.systems, &results),
                results,
                record: self.record,
            },
            experiments: self.experiments,
            scenarios: self.scenarios,
            results: scenario_results,
            claims: self.claims,
        })
    }
}

impl Findings {
    /// How many of the experiments have rows: fewer than there are, if the study was stopped.
    pub fn whole(&self) -> usize {
        let rows = &self.reproduction.results.0;
        let has_rows = |experiment: &&&Experiment| rows.contains_key(experiment.name);
        self.experiments.iter().filter(has_rows).count()
    }
}

/// The scenarios of experiments, several of which may read the results of one.
fn scenarios_of(experiments: &[&Experiment], seed: Option<u32>) -> Result<Vec<(Scenario, InputFile)>, InputError> {
    let (mut scenarios, mut names) = (Vec::new(), BTreeSet::new());
    for experiment in experiments {
        let Some(name) = experiment.scenario.filter(|name| names.insert(*name)) else {
            continue;
        };
        let only = experiment.only.iter().map(|text| (*text).to_owned());
        let overrides: Vec<String> = only.chain(seed.map(|seed| format!("seed={seed}"))).collect();
        let digest = fresco_machine::digest(builtin_text(name)?, &[]);
        scenarios.push((builtin(name, &overrides)?, InputFile::new(name, digest)));
    }
    Ok(scenarios)
}

/// The results of the scenarios, up to the first that is not whole: a claim is judged by all of an experiment, or not at
/// all.
fn simulate(
    scenarios: &[(Scenario, InputFile)],
    threads: usize,
    observer: &dyn Observer,
) -> Result<Vec<ScenarioResult>, InputError> {
    let total: usize = scenarios.iter().map(|(scenario, _)| scenario.runs().len()).sum();
    let steps = observer.begin("runs", total as u64);
    let mut results = Vec::new();
    for (scenario, _) in scenarios {
        steps.name(&scenario.name);
        let made = fresco_system::run_until(scenario, threads, &|_| steps.step(), &|| observer.is_stopped())?;
        let Some(whole) = made.filter(|result| result.stopped.is_none()) else {
            break;
        };
        results.push(whole);
    }
    Ok(results)
}

/// Every claim of these systems, judged.
fn judged(claims: &Claims, names: &[String], results: &Results) -> Vec<System> {
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
