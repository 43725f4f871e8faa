// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows as experiments promise them, judged by every claim.

use crate::claims::claims;
use fresco_report::claims::{Results, Row, judge, verdict_table};

/// Rows as `claims/experiments.toml` promises them, every value given by `value`.
fn promised(value: impl Fn(usize) -> f64) -> Results {
    let (mut results, mut count) = (Results::new(), 0);
    for experiment in claims().experiments.values() {
        let mut rows = vec![Row::new()];
        for (label, values) in &experiment.labels {
            let values = match (values.is_empty(), label.as_str()) {
                (true, "bit") => (6..34).map(|bit| bit.to_string()).collect(),
                (true, _) => vec!["one".to_owned(), "two".to_owned()],
                (false, _) => values.clone(),
            };
            rows = rows
                .iter()
                .flat_map(|row| values.iter().map(|value| row.clone().label(label, value)))
                .collect();
        }
        rows.retain(|row| {
            let alone = |name| row.labels.get(name).is_none_or(|n| n == "0");
            row.labels.get("policy").is_none_or(|policy| policy != "single_run")
                || alone("attackers") && alone("corunners")
        });
        let totals = |name: &String| experiment.labels.contains_key("bit") && !name.ends_with("_bit");
        if experiment.labels.contains_key("bit") {
            rows.push(Row::new());
        }
        for mut row in rows {
            let total = row.labels.is_empty() && experiment.labels.contains_key("bit");
            for name in experiment.values.iter().filter(|name| totals(name) == total) {
                row = row.value(name, value(count));
                count += 1;
            }
            results.push(&experiment.name, row);
        }
    }
    results
}

#[test]
fn the_promised_rows_are_enough_for_every_claim_that_can_be_run() {
    let results = promised(|n| 100.0 + n as f64);
    for claim in claims().systems.values().flat_map(|system| &system.claims) {
        let verdict = judge(claim, &results);
        let missing = ["no result", "was not run", "one expected"].map(|text| verdict.explanation.contains(text));
        assert_eq!(missing, [false; 3], "{}: {}", claim.id, verdict.explanation);
    }
}

#[test]
fn no_results_make_the_judge_fail() {
    let odd = [
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e308,
        -1e308,
        1e-308,
        1.0,
    ];
    for step in 0..odd.len() {
        let results = promised(|n| odd[(n * 7 + n / 3 + step) % odd.len()]);
        for claim in claims().systems.values().flat_map(|system| &system.claims) {
            let verdict = judge(claim, &results);
            let text = verdict_table("x", &[verdict]).unwrap().to_text(120);
            assert!(!text.is_empty());
        }
    }
}
