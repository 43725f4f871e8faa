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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::of_systems;
    use fresco_report::claims::{Claims, Row};
    use fresco_scenario::builtin;

    /// Rows of `palloc-fig4` in which latency rises by so much with every co-runner.
    fn rising(step: f64) -> Results {
        let mut results = Results::new();
        for corunners in 0..4_u8 {
            let row = Row::new().label("policy", "samebank").label("corunners", corunners);
            let row = row.value("latency_ns.mean", 60.0 + step * f64::from(corunners));
            results.push("palloc-fig4", row);
        }
        results
    }

    #[test]
    fn seeds_are_counted_that_give_the_verdict_of_all() {
        let claims = Claims::builtin()
            .expect("sound")
            .systems
            .remove("palloc")
            .expect("there")
            .claims;
        let claim = |id: &str| claims.iter().find(|claim| claim.id == id).expect(id);
        let rises = claim("palloc-fig4-samebank");
        let together = rising(20.0);
        let seeds = |alone: Vec<Results>| BySeed(alone).judge(rises, &judge(rises, &together), &together);
        let found = seeds(vec![rising(30.0), rising(0.0), rising(15.0)]);
        assert_eq!(found, Some(Seeds { of: 3, same: 2 }));
        // Nothing was repeated, or nothing that the claim reads.
        assert_eq!(seeds(vec![rising(30.0)]), None);
        assert_eq!(seeds(vec![Results::new(), Results::new()]), None);
        let missing = claim("palloc-fig4-diffbank");
        let by_seed = BySeed(vec![rising(30.0), rising(20.0)]);
        assert_eq!(by_seed.judge(missing, &judge(missing, &together), &together), None);
    }

    #[test]
    fn each_repetition_has_rows_of_its_own() {
        let set = [
            "repetitions=2",
            "warm_up.operations=100",
            "measure.operations=400",
            "sweep.corunners=[3]",
        ];
        let scenario = builtin("palloc-fig4", &set.map(str::to_owned)).expect("sound");
        let result = fresco_system::run_all(&scenario, 1, &|_| {}).expect("runs");
        let experiments = of_systems(&["palloc".to_owned()]);
        let means = crate::testing::means(&crate::Unobserved);
        let fig4: Vec<&Experiment> = experiments
            .into_iter()
            .filter(|one| one.name == "palloc-fig4")
            .collect();
        let together = crate::experiments::rows(
            &fig4,
            std::slice::from_ref(&result),
            None,
            crate::World::default(),
            means,
        );
        let together = together.expect("rows");
        let mut by_seed = BySeed::default();
        by_seed.add((&scenario, &result), &fig4, &together);
        let [one, other] = &by_seed.0[..] else {
            panic!("two repetitions")
        };
        let latency = |rows: &Results| rows.0["palloc-fig4"][0].values["latency_ns.mean"];
        let mean = f64::midpoint(latency(one), latency(other));
        assert!(latency(one) != latency(other) && (latency(&together) / mean - 1.0).abs() < 0.01);
    }
}
