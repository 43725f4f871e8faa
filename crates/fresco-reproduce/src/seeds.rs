// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts by each seed alone: where runs are repeated, how many of the repetitions would have given the same one.

use crate::experiments::Experiment;
use fresco_report::claims::{Claim, Outcome, Results, Seeds, Verdict, judge};
use fresco_scenario::Scenario;
use fresco_system::results::ScenarioResult;

/// The rows of experiments whose scenarios are repeated, seed by seed: all that there are of the first one, of the second, and so on.
#[derive(Default)]
pub(crate) struct BySeed(Vec<Results>);

impl BySeed {
    /// Adds the repetitions of a scenario; `results` has the rows of all of them together.
    pub fn add(
        &mut self,
        (scenario, result): (&Scenario, &ScenarioResult),
        experiments: &[&Experiment],
        results: &Results,
    ) {
        if result.repetitions < 2 {
            return;
        }
        let theirs = experiments
            .iter()
            .filter(|experiment| experiment.scenario == Some(scenario.name.as_str()));
        let theirs: Vec<_> = theirs
            .filter_map(|experiment| Some((experiment, results.0.get(experiment.name)?)))
            .collect();
        for (number, alone) in result.by_seed(scenario).iter().enumerate() {
            if number == self.0.len() {
                self.0.push(Results::new());
            }
            for (experiment, rows) in &theirs {
                let rows = experiment.rows_of(alone, rows);
                self.0[number].0.insert(experiment.name.to_owned(), rows);
            }
        }
    }

    /// How a claim fares by each seed alone. `None` if it cannot be judged, or reads nothing that is repeated.
    pub fn judge(&self, claim: &Claim, verdict: &Verdict, results: &Results) -> Option<Seeds> {
        if verdict.outcome == Outcome::CannotBeRun {
            return None;
        }
        let (mut of, mut same) = (0, 0);
        for alone in &self.0 {
            let names = claim.experiments();
            if !names.iter().any(|name| alone.0.contains_key(*name)) {
                continue;
            }
            let rows = |name: &&str| Some(((*name).to_owned(), alone.0.get(*name).or(results.0.get(*name))?.clone()));
            let rows = Results(names.iter().filter_map(rows).collect());
            of += 1;
            same += usize::from(judge(claim, &rows).outcome == verdict.outcome);
        }
        (of > 1).then_some(Seeds { of, same })
    }
}
