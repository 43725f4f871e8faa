// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco reproduce kernel`: claims judged by a record, and what the record is told of.

use crate::common::{directory_with, fresco, json, stdout};
use serde_json::Value;
use std::path::Path;

const RECORD: &str = include_str!("data/kernel-cost.toml");
const COMMAND: [&str; 4] = ["reproduce", "kernel", "--record", "r.toml"];

/// The verdict on a claim by a record with parts replaced.
fn verdict(id: &str, changes: &[(&str, &str)]) -> Value {
    let text = changes.iter().fold(RECORD.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from:?} is in the record");
        text.replace(from, to)
    });
    let directory = directory_with(&[("r.toml", &text)]);
    let document = json(&[&COMMAND[..], &["--json"]].concat(), directory.path());
    let verdicts = document["data"]["systems"][0]["verdicts"].as_array().expect("a list");
    let found = verdicts.iter().find(|one| one["id"] == id);
    found.unwrap_or_else(|| panic!("no claim {id}")).clone()
}

#[test]
fn the_record_of_the_program_answers_every_claim() {
    let document = json(&["reproduce", "kernel", "--json"], Path::new("."));
    let tally = &document["data"]["systems"][0]["tally"];
    assert_eq!(tally["cannot_be_run"], 0, "{tally}");
    assert_eq!(document["data"]["record"]["file"]["name"], "kernel/measured/cost.toml");
    assert_eq!(
        document["data"]["record"]["file"], document["provenance"]["inputs"][0],
        "its digest is part of what was run"
    );
}

#[test]
fn verdicts_follow_the_record() {
    let init = |changes: &[(&str, &str)]| verdict("kernel-camc-alloc-init", changes);
    assert_eq!(init(&[])["outcome"], "holds");
    let cheap = init(&[("first = 1170", "first = 1020")]);
    assert_eq!(cheap["outcome"], "differs");
    assert_eq!(cheap["parts"][0]["our_value"].as_f64().expect("a number").round(), 2.0);
    // One that is not more expensive than buddy is no order.
    let order = |changes: &[(&str, &str)]| verdict("kernel-palloc-tab1-order", changes)["outcome"].clone();
    assert_eq!(order(&[]), "holds");
    assert_eq!(
        order(&[("size_mib = 64, mean = 150", "size_mib = 64, mean = 100")]),
        "differs"
    );
    let adds = |changes: &[(&str, &str)]| verdict("kernel-palloc-4c-200ns", changes);
    assert_eq!(adds(&[])["parts"][0]["our_value"], 0.5);
    assert_eq!(adds(&[("mean = 150", "mean = 900")])["outcome"], "differs");
    // Pages that were allocated ahead are to cost nothing more.
    let ahead = |changes: &[(&str, &str)]| verdict("kernel-camc-prealloc", changes)["outcome"].clone();
    assert_eq!(ahead(&[]), "holds");
    assert_eq!(ahead(&[("2900000, first = 1000", "2900000, first = 1100")]), "differs");
}

#[test]
fn verdicts_on_effects_are_tried() {
    let directory = directory_with(&[("r.toml", RECORD)]);
    let here = directory.path();
    let tried = json(&[&COMMAND[..], &["--json"]].concat(), here)["data"]["systems"][0]["tried"].take();
    assert!(tried["hold"].as_u64() > Some(0), "{tried}");
    assert_eq!(
        (&tried["null"], &tried["exchanged"]),
        (&Value::from([0; 0]), &Value::from([0; 0]))
    );
    let text = stdout(&[&COMMAND[..], &["--out", "o"]].concat(), here);
    let page = std::fs::read_to_string(here.join("o/index.html")).expect("is there");
    let told = "none would hold if all policies did the same";
    assert!(text.replace('\n', " ").contains(told) && page.contains(told), "{text}");
}

#[test]
fn what_a_record_lacks_cannot_be_judged() {
    let lost = verdict(
        "kernel-camc-obs4",
        &[("setting = \"16_apart_ahead\"", "setting = \"other\"")],
    );
    assert_eq!(lost["outcome"], "cannot-be-run");
    let why = lost["explanation"].as_str().expect("a reason");
    assert_eq!(why, "no result recycled_insn{setting=16_apart_ahead} in kernel-faults");
}

#[test]
fn what_was_measured_is_told_with_the_verdicts() {
    let directory = directory_with(&[("r.toml", RECORD)]);
    let text = stdout(&[&COMMAND[..], &["--out", "o"]].concat(), directory.path());
    let page = std::fs::read_to_string(directory.path().join("o/index.html")).expect("is there");
    for told in [
        "Linux 6.12.0-1, 1 patches, state 1-1",
        "scripts/kernel-test cost; QEMU 7; gcc 12",
        "of an older state: ",
        "0001-a went since",
        "r.toml (digest ",
    ] {
        assert!(text.contains(told), "{told:?} is not in\n{text}");
        assert!(page.contains(told), "{told:?} is not on the page");
    }
    for figure in [
        "kernel-allocation-mean",
        "kernel-allocation-longest",
        "kernel-start-comparison",
    ] {
        assert!(directory.path().join(format!("o/{figure}.svg")).exists(), "{figure}");
    }
}

#[test]
fn strictness_counts_claims_that_differ() {
    let directory = directory_with(&[("r.toml", RECORD)]);
    let done = fresco(&[&COMMAND[..], &["--strict"]].concat(), directory.path());
    // Table I's factors are not the made-up ones.
    assert_eq!(done.status.code(), Some(1));
}

#[test]
fn a_report_does_not_replace_its_record() {
    let directory = directory_with(&[("results.json", RECORD)]);
    let arguments = ["reproduce", "kernel", "--record", "results.json", "--out", "."];
    let told = crate::common::refused(&arguments, directory.path());
    assert!(told.contains("found the file that is read as"), "{told}");
    let kept = std::fs::read_to_string(directory.path().join("results.json")).expect("is there");
    assert_eq!(kept, RECORD);
}

#[test]
fn quick_verdicts_on_what_is_exact_are_the_usual_ones() {
    let directory = directory_with(&[("r.toml", RECORD)]);
    let verdicts = |more: &[&str]| {
        let arguments = [&COMMAND[..], &["--json"], more].concat();
        json(&arguments, directory.path())["data"]["systems"][0]["verdicts"].take()
    };
    assert_eq!(verdicts(&["--quick"]), verdicts(&[]));
    for other in [
        &["--perturb", "1"] as &[&str],
        &["--repetitions", "2"],
        &["--programs", "p"],
        &["--platform"],
    ] {
        let arguments = [&COMMAND[..], &["--quick"], other].concat();
        assert!(crate::common::refused(&arguments, directory.path()).contains(other[0]));
    }
}

#[test]
fn the_platforms_are_a_world_of_their_own() {
    let directory = directory_with(&[("r.toml", RECORD)]);
    let data = json(
        &[&COMMAND[..], &["--json", "--perturb", "1", "--platform"]].concat(),
        directory.path(),
    );
    let worlds = &data["data"]["systems"][0]["perturbed"]["worlds"];
    let expected = serde_json::json!([
        { "seed": 1001, "latency_percent": 110 },
        { "seed": null, "latency_percent": 100, "platform": true },
    ]);
    assert_eq!(worlds, &expected);
}
