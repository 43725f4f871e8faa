// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco verify PLAN --records FILE`, on records written by hand.

use crate::common::{directory_with, fresco, refused, stdout};
use serde_json::Value;
use std::fmt::Write as _;
use tempfile::TempDir;

/// A task of 2 ms in each 8 ms, in a table; and records of as many frames, in each of which it began `late` ns after its slot.
fn recorded(frames: u64, late: impl Fn(u64) -> u64) -> (TempDir, u64) {
    let tasks = "machine = \"ss-rtmc\"\nplan.method = \"colored-refresh\"\n\
        [[task]]\nname = \"control\"\nperiod = \"8 ms\"\nwcet = \"2 ms\"\nmemory = \"64 KiB\"\n";
    let directory = directory_with(&[("tasks.toml", tasks)]);
    stdout(&["plan", "tasks.toml", "--out", "plan.json"], directory.path());
    let plan = std::fs::read_to_string(directory.path().join("plan.json")).expect("there");
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    let table = &plan["data"]["schedule"]["table"];
    let length = table["length"].as_u64().expect("a time");
    let mut slots: Vec<(u64, u64)> = table["slots"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|slot| {
            (
                slot["start"].as_u64().expect("a time"),
                slot["length"].as_u64().expect("a time"),
            )
        })
        .collect();
    slots.sort_unstable();
    let mut lines = String::new();
    for frame in 5..5 + frames {
        for (start, slot) in &slots {
            let begin = frame * length + start;
            let (end, started) = (begin + slot, begin + late(frame));
            _ = writeln!(
                lines,
                "{{\"frame\":{frame},\"cpu\":0,\"task\":\"control\",\"begin_ns\":{begin},\"end_ns\":{end},\"timer_ns\":{begin},\
                 \"started_ns\":{started},\"stopped_ns\":{end},\"ran_ns\":{},\"ready\":true,\"cut\":false,\"overran\":false,\
                 \"missed\":false,\"skipped\":0}}",
                end - started
            );
        }
    }
    std::fs::write(directory.path().join("r.jsonl"), lines).expect("writable");
    (directory, slots.len() as u64)
}

fn judged(directory: &TempDir, more: &[&str]) -> (Option<i32>, Value) {
    let words = [&["verify", "plan.json", "--records", "r.jsonl", "--json"], more].concat();
    let done = fresco(&words, directory.path());
    let mut report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    crate::json_reference::check(&report, &[]);
    (done.status.code(), report["data"].take())
}

fn edit(directory: &TempDir, from: &str, to: &str) {
    let file = directory.path().join("r.jsonl");
    let text = std::fs::read_to_string(&file).expect("there");
    let edited = text.replacen(from, to, 1);
    assert_ne!(edited, text, "{from}");
    std::fs::write(file, edited).expect("writable");
}

#[test]
fn slots_that_began_in_time_hold() {
    let (directory, slots) = recorded(4, |frame| frame * 10_000);
    let (status, data) = judged(&directory, &[]);
    assert_eq!((status, &data["holds"]), (Some(0), &Value::from(true)), "{data}");
    assert_eq!(data["frames"], 4);
    let task = &data["tasks"][0];
    assert_eq!(task["slots"], 4 * slots);
    assert_eq!(task["start"]["count"], 4 * slots);
    // 50, 60, 70 and 80 us.
    assert_eq!(
        (&task["start"]["min_ns"], &task["start"]["max_ns"]),
        (&50_000.into(), &80_000.into())
    );
    // A bound of its own: in two of the four frames it is exceeded.
    let (status, data) = judged(&directory, &["--late", "65us"]);
    assert_eq!(
        (status, &data["tasks"][0]["late"]),
        (Some(1), &Value::from(2 * slots)),
        "{data}"
    );
    // Without what began in the first millisecond.
    let (status, data) = judged(&directory, &["--late", "65us", "--after", "1ms"]);
    assert_eq!(
        (status, &data["tasks"][0]["late"]),
        (Some(1), &Value::from(2 * slots)),
        "{data}"
    );
    assert!(data["tasks"][0]["slots"].as_u64() < Some(4 * slots), "{data}");
    let shown = fresco(&["verify", "plan.json", "--records", "r.jsonl"], directory.path());
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        text.contains("Slots of the plan") && text.contains("more than 100000 ns after the planned one"),
        "{text}"
    );
}

#[test]
fn what_is_not_as_planned_is_counted() {
    let of = |from: &str, to: &str, count: &str| {
        let (directory, _) = recorded(3, |_| 20_000);
        edit(&directory, from, to);
        let (status, data) = judged(&directory, &[]);
        assert_eq!((status, &data["tasks"][0][count]), (Some(1), &Value::from(1)), "{data}");
    };
    of("\"missed\":false", "\"missed\":true", "missed");
    of("\"overran\":false", "\"overran\":true", "overran");
    let (directory, _) = recorded(3, |_| 20_000);
    edit(&directory, "\"cpu\":0", "\"cpu\":1");
    let (status, data) = judged(&directory, &[]);
    assert_eq!((status, &data["not_planned"]), (Some(1), &Value::from(1)), "{data}");
    // On another processor, as --cpus says.
    let (directory, _) = recorded(3, |_| 20_000);
    let file = directory.path().join("r.jsonl");
    let moved = std::fs::read_to_string(&file)
        .expect("there")
        .replace("\"cpu\":0", "\"cpu\":3");
    std::fs::write(&file, moved).expect("writable");
    assert_eq!(judged(&directory, &["--cpus", "3"]).0, Some(0));
    assert_eq!(judged(&directory, &[]).0, Some(1));
    std::fs::write(&file, "").expect("writable");
    let (status, data) = judged(&directory, &[]);
    assert_eq!(
        (status, &data["records"]),
        (Some(1), &Value::from(0)),
        "nothing recorded is no proof"
    );
}

#[test]
fn what_are_no_records_is_told() {
    let (directory, _) = recorded(2, |_| 0);
    edit(&directory, "\"cpu\":0", "\"cpu\":-1");
    let told = refused(&["verify", "plan.json", "--records", "r.jsonl"], directory.path());
    assert!(
        told.contains("r.jsonl:1: found no record of a slot") && told.contains("allowed: lines of JSON"),
        "{told}"
    );
    let told = refused(
        &["verify", "plan.json", "--records", "r.jsonl", "--late", "soon"],
        directory.path(),
    );
    assert!(told.contains("--late: "), "{told}");
    stdout(
        &["plan", "tasks.toml", "--set", "plan.method=crs", "--out", "plan.json"],
        directory.path(),
    );
    let told = refused(&["verify", "plan.json", "--records", "r.jsonl"], directory.path());
    assert!(
        told.contains("plan.json: --records: found a schedule that is servers"),
        "{told}"
    );
}
