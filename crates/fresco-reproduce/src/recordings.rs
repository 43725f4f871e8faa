// SPDX-License-Identifier: MIT OR Apache-2.0
//! Experiments on statistical models, once more with recordings of real programs in their place.
//!
//! A recording stands for a program of a paper as its recipe says. Of an experiment whose axis is programs, those that are not recorded
//! are left out; where a program that all runs need is not recorded, the experiment stays with its models.

use crate::Observer;
use crate::experiments::{self, Experiment};
use fresco_input::{InputError, quoted};
use fresco_load::ProgramSpec;
use fresco_programs::Gallery;
use fresco_report::InputFile;
use fresco_report::claims::{Claim, Outcome, Results, Verdict, judge_recorded};
use fresco_scenario::Scenario;
use serde::Serialize;
use std::collections::BTreeMap;

/// How an experiment is made with recordings.
#[derive(Debug)]
struct Recipe {
    /// Its name, and that of its scenario.
    experiment: &'static str,
    /// The axis whose values are names of programs.
    axis: &'static str,
    /// A program that all runs need.
    always: Option<&'static str>,
    /// Keys of the scenario: a model makes only accesses that miss, so that recorded programs take more of them, the most to fill
    /// the caches.
    set: &'static [&'static str],
}

/// The experiments that are made.
const RECIPES: &[Recipe] = &[Recipe {
    experiment: "palloc-spec",
    axis: "program",
    always: Some("470.lbm"),
    set: &["warm_up.operations=3000000", "measure.operations=1000000"],
}];

/// What is recorded, and the experiments that can be made with it.
pub struct Recordings {
    runs: Vec<(Run, Scenario, &'static Experiment)>,
}

/// An experiment with recordings.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Its name.
    pub experiment: String,
    /// The recording that stands for each program that has one.
    pub recorded: BTreeMap<String, String>,
    /// Programs without one.
    pub left_out: Vec<String>,
    /// The traces.
    pub traces: Vec<InputFile>,
}

impl Run {
    /// Which recording stands for which program: `lbm for 470.lbm`, all in a line.
    pub fn stand_ins(&self) -> String {
        let pairs: Vec<String> = self
            .recorded
            .iter()
            .map(|(of, name)| format!("{name} for {of}"))
            .collect();
        pairs.join(", ")
    }
}

impl Recordings {
    /// What can be made of these experiments.
    ///
    /// # Errors
    /// A recording cannot be read or does not fit.
    pub fn new(gallery: &Gallery, experiments: &[&'static Experiment], seed: Option<u32>) -> Result<Self, InputError> {
        let mut runs = Vec::new();
        for experiment in experiments {
            let Some(recipe) = RECIPES.iter().find(|recipe| recipe.experiment == experiment.name) else {
                continue;
            };
            if let Some((run, scenario)) = prepared(gallery, recipe, seed)? {
                runs.push((run, scenario, *experiment));
            }
        }
        Ok(Self { runs })
    }

    /// What stands for what.
    pub fn all(&self) -> Vec<Run> {
        self.runs.iter().map(|(run, ..)| run.clone()).collect()
    }

    /// Makes the runs, and their rows in place of those of models in `results`; experiments that are not whole when the observer stops
    /// it are left out.
    ///
    /// # Errors
    /// A run that has a fault.
    pub(crate) fn run(&self, results: &Results, threads: usize, observer: &dyn Observer) -> Result<Made, InputError> {
        let total: usize = self.runs.iter().map(|(_, scenario, _)| scenario.runs().len()).sum();
        let steps = observer.begin("recordings", total as u64);
        let mut made = Made {
            results: results.clone(),
            runs: Vec::new(),
        };
        for (run, scenario, experiment) in &self.runs {
            steps.name(&scenario.name);
            let result = fresco_system::run_until(scenario, threads, &|_| steps.step(), &|| observer.is_stopped())?;
            let Some(whole) = result.filter(|result| result.stopped.is_none()) else {
                break;
            };
            let rows = experiments::rows(&[experiment], &[whole], None, scenario.seed, observer)?;
            made.results.0.extend(rows.0);
            made.runs.push(run.clone());
        }
        Ok(made)
    }
}

/// The scenario of an experiment with recordings; `None` if one that all runs need is missing, or all are.
fn prepared(gallery: &Gallery, recipe: &Recipe, seed: Option<u32>) -> Result<Option<(Run, Scenario)>, InputError> {
    if recipe.always.is_some_and(|of| gallery.stand_in(of).is_none()) {
        return Ok(None);
    }
    let models = fresco_scenario::builtin(recipe.experiment, &[])?;
    let axis = models.axes.iter().find(|axis| axis.name == recipe.axis);
    let programs: Vec<String> = axis.map(|axis| axis.values.clone()).unwrap_or_default();
    let (there, left_out): (Vec<String>, Vec<String>) =
        programs.into_iter().partition(|of| gallery.stand_in(of).is_some());
    if there.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> = there.iter().map(|of| quoted(of)).collect();
    let mut overrides = vec![format!("sweep.{}=[{}]", recipe.axis, names.join(", "))];
    overrides.extend(recipe.set.iter().map(|set| (*set).to_owned()));
    overrides.extend(seed.map(|seed| format!("seed={seed}")));
    let mut scenario = fresco_scenario::builtin(recipe.experiment, &overrides)?;
    let mut specs = BTreeMap::new();
    let mut recorded = BTreeMap::new();
    let mut traces = Vec::new();
    for of in there.iter().map(String::as_str).chain(recipe.always) {
        let Some(entry) = gallery.stand_in(of) else { continue };
        let path = gallery.trace_of(entry);
        let path = std::path::absolute(&path).unwrap_or(path);
        let parameters = format!("file = {}\nthread = {}", quoted(&path.to_string_lossy()), entry.thread);
        specs.insert(of, ProgramSpec::parse("trace", &parameters)?);
        recorded.insert(of.to_owned(), entry.name.clone());
        let file = InputFile::new(format!("{}.ftrace", entry.name), entry.trace.clone());
        if !traces.contains(&file) {
            traces.push(file);
        }
    }
    scenario.replace_models(|of| specs.get(of).cloned());
    let run = Run {
        experiment: recipe.experiment.to_owned(),
        recorded,
        left_out,
        traces,
    };
    Ok(Some((run, scenario)))
}

/// What came of the runs.
pub(crate) struct Made {
    /// Rows of recorded programs where there are some, else of models.
    results: Results,
    /// The experiments with recordings.
    pub runs: Vec<Run>,
}

impl Made {
    /// The verdict on a claim by recordings, if its experiment was made with some; what they cannot tell is told by the models' verdict,
    /// with the reason.
    pub fn judge(&self, claim: &Claim, by_models: &Verdict) -> Option<Verdict> {
        let run = self.runs.iter().find(|run| run.experiment == claim.experiment)?;
        let verdict = judge_recorded(claim, &self.results, &run.stand_ins());
        if verdict.outcome == Outcome::CannotBeRun && by_models.outcome != Outcome::CannotBeRun {
            let explanation = format!(
                "by models, since with recordings it cannot be told: {}; {}",
                verdict.explanation, by_models.explanation
            );
            return Some(Verdict {
                explanation,
                ..by_models.clone()
            });
        }
        Some(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::of_systems;

    #[test]
    fn every_recipe_is_of_an_experiment_with_that_axis() {
        for recipe in RECIPES {
            let all = of_systems(&crate::SYSTEMS.map(str::to_owned));
            let experiment = all
                .iter()
                .find(|one| one.name == recipe.experiment)
                .expect(recipe.experiment);
            assert_eq!(experiment.scenario, Some(recipe.experiment));
            let scenario = fresco_scenario::builtin(recipe.experiment, &[]).expect("built in");
            let axis = scenario
                .axes
                .iter()
                .find(|axis| axis.name == recipe.axis)
                .expect(recipe.axis);
            assert!(
                recipe
                    .always
                    .is_none_or(|of| axis.values.iter().any(|value| value == of))
            );
        }
    }

    #[test]
    fn without_recordings_nothing_is_made() {
        let empty = Gallery::read(std::path::Path::new("/nonexistent")).expect("empty");
        let recordings = Recordings::new(&empty, &of_systems(&["palloc".to_owned()]), None).expect("nothing");
        assert!(recordings.all().is_empty());
    }
}
