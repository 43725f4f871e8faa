// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every answer of the recorded sets of servers, recomputed.

use fresco_rt::oracle::compare_file;
use fresco_rt::oracle::servers::compare_record;
use serde_json::{Value, json};

fn records() -> Vec<Value> {
    serde_json::from_str(include_str!("data/crs_2.json")).unwrap()
}

#[test]
fn every_field_of_every_record_is_equal() {
    let records = records();
    assert_eq!(records.len(), 180);
    let differences: Vec<String> = records
        .iter()
        .flat_map(|record| compare_record(record).unwrap())
        .map(|d| d.to_string())
        .collect();
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// The comparison sees a change of any recorded leaf.
#[test]
fn every_leaf_is_compared() {
    fn leaves(path: String, value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(k, v)| leaves(format!("{path}/{k}"), v, out)),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(i, v)| leaves(format!("{path}/{i}"), v, out)),
            _ => out.push(path),
        }
    }
    let record = &records()[0];
    let mut paths = Vec::new();
    for answer in ["min_budget", "table", "rta_top", "defer_guarantee", "t3", "sim"] {
        leaves(format!("/{answer}"), &record[answer], &mut paths);
    }
    assert!(paths.len() > 60);
    for path in paths {
        let mut forged = record.clone();
        *forged.pointer_mut(&path).unwrap() = json!("forged");
        // A forged length of an sbf point is no point at all.
        assert!(compare_record(&forged).map_or(true, |found| found.len() == 1), "{path}");
    }
}

#[test]
fn impossible_records_are_refused_with_the_field() {
    let change = |field: &str, value: Value| {
        let mut record = records()[0].clone();
        record[field] = value;
        compare_record(&record).unwrap_err().field
    };
    assert_eq!(change("e1", json!(9)), "e1");
    assert_eq!(change("delta", json!(63)), "delta");
    assert_eq!(change("tret", json!(-64)), "tret");
    assert_eq!(
        change("W1", json!([{"id": "a", "p": 5, "e": 6, "D": 5, "phi": 0}])),
        "W1[0]"
    );
}

/// A file is a list of records, or one; a record of no kind is refused.
#[test]
fn files_hold_records() {
    let file = Value::Array(records().into_iter().take(3).collect());
    assert_eq!(compare_file(&file), Ok(Vec::new()));
    let mut forged = file[1].clone();
    forged["table"]["idle"] = json!(-1);
    let found = compare_file(&forged).unwrap();
    assert_eq!(
        (found[0].record.as_str(), found[0].field.as_str()),
        (forged["id"].as_str().unwrap(), "table.idle")
    );
    assert!(compare_file(&json!([{"id": "x"}])).is_err());
}
