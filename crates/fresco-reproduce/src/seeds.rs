// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts where runs are repeated: by all repetitions together, and how many of them would have given the same one alone.

use crate::experiments::Experiment;
use fresco_report::claims::{Claim, Outcome, Results, Row, Seeds, Verdict, judge, judge_by_seeds};
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
            for (experiment, rows) in &theirs {
                self.insert(number, experiment, experiment.rows_of(alone, rows));
            }
        }
    }

    /// Adds the rows of each seed of an experiment that is no scenario.
    pub fn add_rows(&mut self, experiment: &Experiment, rows: Vec<Vec<Row>>) {
        if rows.len() > 1 {
            rows.into_iter()
                .enumerate()
                .for_each(|(number, rows)| self.insert(number, experiment, rows));
        }
    }

    fn insert(&mut self, number: usize, experiment: &Experiment, rows: Vec<Row>) {
        if number == self.0.len() {
            self.0.push(Results::new());
        }
        self.0[number].0.insert(experiment.name.to_owned(), rows);
    }

    /// Judges a claim by all seeds together, `results`, and tells how it fares by each seed alone, unless it cannot be judged or reads
    /// nothing that is repeated.
    pub fn judge(&self, claim: &Claim, results: &Results) -> Verdict {
        let names = claim.experiments();
        let reads = |alone: &&Results| names.iter().any(|name| alone.0.contains_key(*name));
        let rows = |alone: &Results| {
            let of = |name: &&str| Some(((*name).to_owned(), alone.0.get(*name).or(results.0.get(*name))?.clone()));
            Results(names.iter().filter_map(of).collect())
        };
        let alone: Vec<Results> = self.0.iter().filter(reads).map(rows).collect();
        let mut verdict = judge_by_seeds(claim, results, &alone);
        if verdict.outcome != Outcome::CannotBeRun && alone.len() > 1 {
            let is_same = |rows: &&Results| judge(claim, rows).outcome == verdict.outcome;
            verdict.seeds = Some(Seeds {
                of: alone.len(),
                same: alone.iter().filter(is_same).count(),
            });
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::of_systems;
    use fresco_report::claims::Claims;
    use fresco_scenario::builtin;

    /// Rows of `palloc-fig4` in which latency rises by so much with every co-runner.
    fn rising(step: f64) -> Results {
        fig4(|corunners| 60.0 + step * f64::from(corunners))
    }

    /// Rows of `palloc-fig4` with these latencies by co-runners.
    fn fig4(latency: impl Fn(u8) -> f64) -> Results {
        let mut results = Results::new();
        for corunners in 0..4 {
            let row = Row::new().label("policy", "samebank").label("corunners", corunners);
            results.push("palloc-fig4", row.value("latency_ns.mean", latency(corunners)));
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
        let by = |alone: Vec<Results>| BySeed(alone).judge(rises, &together);
        let verdict = by(vec![rising(30.0), rising(20.0), rising(15.0)]);
        let all = Some(Seeds { of: 3, same: 3 });
        assert_eq!((verdict.outcome, verdict.seeds), (Outcome::Holds, all));
        // By one seed of three it does not rise: that may be chance.
        let verdict = by(vec![rising(30.0), rising(0.0), rising(15.0)]);
        let one = Some(Seeds { of: 3, same: 1 });
        assert_eq!((verdict.outcome, verdict.seeds), (Outcome::Differs, one));
        assert_eq!(verdict.explanation, "may be chance by 3 seeds");
        // By one of eight it hardly is.
        let verdict = by([vec![rising(0.0)], vec![rising(30.0); 7]].concat());
        let seven = Some(Seeds { of: 8, same: 7 });
        assert_eq!((verdict.outcome, verdict.seeds), (Outcome::Holds, seven));
        // Many times as long each time, but never as many: no chance.
        let growing = |factor: f64| fig4(|corunners| 60.0 * factor.powi(corunners.into()));
        let verdict = by(vec![growing(8.0), growing(14.0), growing(27.0)]);
        assert_eq!((verdict.outcome, verdict.seeds), (Outcome::Holds, all));
        // Nothing was repeated, or nothing that the claim reads.
        assert_eq!(by(vec![rising(30.0)]).seeds, None);
        assert_eq!(by(vec![Results::new(), Results::new()]).seeds, None);
        let missing = claim("palloc-fig4-diffbank");
        let by_seed = BySeed(vec![rising(30.0), rising(20.0)]);
        assert_eq!(by_seed.judge(missing, &together).seeds, None);
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
