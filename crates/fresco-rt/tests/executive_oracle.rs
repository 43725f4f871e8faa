// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every field of the recorded cyclic executives, recomputed: 180 random sets and the worked examples.

use fresco_rt::oracle::executive::compare_record;
use serde_json::Value;

fn differences(text: &str) -> (usize, Vec<String>) {
    let records: Vec<Value> = serde_json::from_str(text).unwrap();
    let found = records.iter().flat_map(|record| compare_record(record).unwrap());
    (records.len(), found.map(|difference| difference.to_string()).collect())
}

#[test]
fn random_sets() {
    let (records, found) = differences(include_str!("data/ce_201.json"));
    assert_eq!(records, 180);
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn worked_examples() {
    let (records, found) = differences(include_str!("data/executive_examples.json"));
    assert_eq!(records, 3);
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_wrong_answer_is_found() {
    let text = include_str!("data/executive_examples.json")
        .replace("\"two_instances\":\"infeasible\"", "\"two_instances\":\"feasible\"");
    let (_, found) = differences(&text);
    assert_eq!(
        found,
        ["example1: cands[0].two_instances: expected \"feasible\", found \"infeasible\""]
    );
}
