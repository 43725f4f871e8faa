// SPDX-License-Identifier: MIT OR Apache-2.0
//! Experiments on statistical models, once more with recordings of real programs in their place.
//!
//! A recording stands for a program of a paper as its recipe says. Of a scenario with an axis of programs or of mixes of them, values that
//! need a program without recording are left out; where all runs need one, the scenario stays with its models. The co-design's mixes, which
//! are no scenario, are treated likewise.

mod recipes;
mod scenario;

use crate::experiments::{self, Experiment, Recorded};
use crate::{Means, World};
use fresco_input::InputError;
use fresco_programs::Gallery;
use fresco_report::InputFile;
use fresco_report::claims::{Claim, Outcome, Results, Verdict, judge};
use fresco_scenario::Scenario;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What is recorded, and the scenarios and mixes that can be simulated with it.
pub struct Recordings {
    prepared: Vec<Prepared>,
}

/// Something that can be simulated.
struct Prepared {
    run: Run,
    what: What,
    /// Which have rows of it.
    experiments: Vec<&'static Experiment>,
}

/// What is simulated with recordings.
enum What {
    Scenario(Scenario),
    /// The co-design's mixes.
    Mixes(Recorded),
}

/// A scenario or mixes with recordings.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Its name; `codesign` for the co-design's mixes.
    pub scenario: String,
    /// The experiments that have rows of it.
    pub experiments: Vec<&'static str>,
    /// Its keys that differ from those with models.
    pub set: Vec<String>,
    /// The recording that stands for each program that has one.
    pub recorded: BTreeMap<String, String>,
    /// Programs without one.
    pub left_out: Vec<String>,
    /// The traces.
    pub traces: Vec<InputFile>,
    /// What came of them: the rows that claims were checked against, in place of those of models.
    pub results: Results,
}

impl Run {
    /// Of this name; nothing stands for anything yet.
    fn new(scenario: &str, set: Vec<String>) -> Self {
        Self {
            scenario: scenario.to_owned(),
            experiments: Vec::new(),
            set,
            recorded: BTreeMap::new(),
            left_out: Vec::new(),
            traces: Vec::new(),
            results: Results::default(),
        }
    }

    /// Notes what stands for this program; its trace and the thread to replay, or `None` without a recording.
    fn add(&mut self, gallery: &Gallery, of: &str) -> Option<(PathBuf, u16)> {
        let entry = gallery.stand_in(of)?;
        self.recorded.insert(of.to_owned(), entry.name.clone());
        let file = InputFile::new(format!("{}.ftrace", entry.name), entry.trace.clone());
        if !self.traces.contains(&file) {
            self.traces.push(file);
        }
        let path = gallery.trace_of(entry);
        Some((std::path::absolute(&path).unwrap_or(path), entry.thread))
    }

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
    pub fn new(gallery: &Gallery, experiments: &[&'static Experiment], world: World) -> Result<Self, InputError> {
        let mut prepared = Vec::new();
        for recipe in recipes::RECIPES {
            let of_it = |experiment: &&&'static Experiment| experiment.scenario == Some(recipe.scenario);
            let experiments: Vec<&'static Experiment> = experiments.iter().filter(of_it).copied().collect();
            if experiments.is_empty() {
                continue;
            }
            if let Some((run, scenario)) = scenario::prepared(gallery, recipe, world)? {
                prepared.push(Prepared::new(run, What::Scenario(scenario), experiments));
            }
        }
        let of_mixes = experiments.iter().filter(|experiment| experiment.is_of_mixes());
        let of_mixes: Vec<&'static Experiment> = of_mixes.copied().collect();
        if !of_mixes.is_empty()
            && let Some((run, recorded)) = mixes(gallery)?
        {
            prepared.push(Prepared::new(run, What::Mixes(recorded), of_mixes));
        }
        Ok(Self { prepared })
    }

    /// What stands for what.
    pub fn all(&self) -> Vec<Run> {
        self.prepared.iter().map(|prepared| prepared.run.clone()).collect()
    }

    /// Makes the runs, and their rows in place of those of models in `results`; experiments that are not whole when the observer stops
    /// it are left out.
    ///
    /// # Errors
    /// A run that has a fault.
    pub(crate) fn run(&self, results: &Results, world: World, means: Means<'_>) -> Result<Made, InputError> {
        let mut made = Made {
            results: results.clone(),
            runs: Vec::new(),
        };
        let scenarios = self.prepared.iter().filter_map(Prepared::scenario);
        let total: usize = scenarios.map(|scenario| scenario.runs().len()).sum();
        let steps = means.observer.begin("recordings", total as u64);
        for Prepared { run, what, experiments } in &self.prepared {
            let rows = match what {
                What::Scenario(scenario) => {
                    let Some(whole) = means.simulate(scenario, &*steps)? else {
                        break;
                    };
                    experiments::rows(experiments, &[whole], None, world, means)?
                }
                What::Mixes(recorded) => experiments::rows_of_mixes(experiments, recorded, &run.traces, world, means)?,
            };
            made.results.0.extend(rows.0.clone());
            made.runs.push(Run {
                experiments: experiments
                    .iter()
                    .map(|experiment| experiment.name)
                    .filter(|name| rows.0.contains_key(*name))
                    .collect(),
                results: rows,
                ..run.clone()
            });
        }
        Ok(made)
    }
}

impl Prepared {
    fn new(mut run: Run, what: What, experiments: Vec<&'static Experiment>) -> Self {
        run.experiments = experiments.iter().map(|experiment| experiment.name).collect();
        Self { run, what, experiments }
    }

    fn scenario(&self) -> Option<&Scenario> {
        match &self.what {
            What::Scenario(scenario) => Some(scenario),
            What::Mixes(_) => None,
        }
    }
}

/// The co-design's mixes of what is recorded; `None` if that is not enough for one.
fn mixes(gallery: &Gallery) -> Result<Option<(Run, Recorded)>, InputError> {
    let (mut run, mut recorded) = (Run::new("codesign", Recorded::set()), Recorded::default());
    for of in Recorded::wanted() {
        match run.add(gallery, of) {
            Some((trace, thread)) => recorded.add(of, &trace, thread)?,
            None => run.left_out.push(of.to_owned()),
        }
    }
    Ok((!recorded.is_empty()).then_some((run, recorded)))
}

/// What came of the runs.
pub(crate) struct Made {
    /// Rows of recorded programs where there are some, else of models.
    results: Results,
    /// The experiments with recordings.
    pub runs: Vec<Run>,
}

impl Made {
    /// The claim judged by recordings, if its experiment was made with some; what they cannot tell is told by the models, with the reason.
    pub fn judge<'m>(&'m self, by_models: &Judged<'m>) -> Option<Judged<'m>> {
        let experiment = by_models.claim.experiment.as_str();
        let run = self.runs.iter().find(|run| run.experiments.contains(&experiment))?;
        let recorded = Judged::new(
            Cow::Owned(by_models.claim.with_recordings(&run.stand_ins())),
            &self.results,
        );
        let is_told = |judged: &Judged<'_>| judged.verdict.outcome != Outcome::CannotBeRun;
        if is_told(&recorded) || !is_told(by_models) {
            return Some(recorded);
        }
        let explanation = format!(
            "by models, since with recordings it cannot be told: {}; {}",
            recorded.verdict.explanation, by_models.verdict.explanation
        );
        let mut judged = by_models.clone();
        judged.verdict.explanation = explanation;
        Some(judged)
    }
}

/// A claim judged, and what by.
#[derive(Clone)]
pub(crate) struct Judged<'j> {
    /// The claim, as it was judged.
    pub claim: Cow<'j, Claim>,
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on.
    pub results: &'j Results,
}

impl<'j> Judged<'j> {
    pub fn new(claim: Cow<'j, Claim>, results: &'j Results) -> Self {
        Self {
            verdict: judge(&claim, results),
            claim,
            results,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::of_systems;

    #[test]
    fn without_recordings_nothing_is_made() {
        let empty = Gallery::read(std::path::Path::new("/nonexistent")).expect("empty");
        let recordings =
            Recordings::new(&empty, &of_systems(&["palloc".to_owned()]), World::default()).expect("nothing");
        assert!(recordings.all().is_empty());
    }

    #[test]
    fn mixes_are_made_of_what_is_recorded_and_models_judge_the_rest() {
        let (gallery, _directory) = crate::testing::gallery("povray");
        let named = |names: &[&str]| {
            let all = of_systems(&["codesign".to_owned()]);
            let chosen = all.into_iter().filter(|one| names.contains(&one.name));
            chosen.collect::<Vec<_>>()
        };
        let experiments = named(&["codesign-models", "codesign-eta", "codesign-facts"]);
        let recordings = Recordings::new(&gallery, &experiments, World::default()).expect("sound");
        let [all] = recordings.all().try_into().expect("one run");
        assert_eq!(all.experiments, ["codesign-models", "codesign-eta"]);
        assert_eq!(all.stand_ins(), "povray for 453.povray");
        assert_eq!(all.left_out.len(), 6, "{:?}", all.left_out);
        assert_eq!(all.traces, [InputFile::new("povray.ftrace", "its digest")]);

        let of_models = experiments::rows(
            &experiments,
            &[],
            None,
            World::default(),
            crate::testing::means(&crate::Unobserved),
        )
        .expect("rows");
        let made = recordings
            .run(&of_models, World::default(), crate::testing::means(&crate::Unobserved))
            .expect("runs");
        let [run] = &made.runs[..] else { panic!("one run") };
        // WL-1 is mcf, which is not recorded.
        assert_eq!(run.experiments, ["codesign-models"]);
        let rows = &run.results.0["codesign-models"];
        assert_eq!(rows.len(), 1);
        assert!(rows[0].values["mpki"] > 40.0 && rows[0].values.len() == 1, "{rows:?}");

        let claims = fresco_report::claims::Claims::builtin().expect("sound");
        let judged = |id: &str| {
            let claim = claims.systems["codesign"]
                .claims
                .iter()
                .find(|claim| claim.id == id)
                .expect(id);
            let by_models = Judged::new(Cow::Owned(claim.clone()), &of_models);
            (made.judge(&by_models).map(|judged| judged.verdict), by_models.verdict)
        };
        // Only povray was recorded, and this one misses often.
        let (by_recordings, by_models) = judged("co-tab2-workloads");
        assert_eq!(by_models.outcome, Outcome::Holds);
        assert_eq!(by_recordings.expect("recorded").outcome, Outcome::Differs);
        // What a part of an execution touches is not its memory.
        let (by_recordings, _) = judged("co-5.4.1-footprints");
        let by_recordings = by_recordings.expect("recorded");
        assert_eq!(by_recordings.outcome, Outcome::Holds);
        assert!(
            by_recordings
                .explanation
                .starts_with("by models, since with recordings"),
            "{by_recordings:?}"
        );
        assert!(judged("co-alg3-eta1-disables").0.is_none() && judged("co-5.1-bank-4ms").0.is_none());
    }
}
