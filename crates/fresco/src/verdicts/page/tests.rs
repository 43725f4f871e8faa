// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the page shows of claims, and figures once.

use super::*;
use fresco_report::claims::{Claims, Results, Tried, Without, judge};
use fresco_reproduce::experiments::ALL;
use fresco_reproduce::{Moved, There, World};
use std::collections::BTreeSet;

/// A system without verdicts.
fn empty(name: &str) -> System {
    System {
        name: name.to_owned(),
        source: String::new(),
        tally: Tally::default(),
        by_role: TallyByRole::default(),
        tried: Tried::default(),
        perturbed: None,
        verdicts: Vec::new(),
        by_models: Vec::new(),
    }
}

#[test]
fn a_claim_unfolds_into_its_condition_and_other_worlds() {
    let claims = Claims::builtin().expect("the claims are sound");
    let mut verdict = judge(&claims.systems["memguard"].claims[0], &Results::new());
    verdict.outcome = Outcome::Holds;
    verdict.without.push(Without {
        given: "two tasks".to_owned(),
        set: Vec::new(),
        outcome: Outcome::Differs,
        ours: "1.9 x".to_owned(),
    });
    let world = World::default().others(1)[0];
    let system = System {
        perturbed: Some(Perturbed {
            worlds: vec![world],
            moved: vec![Moved {
                id: verdict.id.clone(),
                outcome: Outcome::Holds,
                there: vec![There {
                    outcome: Outcome::Differs,
                    ours: "2.8 x".to_owned(),
                }],
            }],
        }),
        ..empty("memguard")
    };
    let entry = entry(&system, &verdict);
    assert_eq!(entry.mark.0, "holds only if");
    let fact = |name: &str| {
        entry
            .facts
            .iter()
            .find(|fact| fact.0 == name)
            .map(|fact| fact.1.as_str())
    };
    assert_eq!(fact("condition"), Some("only with two tasks, else 1.9 x"));
    assert_eq!(
        fact("elsewhere"),
        Some("seed 1001, latencies of 110 %: differs (2.8 x)")
    );
    assert_eq!(fact("paper"), Some(verdict.paper().as_str()));
    assert!(entry.aside.starts_with(&verdict.id), "{}", entry.aside);
}

#[test]
fn figures_of_a_scenario_that_several_experiments_read_are_drawn_once() {
    let set = [
        "sweep.workload=[\"tiny\"]",
        "repetitions=1",
        "warm_up.time=\"2 us\"",
        "measure.time=\"10 us\"",
    ];
    let set: Vec<String> = set.map(str::to_owned).to_vec();
    let loaded = crate::scenarios::load("bpm-mixes", &set).expect("is built in");
    let result = fresco_system::run_all(&loaded.0, 1, &|_| {}).expect("runs");
    let reads =
        |experiment: &&Experiment| experiment.scenario == Some("bpm-mixes") && experiment.systems.contains(&"bpm");
    let experiments: Vec<&Experiment> = ALL.iter().filter(reads).collect();
    assert!(experiments.len() > 1);
    let findings = Findings {
        reproduction: Reproduction {
            systems: vec![empty("bpm")],
            results: Results::new(),
            record: None,
            recordings: None,
        },
        experiments: experiments.clone(),
        scenarios: vec![loaded],
        results: vec![result],
        claims: Claims::builtin().expect("the claims are sound"),
        all_tried: true,
    };
    let (page, figures) = page(&findings, &crate::provenance::of_this_run(None)).expect("can be drawn");
    let names: BTreeSet<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
    assert!(!names.is_empty());
    assert_eq!(names.len(), figures.len(), "{names:?}");
    let html = page.to_html();
    let others = html
        .matches("Its runs and their figures are those of bpm-mixes, above.")
        .count();
    assert_eq!(others, experiments.len() - 1);
}
