// SPDX-License-Identifier: MIT OR Apache-2.0
//! A study: from systems to the experiments that their claims need, and from what these find to verdicts.

use crate::experiments::{self, Experiment, KERNEL};
use crate::kernel_record::Record;
use crate::recordings::{Judged, Made, Recordings, Run};
use crate::seeds::BySeed;
use crate::{Means, Perturbed, Runs, World, conditions};
use fresco_input::InputError;
use fresco_programs::Gallery;
use fresco_report::InputFile;
use fresco_report::claims::{Claim, Claims, Results, Tally, TallyByRole, Tried, Verdict, judge_roughly};
use fresco_scenario::{Scenario, builtin, builtin_text};
use fresco_system::results::ScenarioResult;
use serde::Serialize;
use std::borrow::Cow;
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
    recordings: Option<Recordings>,
    world: World,
    conditions: bool,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ask<'a> {
    /// Systems; all if empty.
    pub systems: &'a [String],
    /// What the experiments are made under.
    pub world: World,
    /// File of the record that the kernel's claims are judged by; without one, that which is part of the program.
    pub record: Option<&'a Path>,
    /// Whether claims are judged without what the experiments presume, too.
    pub conditions: bool,
    /// Directory with recorded programs, which take the place of statistical models.
    pub programs: Option<&'a Path>,
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
    /// Whether all claims were judged without what their experiments presume: false if the study was stopped, too.
    pub all_tried: bool,
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
    /// Experiments that were made with recorded programs; absent without a directory of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recordings: Option<Vec<Run>>,
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
    /// The same by the part that claims play in the paper.
    pub by_role: TallyByRole,
    /// How many of those that hold say what a policy does, and hold as well where policies do nothing, or are exchanged.
    pub tried: Tried,
    /// The same in other worlds; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perturbed: Option<Perturbed>,
    /// In the order of the paper.
    pub verdicts: Vec<Verdict>,
    /// Where recorded programs ran in place of models: what the models say of the same claims, in the same order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_models: Vec<Verdict>,
}

impl Study {
    /// The study that is asked for.
    ///
    /// # Errors
    /// [`Record::load`], [`Gallery::read`], a recording that cannot be replayed. Anything else is a fault of Fresco: claims or scenarios
    /// that come with it are wrong.
    pub fn new(ask: Ask<'_>) -> Result<Self, InputError> {
        let Ask {
            systems,
            world,
            record,
            conditions,
            programs,
        } = ask;
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
        let recordings = programs.map(|directory| Recordings::new(&Gallery::read(directory)?, &experiments, world));
        Ok(Self {
            recordings: recordings.transpose()?,
            scenarios: scenarios_of(&experiments, world)?,
            claims,
            systems,
            experiments,
            record,
            world,
            conditions,
        })
    }

    /// Runs the experiments and judges the claims, system by system; the observer is told what came of each. Once it stops the study,
    /// experiments that are not whole have no rows: their claims cannot be judged.
    ///
    /// # Errors
    /// A run that has a fault.
    pub fn run(mut self, means: Means<'_>) -> Result<Findings, InputError> {
        let record = self.record.as_ref();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(means.threads).build();
        let pool = pool.map_err(|error| {
            let found = format!("cannot start {} threads: {error}", means.threads);
            InputError::new("the number of threads", found).help("use fewer threads")
        })?;
        let (mut results, mut scenarios, mut scenario_results) = (Results::new(), Vec::new(), Vec::new());
        let (mut systems, mut all_tried, mut tried) = (Vec::new(), true, conditions::Rows::new());
        let mut by_seed = BySeed::default();
        let mut left = std::mem::take(&mut self.scenarios);
        let is_asked = |name: &&str| self.systems.iter().any(|one| one == name);
        let names: Vec<&str> = self.claims.names().into_iter().filter(is_asked).collect();
        for &name in &names {
            let experiments: Vec<&Experiment> = self
                .experiments
                .iter()
                .copied()
                .filter(|one| one.systems.contains(&name) && !results.0.contains_key(one.name))
                .collect();
            let needs = |(scenario, _): &mut (Scenario, InputFile)| {
                experiments
                    .iter()
                    .any(|one| one.scenario == Some(scenario.name.as_str()))
            };
            let needed: Vec<(Scenario, InputFile)> = left.extract_if(.., needs).collect();
            let made = simulate(&needed, means)?;
            let (new, known) = (made.len(), scenario_results.len());
            scenario_results.extend(made);
            let rows =
                pool.install(|| experiments::rows(&experiments, &scenario_results, record, self.world, means))?;
            results.0.extend(rows.0);
            for ((scenario, _), result) in needed.iter().zip(&scenario_results[known..]) {
                by_seed.add((scenario, result), &experiments, &results);
            }
            for experiment in experiments.iter().filter(|one| results.0.contains_key(one.name)) {
                by_seed.add_rows(experiment, pool.install(|| experiment.by_seed(self.world, means))?);
            }
            scenarios.extend(needed.into_iter().take(new));
            if self.recordings.is_none() {
                let (system, whole) = self.judged(name, (&results, &mut tried), &by_seed, None, means)?;
                all_tried &= whole;
                means.observer.judged(&system);
                systems.push(system);
            }
        }
        let made = self
            .recordings
            .as_ref()
            .map(|recordings| pool.install(|| recordings.run(&results, self.world, means)));
        let made = made.transpose()?;
        if let Some(made) = &made {
            for name in &names {
                let (system, whole) = self.judged(name, (&results, &mut tried), &by_seed, Some(made), means)?;
                all_tried &= whole;
                systems.push(system);
            }
        }
        Ok(Findings {
            reproduction: Reproduction {
                systems,
                results,
                record: self.record,
                recordings: made.map(|made| made.runs),
            },
            experiments: self.experiments,
            scenarios,
            results: scenario_results,
            claims: self.claims,
            all_tried,
        })
    }

    /// Every claim of a system, judged and tried; false if the observer stopped it before all conditions were.
    fn judged<'s>(
        &'s self,
        name: &str,
        (results, without): (&Results, &mut conditions::Rows<'s>),
        by_seed: &BySeed,
        made: Option<&Made>,
        means: Means<'_>,
    ) -> Result<(System, bool), InputError> {
        let (mut verdicts, mut by_models): (Vec<Verdict>, Vec<Verdict>) = (Vec::new(), Vec::new());
        let mut tried = Tried::default();
        let system = &self.claims.systems[name];
        for claim in &system.claims {
            let mut by_model = Judged::new(Cow::Borrowed(claim), results);
            match self.world.runs {
                Runs::Quick if is_whole(claim, results, self.world) => {
                    by_model.verdict = judge_roughly(claim, results, is_measured);
                }
                Runs::Quick => {}
                _ => by_model.verdict = by_seed.judge(claim, results),
            }
            let by_recordings = made.and_then(|made| made.judge(&by_model));
            let Judged {
                claim,
                verdict,
                results,
            } = by_recordings.as_ref().unwrap_or(&by_model);
            tried.add(claim, verdict, results, &self.claims.experiments);
            verdicts.push(verdict.clone());
            by_models.extend(by_recordings.is_some().then_some(by_model.verdict));
        }
        let mut all_tried = true;
        if self.conditions {
            let of_models = |verdict: &&mut Verdict| by_models.iter().all(|by_model| by_model.id != verdict.id);
            let verdicts = verdicts.iter_mut().filter(of_models).collect();
            all_tried = conditions::tried(verdicts, system, &self.claims, (results, without), self.world, means)?;
        }
        let system = System {
            name: system.name.clone(),
            source: system.source.clone(),
            tally: Tally::of(&verdicts),
            by_role: TallyByRole::of(&verdicts),
            tried,
            perturbed: None,
            verdicts,
            by_models,
        };
        Ok((system, all_tried))
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

/// Returns true if values of the experiment are what was measured, and hang on how long that took.
fn is_measured(experiment: &str) -> bool {
    experiments::named(experiment).is_some_and(Experiment::is_measured)
}

/// Returns true if the claim's experiments have their rows, but for those that are not made in this world: the study was not stopped
/// before.
fn is_whole(claim: &Claim, results: &Results, world: World) -> bool {
    let is_left_out = |name: &str| experiments::named(name).is_some_and(|experiment| !world.makes(experiment));
    let experiments = claim.experiments();
    experiments
        .into_iter()
        .all(|name| results.0.contains_key(name) || is_left_out(name))
}

/// The scenarios of experiments, several of which may read the results of one.
fn scenarios_of(experiments: &[&Experiment], world: World) -> Result<Vec<(Scenario, InputFile)>, InputError> {
    let (mut scenarios, mut names) = (Vec::new(), BTreeSet::new());
    for experiment in experiments {
        let Some(name) = experiment.scenario.filter(|name| names.insert(*name)) else {
            continue;
        };
        if !world.makes(experiment) {
            continue;
        }
        let overrides = experiment.set(world);
        let scenario = match builtin(name, &overrides) {
            // What the papers reserve may be more than slower memory guarantees: there is no such experiment then.
            Err(_) if world.latency_percent > 100 => continue,
            made => made?,
        };
        let digest = fresco_machine::digest(builtin_text(name)?, &[]);
        scenarios.push((scenario, InputFile::new(name, digest)));
    }
    Ok(scenarios)
}

/// The results of the scenarios, up to the first that is not whole: a claim is judged by all of an experiment, or not at
/// all.
fn simulate(scenarios: &[(Scenario, InputFile)], means: Means<'_>) -> Result<Vec<ScenarioResult>, InputError> {
    let total: usize = scenarios.iter().map(|(scenario, _)| scenario.runs().len()).sum();
    let steps = means.observer.begin("runs", total as u64);
    let mut results = Vec::new();
    for (scenario, _) in scenarios {
        let Some(whole) = means.simulate(scenario, &*steps)? else {
            break;
        };
        results.push(whole);
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Stopped, means};
    use fresco_report::claims::Outcome;

    #[test]
    fn what_was_stopped_is_not_what_shorter_runs_leave_open() {
        let systems = ["crs".to_owned()];
        let world = World {
            runs: Runs::Quick,
            ..World::default()
        };
        let ask = Ask {
            systems: &systems,
            world,
            ..Ask::default()
        };
        let study = Study::new(ask).expect("sound");
        let found = study.run(means(&Stopped)).expect("stopped");
        assert_eq!(found.whole(), 0);
        let verdicts = &found.reproduction.systems[0].verdicts;
        let outcomes = |experiment: &str| -> Vec<Outcome> {
            let of = |verdict: &&Verdict| verdict.experiment == experiment;
            verdicts.iter().filter(of).map(|verdict| verdict.outcome).collect()
        };
        let of_left_out = outcomes("crs-densities");
        assert!(of_left_out.contains(&Outcome::Open), "{of_left_out:?}");
        let of_made = outcomes("crs-facts");
        assert!(
            !of_made.is_empty() && of_made.iter().all(|one| *one == Outcome::CannotBeRun),
            "{of_made:?}"
        );
    }
}
