// SPDX-License-Identifier: MIT OR Apache-2.0
//! Claims without what our experiments presume: their scenarios once more with other keys.

use crate::experiments::{self, Experiment};
use crate::study::System;
use crate::{Means, World};
use fresco_input::InputError;
use fresco_report::claims::{Claim, Claims, Condition, Results, Verdict, Without, judge};
use fresco_scenario::builtin;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Judges each claim that has conditions without these; those that are not whole when the observer stops it are left out.
///
/// # Errors
/// A run that has a fault.
pub(crate) fn tried(
    systems: &mut [System],
    claims: &Claims,
    results: &Results,
    world: World,
    means: Means<'_>,
) -> Result<(), InputError> {
    let of = |verdict: &Verdict| {
        claims
            .systems
            .values()
            .flat_map(|system| &system.claims)
            .find(|claim| claim.id == verdict.id)
    };
    // Claims of one experiment may presume the same.
    let mut made: BTreeMap<(&str, &[String]), Option<Results>> = BTreeMap::new();
    for verdict in systems.iter_mut().flat_map(|system| &mut system.verdicts) {
        let Some(claim) = of(verdict) else { continue };
        for condition in &claim.condition {
            let key = (claim.experiment.as_str(), condition.without.as_slice());
            let made = match made.entry(key) {
                Entry::Occupied(made) => made.into_mut(),
                Entry::Vacant(new) => new.insert(without(claim, condition, results, world, means)?),
            };
            if let Some(results) = made {
                let there = judge(claim, results);
                verdict.without.push(Without {
                    given: condition.given.clone(),
                    set: condition.without.clone(),
                    outcome: there.outcome,
                    ours: there.ours(),
                });
            }
        }
    }
    Ok(())
}

/// The results with other rows of the claim's experiment: those of its scenario without the condition. `None` if it was stopped.
fn without(
    claim: &Claim,
    condition: &Condition,
    results: &Results,
    world: World,
    means: Means<'_>,
) -> Result<Option<Results>, InputError> {
    let Some((experiment, scenario)) = scenario_of(claim) else {
        return Ok(None);
    };
    let only = experiment.only.iter().map(|text| (*text).to_owned());
    let set: Vec<String> = only
        .chain(world.set())
        .chain(condition.without.iter().cloned())
        .collect();
    let scenario = builtin(scenario, &set)?;
    let steps = means.observer.begin("conditions", scenario.runs().len() as u64);
    let Some(result) = means.simulate(&scenario, &*steps)? else {
        return Ok(None);
    };
    let rows = experiments::rows(&[experiment], &[result], None, world, means)?;
    let mut results = results.clone();
    results.0.extend(rows.0);
    Ok(Some(results))
}

/// The claim's experiment and its scenario, if it is of one.
fn scenario_of(claim: &Claim) -> Option<(&'static Experiment, &'static str)> {
    let experiment = experiments::ALL
        .iter()
        .find(|experiment| experiment.name == claim.experiment)?;
    experiment.scenario.map(|scenario| (experiment, scenario))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_condition_is_one_of_a_scenario_that_can_be_run_without_it() {
        let claims = Claims::builtin().expect("sound");
        let mut conditions = 0;
        for claim in claims.systems.values().flat_map(|system| &system.claims) {
            for condition in &claim.condition {
                let (experiment, scenario) = scenario_of(claim).expect(&claim.id);
                let only = experiment.only.iter().map(|text| (*text).to_owned());
                let set: Vec<String> = only.chain(condition.without.iter().cloned()).collect();
                builtin(scenario, &set).unwrap_or_else(|error| panic!("{}: {error}", claim.id));
                conditions += 1;
            }
        }
        assert!(conditions > 0);
    }
}
