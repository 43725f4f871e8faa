// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every field of the recorded cyclic executives, recomputed: 180 random sets and the worked examples.

use fresco_rt::oracle::executive::{compare_record, decisions};
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

/// Questions that another solver left open are decided too, and all of them with little search.
#[test]
fn every_question_is_decided() {
    let records: Vec<Value> = serde_json::from_str(include_str!("data/ce_201.json")).unwrap();
    let all: Vec<_> = records.iter().flat_map(|record| decisions(record).unwrap()).collect();
    let count = |field: &str, verdict: &str| all.iter().filter(|d| d.field == field && d.verdict == verdict).count();
    assert_eq!(all.iter().filter(|decision| decision.verdict == "unknown").count(), 0);
    assert_eq!(
        ["one_color", "one_color_private", "two_instances"].map(|f| count(f, "feasible")),
        [185, 143, 378]
    );
    let hardest = all.iter().map(|decision| decision.effort.no_goods).max().unwrap();
    assert!(hardest < 200, "a question took {hardest} no-goods");
}

#[test]
fn impossible_records_are_errors() {
    let record = |change: fn(&mut Value)| {
        let mut records: Vec<Value> = serde_json::from_str(include_str!("data/executive_examples.json")).unwrap();
        change(&mut records[0]);
        compare_record(&records[0])
            .map(|found| found.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(record(|_| ()), Ok(0));
    let refused = |change: fn(&mut Value), words: &str| {
        let found = record(change).unwrap_err();
        assert!(found.contains(words), "`{found}` instead of `{words}`");
    };
    refused(|r| r["R"] = 0.into(), "R from 1");
    refused(|r| r["K"] = 1.into(), "K from 2 to 1024");
    refused(|r| r["tasks"] = Value::Array(Vec::new()), "at least one task");
    refused(|r| r["tasks"][0]["p"] = (-1).into(), "whole number");
    refused(|r| r["tasks"][0]["p"] = 1.into(), "beyond the period");
    refused(|r| r["tasks"][0]["p"] = 18_446_744_073_709_551_557u64.into(), "64 bits");
    refused(|r| r["cands"] = 1.into(), "a list is needed");
}
