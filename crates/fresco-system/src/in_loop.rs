// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of a scenario whose tasks are processors of a machine that runs meanwhile, and for which the model keeps the time.

use crate::bandwidth::Told;
use crate::experiment::{Once, Work};
use crate::results::{RunResult, ScenarioResult};
use crate::{RunSpec, Scenario, batch, runs};
use fresco_input::InputError;
use fresco_load::Program;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// What one run is made with.
pub struct InLoop {
    /// What each copy of a task does, in the order of the scenario: once, by physical address.
    pub programs: Vec<Box<dyn Program>>,
    /// Where the run keeps its present time, in picoseconds since its begin, while it asks a program for more.
    pub clock: Arc<AtomicU64>,
    /// The machine keeps the scenario's budgets of bandwidth, in place of the model: where it is counted what its processors move.
    pub told: Option<Told>,
}

impl InLoop {
    /// Makes a run of a scenario that [runs meanwhile](Scenario::run_meanwhile). `None` if it is given up.
    ///
    /// # Errors
    /// As of [`crate::run`]; a program was over before its warm-up was.
    pub fn run(self, spec: &RunSpec, is_given_up: &dyn Fn() -> bool) -> Result<Option<RunResult>, InputError> {
        let mut experiment = runs::experiment(spec)?;
        for (task, program) in experiment.tasks.iter_mut().zip(self.programs) {
            task.work = Work::Live(Once::new(program));
        }
        experiment.clock = Some(self.clock);
        let kept_there = self.told.is_some();
        if let Some(regulation) = &mut experiment.regulation {
            regulation.budgets.told = self.told;
        }
        let mut made = batch::made_unless(spec, &experiment, is_given_up)?;
        if let Some(run) = made.as_mut().filter(|_| kept_there) {
            // Nobody was regulated by the model.
            run.regulation = None;
            run.tasks.iter_mut().for_each(|task| task.regulation = None);
        }
        Ok(made)
    }

    /// The results of all runs of a scenario, in their order.
    pub fn results(scenario: &Scenario, runs: Vec<RunResult>) -> ScenarioResult {
        let made = vec![true; runs.len()];
        let whole = scenario.made_part(&made).expect("all of it").0;
        let count = runs.len();
        ScenarioResult::new(&whole, runs, count)
    }
}
