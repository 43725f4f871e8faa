// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running scenarios and plans, and saying what was run.

use crate::failure::tell;
use crate::plans::LoadedPlan;
use crate::scenarios;
use crate::stop::Stop;
use crate::{progress, provenance};
use fresco_input::{InputError, file_name};
use fresco_plan::Plan;
use fresco_report::{InputFile, Provenance};
use fresco_show::inputs::add;
pub use fresco_show::inputs::add_files;
use fresco_system::planned;
use fresco_system::results::ScenarioResult;
use fresco_system::{Batch, Scenario};
use std::path::PathBuf;
use std::time::Duration;

/// What is simulated.
pub enum Subject {
    /// A scenario as it stands, and what a report says of its file.
    Scenario(Box<Scenario>, InputFile),
    /// A plan, and how it is run.
    Plan(Box<LoadedPlan>, planned::Run),
}

impl Subject {
    /// The name of the scenario or of the plan, which is that of its result.
    pub fn name(&self) -> &str {
        match self {
            Self::Scenario(scenario, _) => &scenario.name,
            Self::Plan(plan, _) => &plan.plan.name,
        }
    }

    /// The plan, if it is one.
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            Self::Scenario(..) => None,
            Self::Plan(plan, _) => Some(&plan.plan),
        }
    }

    /// How many runs it is.
    pub fn runs(&self) -> usize {
        match self {
            Self::Scenario(scenario, _) => scenario.runs().len(),
            Self::Plan(..) => 1,
        }
    }

    /// The files that it is made of, but that of a scenario itself.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Scenario(scenario, _) => {
                let machines = scenario.machines().into_iter().filter_map(|machine| machine.path);
                let traces = scenario.traces().into_iter().map(|trace| trace.path);
                machines.chain(traces).collect()
            }
            Self::Plan(plan, _) => plan.inputs.clone(),
        }
    }

    /// Makes the runs, so many at the same time, until it is told to stop, or to give up those that have begun; `None` if nothing is
    /// whole by then.
    fn run(&self, threads: usize, done: &(dyn Fn() + Sync), stop: &Stop) -> Result<Option<ScenarioResult>, InputError> {
        let is_given_up = || stop.is_given_up();
        match self {
            Self::Scenario(scenario, _) => {
                let batch = Batch {
                    threads,
                    beside: true,
                    progress: &|_| done(),
                    stop: &|| stop.is_asked(),
                    is_given_up: &is_given_up,
                    store: None,
                };
                batch.run(scenario)
            }
            Self::Plan(..) if stop.is_asked() => Ok(None),
            Self::Plan(plan, run) => {
                let file = plan.inputs.first().map_or_else(String::new, file_name);
                let result = planned::simulate_unless(&plan.plan, &plan.machine, *run, &is_given_up);
                let result = result.map_err(|fault| fault.within(&file));
                if !matches!(result, Ok(None)) {
                    done();
                }
                result.map(|result| result.map(|result| with_the_checkers_word(result, plan)))
            }
        }
    }
}

/// The result with the checker's word on the plan. That it could not finish is told.
fn with_the_checkers_word(mut result: ScenarioResult, plan: &LoadedPlan) -> ScenarioResult {
    if let Some(objection) = fresco_sweep::add_the_checkers_word(&mut result, &plan.plan, &plan.machine) {
        tell(&format!(
            "fresco: {}: warning: `fresco check` cannot verify this plan: {objection}",
            plan.plan.name
        ));
    }
    result
}

/// What has been simulated, and why the rest has not.
pub struct Simulated<'s> {
    /// The subjects of which there are results.
    pub subjects: Vec<&'s Subject>,
    /// Their results. Of the subject that Ctrl-C stops, the part that was made whole.
    pub results: Vec<ScenarioResult>,
    /// What was wrong with others.
    pub faults: Vec<InputError>,
    /// Ctrl-C, after so many runs of so many.
    pub stopped: Option<(u64, u64)>,
}

/// Makes all runs, under one progress bar. A fault in one subject does not cost the others.
pub fn simulate<'s>(subjects: &'s [Subject], threads: usize, stop: &Stop) -> Simulated<'s> {
    let mut simulated = Simulated {
        subjects: Vec::new(),
        results: Vec::new(),
        faults: Vec::new(),
        stopped: None,
    };
    let total: usize = subjects.iter().map(Subject::runs).sum();
    let bar = progress::bar(total as u64, "runs");
    // The run of a plan is one, and may take long.
    bar.enable_steady_tick(Duration::from_secs(1));
    for subject in subjects {
        bar.set_message(subject.name().to_owned());
        match subject.run(threads, &|| bar.inc(1), stop) {
            Ok(None) => {}
            Ok(Some(result)) => {
                simulated.subjects.push(subject);
                simulated.results.push(result);
            }
            Err(fault) => simulated.faults.push(fault),
        }
        let (made, total) = (bar.position(), bar.length().unwrap_or(0));
        if stop.is_asked() && made < total {
            simulated.stopped = Some((made, total));
            break;
        }
    }
    bar.finish_and_clear();
    simulated
}

/// Seed, scenarios, plans, machines and traces of these results.
///
/// # Errors
/// A trace cannot be read any more.
pub fn provenance_of(subjects: &[&Subject], results: &[ScenarioResult]) -> Result<Provenance, InputError> {
    let mut provenance = provenance::of_this_run(results.first().map(|result| result.seed));
    if let [Subject::Scenario(_, file)] = subjects {
        provenance.scenario = Some(file.clone());
    } else {
        let files = subjects.iter().flat_map(|subject| match subject {
            Subject::Scenario(_, file) => std::slice::from_ref(file),
            Subject::Plan(plan, _) => &plan.provenance.inputs,
        });
        provenance.inputs = files.cloned().collect();
    }
    for subject in subjects {
        match subject {
            Subject::Scenario(scenario, _) => add_files(&mut provenance, scenario)?,
            Subject::Plan(plan, _) => plan
                .provenance
                .machine_files
                .iter()
                .for_each(|file| add(&mut provenance.machine_files, file.clone())),
        }
    }
    Ok(provenance)
}

/// The files that a scenario, which the user named so, is read from: its own, machines, traces.
pub fn files_read(given: &str, scenario: &Scenario) -> Vec<PathBuf> {
    let own = scenarios::is_path(given).then(|| PathBuf::from(given));
    let machines = scenario
        .machines()
        .into_iter()
        .filter_map(|machine| machine.path.as_deref().map(PathBuf::from));
    let traces = scenario.traces().into_iter().map(|trace| trace.path);
    own.into_iter().chain(machines).chain(traces).collect()
}
