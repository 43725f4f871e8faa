// SPDX-License-Identifier: MIT OR Apache-2.0
//! Experiments on statistical models, once more with recordings of real programs in their place.
//!
//! A recording stands for a program of a paper as its recipe says. Of a scenario with an axis of programs or of mixes of them, values that
//! need a program without recording are left out; where all runs need one, the scenario stays with its models.

use crate::Observer;
use crate::experiments::{self, Experiment};
use fresco_input::{InputError, quoted};
use fresco_load::ProgramSpec;
use fresco_programs::Gallery;
use fresco_report::InputFile;
use fresco_report::claims::{Claim, Outcome, Results, Verdict, judge_recorded};
use fresco_scenario::Scenario;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// How a scenario is simulated with recordings.
#[derive(Debug)]
struct Recipe {
    /// Its name.
    scenario: &'static str,
    /// The axis whose values are programs or mixes of them, if it has one.
    axis: Option<&'static str>,
    /// Programs of Parsec, of which there are no models: values of the axis, of which each runs the recording.
    parsec: &'static [&'static str],
    /// Keys of the scenario.
    set: &'static [&'static str],
}

/// A model makes only accesses that miss; recorded programs take more of them, the most to fill the caches.
const FILL: &str = "warm_up={operations=3000000}";
/// What is measured after [`FILL`].
const MEASURE: &str = "measure={operations=1000000}";
/// Of models several runs are made, for the frames that each gets; of recordings, which take a hundred times as long, one.
const ONCE: &str = "repetitions=1";

/// The scenarios that are simulated.
const RECIPES: &[Recipe] = &[
    Recipe {
        scenario: "palloc-spec",
        axis: Some("program"),
        parsec: &[],
        set: &[FILL, MEASURE],
    },
    Recipe {
        scenario: "bpm-banks",
        axis: Some("task.program.parameters.of"),
        parsec: &[],
        set: &[FILL, MEASURE],
    },
    Recipe {
        scenario: "bpm-mixes",
        axis: Some("workload"),
        parsec: &[],
        set: &[FILL, MEASURE, ONCE],
    },
    Recipe {
        scenario: "bpm-speed",
        axis: Some("workload"),
        parsec: &[],
        set: &[FILL, MEASURE, ONCE],
    },
    // Decided by time, as its intervals are.
    Recipe {
        scenario: "bpm-balance",
        axis: None,
        parsec: &[],
        set: &[],
    },
    Recipe {
        scenario: "camc-fig2.4",
        axis: Some("program"),
        parsec: &["canneal", "ferret", "fluidanimate", "swaptions"],
        set: &[FILL, MEASURE],
    },
    // The program of the slides in place of one that streams; the hog is a loop there, too.
    Recipe {
        scenario: "memguard-isolation",
        axis: None,
        parsec: &[],
        set: &[
            "warm_up={time=\"5 ms\"}",
            "task.foreground.program=\"model\"",
            "task.foreground.parameters={of=\"462.libquantum\"}",
        ],
    },
    // The programs of the slides in place of accesses at random; those of which nothing was published cannot be named.
    Recipe {
        scenario: "memguard-reclaim",
        axis: Some("task.foreground.parameters.of"),
        parsec: &[],
        set: &[
            "warm_up={time=\"5 ms\"}",
            "measure={time=\"10 ms\"}",
            "task.foreground.program=\"model\"",
            "task.foreground.parameters={of=\"470.lbm\"}",
            "task.background.program=\"model\"",
            "task.background.parameters={of=\"470.lbm\"}",
            "sweep={reclaiming=[\"reservation\", \"reclaim\", \"reclaim-share\"], task={foreground={parameters={of=[\
             \"400.perlbench\", \"403.gcc\", \"410.bwaves\", \"429.mcf\", \"433.milc\", \"434.zeusmp\", \"436.cactusADM\", \
             \"437.leslie3d\", \"444.namd\", \"447.dealII\", \"450.soplex\", \"453.povray\", \"456.hmmer\", \"459.GemsFDTD\", \
             \"462.libquantum\", \"464.h264ref\", \"470.lbm\", \"471.omnetpp\", \"473.astar\", \"481.wrf\", \"482.sphinx3\", \
             \"483.xalancbmk\"]}}}}",
        ],
    },
];

/// What is recorded, and the scenarios that can be simulated with it.
pub struct Recordings {
    runs: Vec<(Run, Scenario, Vec<&'static Experiment>)>,
}

/// A scenario with recordings.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Its name.
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
    pub fn new(gallery: &Gallery, experiments: &[&'static Experiment], seed: Option<u32>) -> Result<Self, InputError> {
        let mut runs = Vec::new();
        for recipe in RECIPES {
            let of_it = |experiment: &&&'static Experiment| experiment.scenario == Some(recipe.scenario);
            let experiments: Vec<&'static Experiment> = experiments.iter().filter(of_it).copied().collect();
            if experiments.is_empty() {
                continue;
            }
            if let Some((mut run, scenario)) = prepared(gallery, recipe, seed)? {
                run.experiments = experiments.iter().map(|experiment| experiment.name).collect();
                runs.push((run, scenario, experiments));
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
        for (run, scenario, of_it) in &self.runs {
            steps.name(&scenario.name);
            let result = fresco_system::run_until(scenario, threads, &|_| steps.step(), &|| observer.is_stopped())?;
            let Some(whole) = result.filter(|result| result.stopped.is_none()) else {
                break;
            };
            let rows = experiments::rows(of_it, &[whole], None, scenario.seed, observer)?;
            made.results.0.extend(rows.0.clone());
            made.runs.push(Run {
                results: rows,
                ..run.clone()
            });
        }
        Ok(made)
    }
}

/// The scenario of a recipe with recordings; `None` if a program that all runs need is not recorded.
fn prepared(gallery: &Gallery, recipe: &Recipe, seed: Option<u32>) -> Result<Option<(Run, Scenario)>, InputError> {
    let mut run = Run {
        scenario: recipe.scenario.to_owned(),
        experiments: Vec::new(),
        set: recipe.set.iter().map(|set| (*set).to_owned()).collect(),
        recorded: BTreeMap::new(),
        left_out: Vec::new(),
        traces: Vec::new(),
        results: Results::default(),
    };
    let seed = seed.map(|seed| format!("seed={seed}"));
    let read = |set: &[String], more: &[String]| {
        let overrides: Vec<String> = set.iter().chain(more).chain(&seed).cloned().collect();
        fresco_scenario::builtin(recipe.scenario, &overrides)
    };
    let parsec = |value: &str| format!("Parsec {value}");
    let models = read(&run.set, &[])?;
    let kept: Vec<&str> = match recipe.axis {
        Some(_) if !recipe.parsec.is_empty() => {
            let is_recorded = |value: &&str| gallery.stand_in(&parsec(value)).is_some();
            let (kept, left): (Vec<&str>, Vec<&str>) = recipe.parsec.iter().copied().partition(is_recorded);
            run.left_out.extend(left.into_iter().map(parsec));
            for value in &kept {
                run.add(gallery, &parsec(value));
            }
            kept
        }
        Some(axis) => recorded_values(gallery, &models, axis),
        None => Vec::new(),
    };
    let mut more = Vec::new();
    if let Some(axis) = recipe.axis {
        if kept.is_empty() {
            return Ok(None);
        }
        let kept: Vec<String> = kept.into_iter().map(quoted).collect();
        run.set.push(format!("sweep.{axis}=[{}]", kept.join(", ")));
    }
    // Not among the keys that are told: it is another one on each machine.
    if !recipe.parsec.is_empty() {
        let directory = std::path::absolute(gallery.directory()).unwrap_or_else(|_| gallery.directory().to_owned());
        more.push(format!("trace_dir={}", quoted(&directory.to_string_lossy())));
    }
    let mut scenario = read(&run.set, &more)?;
    let mut specs = BTreeMap::new();
    for of in models_of(&scenario) {
        match run.add(gallery, of) {
            Some((trace, thread)) => {
                let parameters = format!("file = {}\nthread = {thread}", quoted(&trace.to_string_lossy()));
                specs.insert(of, ProgramSpec::parse("trace", &parameters)?);
            }
            None => return Ok(None),
        }
    }
    scenario.replace_models(|of| specs.get(of).cloned());
    let without = models_of(&models).into_iter().filter(|of| !specs.contains_key(of));
    run.left_out.extend(without.map(str::to_owned));
    Ok(Some((run, scenario)))
}

/// The values of this axis of which every run has recordings of all its programs.
///
/// # Panics
/// If the scenario has no such axis.
fn recorded_values<'a>(gallery: &Gallery, models: &'a Scenario, axis: &str) -> Vec<&'a str> {
    let number = models.axes.iter().position(|one| one.name == axis);
    let number = number.expect("a recipe names an axis of its scenario");
    let is_recorded = |of: &str| gallery.stand_in(of).is_some();
    let is_whole = |value: usize| {
        let with_it = models.points.iter().filter(|point| point.values[number] == value);
        with_it.flat_map(|point| Scenario::models_at(point)).all(is_recorded)
    };
    let values = models.axes[number].values.iter().enumerate();
    values
        .filter(|(value, _)| is_whole(*value))
        .map(|(_, name)| name.as_str())
        .collect()
}

/// Names of the programs whose models a scenario runs.
fn models_of(scenario: &Scenario) -> BTreeSet<&'static str> {
    scenario
        .points
        .iter()
        .flat_map(|point| Scenario::models_at(point))
        .collect()
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
        let run = self
            .runs
            .iter()
            .find(|run| run.experiments.contains(&claim.experiment.as_str()))?;
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
    use fresco_scenario::Point;

    #[test]
    fn every_recipe_is_of_a_scenario_of_an_experiment_with_that_axis() {
        let all = of_systems(&crate::SYSTEMS.map(str::to_owned));
        for recipe in RECIPES {
            assert!(
                all.iter().any(|one| one.scenario == Some(recipe.scenario)),
                "{recipe:?}"
            );
            let set: Vec<String> = recipe.set.iter().map(|set| (*set).to_owned()).collect();
            let scenario = fresco_scenario::builtin(recipe.scenario, &set).expect("built in");
            let has_axis = |name: &str| scenario.axes.iter().any(|axis| axis.name == name);
            assert!(recipe.axis.is_none_or(has_axis), "{recipe:?}");
            let has_model = |point: &Point| !Scenario::models_at(point).is_empty();
            assert_eq!(
                scenario.points.iter().all(|point| has_model(point)),
                recipe.parsec.is_empty(),
                "{recipe:?}"
            );
            // The variant of a program of Parsec reads the recording that stands for it.
            let text = fresco_scenario::builtin_text(recipe.scenario).expect("built in");
            for of in recipe.parsec {
                let all = fresco_programs::recipes().expect("recipes");
                let stands_for = format!("Parsec {of}");
                let recorded = all.iter().find(|one| one.stands_for == stands_for).expect(of);
                let variant = format!(
                    "name = \"{of}\"\nset.task.foreground = {{ program = \"trace\", parameters.file = \"{}.ftrace\" }}",
                    recorded.name
                );
                assert!(text.contains(&variant), "{variant}");
                assert!(!recorded.threads, "thread 0 is replayed");
            }
        }
    }

    #[test]
    fn without_recordings_nothing_is_made() {
        let empty = Gallery::read(std::path::Path::new("/nonexistent")).expect("empty");
        let recordings = Recordings::new(&empty, &of_systems(&["palloc".to_owned()]), None).expect("nothing");
        assert!(recordings.all().is_empty());
    }
}
