// SPDX-License-Identifier: MIT OR Apache-2.0
//! Claims without what our experiments presume: their scenarios once more with other keys.

use crate::experiments::{self, Experiment};
use crate::seeds::BySeed;
use crate::{Means, World};
use fresco_input::InputError;
use fresco_report::claims::{Claim, Claims, Condition, Outcome, Results, System, Verdict, Without};
use fresco_scenario::builtin;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The rows of experiments without what they presume, by experiment and what that is: several systems may read them. `None` if they were
/// stopped.
pub(crate) type Rows<'c> = BTreeMap<(&'c str, &'c str), Option<Made>>;

/// The rows of an experiment by all seeds together, and by each alone.
pub(crate) struct Made {
    together: Results,
    by_seed: BySeed,
}

/// Judges each of these claims without what the experiments presume whose rows it reads; it says so where that makes a difference.
/// Returns false if the observer stopped it before all was tried.
///
/// # Errors
/// A run that has a fault.
pub(crate) fn tried<'c>(
    mut verdicts: Vec<&mut Verdict>,
    system: &System,
    claims: &'c Claims,
    (results, made): (&Results, &mut Rows<'c>),
    world: World,
    means: Means<'_>,
) -> Result<bool, InputError> {
    verdicts.retain(|verdict| verdict.outcome != Outcome::CannotBeRun);
    let mut whole = true;
    for (name, experiment) in &claims.experiments {
        let reading: BTreeMap<&str, &Claim> = system
            .claims
            .iter()
            .filter(|claim| claim.experiments().contains(name.as_str()))
            .map(|claim| (claim.id.as_str(), claim))
            .collect();
        for condition in &experiment.condition {
            if !verdicts.iter().any(|verdict| reading.contains_key(verdict.id.as_str())) {
                continue;
            }
            let rows = match made.entry((name, &condition.given)) {
                Entry::Occupied(made) => made.into_mut(),
                Entry::Vacant(new) => new.insert(without(name, condition, world, means)?),
            };
            let Some(Made { together, by_seed }) = rows else {
                whole = false;
                continue;
            };
            let mut results = results.clone();
            results.0.extend(together.0.clone());
            for verdict in &mut verdicts {
                let Some(claim) = reading.get(verdict.id.as_str()) else {
                    continue;
                };
                let there = by_seed.judge(claim, &results);
                if there.parts != verdict.parts {
                    verdict.without.push(Without {
                        given: condition.given.clone(),
                        set: condition.without.clone(),
                        outcome: there.outcome,
                        ours: there.ours(),
                    });
                }
            }
        }
    }
    Ok(whole)
}

/// The rows of an experiment without the condition. `None` if it was stopped.
fn without(name: &str, condition: &Condition, world: World, means: Means<'_>) -> Result<Option<Made>, InputError> {
    let Some((experiment, scenario)) = scenario_of(name) else {
        return Ok(None);
    };
    let scenario = builtin(scenario, &set(experiment, condition, world))?;
    let steps = means.observer.begin("conditions", scenario.runs().len() as u64);
    let Some(result) = means.simulate(&scenario, &*steps)? else {
        return Ok(None);
    };
    let made = std::slice::from_ref(&result);
    let together = experiments::rows(&[experiment], made, None, world, means)?;
    let mut by_seed = BySeed::default();
    by_seed.add((&scenario, &result), &[experiment], &together);
    Ok(Some(Made { together, by_seed }))
}

/// What is set in the experiment's scenario without the condition.
fn set(experiment: &Experiment, condition: &Condition, world: World) -> Vec<String> {
    let mut set = experiment.set(world);
    set.extend(condition.without.iter().cloned());
    set
}

/// An experiment and its scenario, if it is of one.
fn scenario_of(name: &str) -> Option<(&'static Experiment, &'static str)> {
    let experiment = experiments::named(name)?;
    experiment.scenario.map(|scenario| (experiment, scenario))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_report::claims::{Tally, judge};

    #[test]
    fn what_holds_only_on_a_condition_is_counted_so() {
        let claims = Claims::builtin().expect("sound");
        let without = |outcome| Without {
            given: "x".to_owned(),
            set: Vec::new(),
            outcome,
            ours: "1 < 2".to_owned(),
        };
        let record = crate::kernel_record::Record::load(None).expect("built in");
        let kernel = experiments::of_systems(&["kernel".to_owned()]);
        let means = crate::testing::means(&crate::Unobserved);
        let rows = experiments::rows(&kernel, &[], Some(&record), World::default(), means).expect("rows");
        let verdicts = claims.systems["kernel"].claims.iter().map(|claim| judge(claim, &rows));
        let mut verdicts: Vec<Verdict> = verdicts.filter(|verdict| verdict.outcome == Outcome::Holds).collect();
        verdicts[0].without.push(without(Outcome::Holds));
        verdicts[1]
            .without
            .extend([without(Outcome::Holds), without(Outcome::Differs)]);
        let words: Vec<&str> = verdicts.iter().map(Verdict::word).collect();
        assert_eq!(words[..3], ["holds", "holds only if", "holds"]);
        let tally = Tally::of(&verdicts);
        assert_eq!((tally.holds, tally.conditional), (verdicts.len(), 1));
        assert!(
            verdicts[1].remarks().contains("only with x, else 1 < 2"),
            "{}",
            verdicts[1].remarks()
        );
    }

    #[test]
    fn each_condition_is_one_of_a_scenario_that_can_be_run_without_it() {
        let claims = Claims::builtin().expect("sound");
        let mut conditions = 0;
        for (name, experiment) in &claims.experiments {
            for condition in &experiment.condition {
                let (of, scenario) = scenario_of(name).expect(name);
                let set = set(of, condition, World::default());
                builtin(scenario, &set).unwrap_or_else(|error| panic!("{name}: {error}"));
                conditions += 1;
            }
        }
        assert!(conditions > 0);
    }
}
