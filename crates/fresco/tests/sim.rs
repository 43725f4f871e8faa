// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sim` as a user runs it, on a scenario small enough for tests.

use crate::common::{directory_with, json, stdout};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Two tasks on one bank or on two, twice.
pub const SMALL: &str = r#"
name = "small"
title = "A pointer chase beside others"
machine = "xeon-w3530"
repetitions = 2
warm_up.operations = 200
measure.operations = 1500

[sweep]
policy = ["samebank", "diffbank"]
corunners = [0, 2]

[[variant]]
name = "samebank"
set.task.other.banks = 0

[[variant]]
name = "diffbank"
set.task.other.banks = 1

[policy]
frames = "palloc"

[[task]]
name = "victim"
program = "latency"
core = 0
banks = 0
parameters.bytes = "16 MiB"

[[task]]
name = "other"
program = "latency"
cores = "1-3"
role = "background"
parameters.bytes = "16 MiB"
"#;

#[test]
fn a_variant_is_set_by_its_name_or_its_number() {
    let directory = directory_with(&[("small.toml", SMALL)]);
    let banks = |text: &str, set: &str| {
        let file = directory.path().join("other.toml");
        fs::write(file, text).expect("is writable");
        let result = json(&["sim", "./other.toml", "--json", "--set", set], directory.path());
        let points = result["data"]["scenarios"][0]["points"]
            .as_array()
            .expect("points")
            .clone();
        let of_other = |point: &Value| {
            let tasks = point["runs"][0]["tasks"].as_array().expect("tasks");
            let other = tasks.iter().find(|task| task["name"] == "other.0")?;
            Some(other["banks"].to_string())
        };
        points.iter().filter_map(of_other).collect::<Vec<_>>()
    };
    let before = banks(SMALL, "repetitions=1");
    assert_ne!(before[0], before[1]);
    for set in [
        "variant.diffbank.set.task.other.banks=2",
        "variant.1.set.task.other.banks=2",
    ] {
        let after = banks(SMALL, set);
        assert_eq!(after[0], before[0], "{set}");
        assert_ne!(after[1], before[1], "{set}");
    }
    // Names of variants may hold dots, and begin alike.
    let dotted = SMALL.replace("diffbank", "samebank.not");
    let after = banks(&dotted, "variant.samebank.not.set.task.other.banks=2");
    assert_eq!(after[0], before[0]);
    assert_ne!(after[1], before[1]);
}

#[test]
fn a_scenario_with_a_fault_does_not_cost_those_before_it() {
    let broken = SMALL.replace("name = \"small\"", "name = \"broken\"").replace(
        "frames = \"palloc\"",
        "frames = \"palloc\"\nboot = \"aged\"\noccupied = 0.99",
    );
    let directory = directory_with(&[("small.toml", SMALL), ("broken.toml", &broken)]);
    let words = ["sim", "small.toml", "broken.toml", "--json", "--out", "report"];
    let done = crate::common::fresco(&words, directory.path());
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(3), "{told}");
    assert!(told.contains("broken.toml:"), "{told}");
    let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let scenarios = found["data"]["scenarios"].as_array().expect("a list");
    assert_eq!((scenarios.len(), &scenarios[0]["scenario"]), (1, &"small".into()));
    assert!(directory.path().join("report/index.html").is_file());
}

#[test]
fn no_title_moves_the_cursor() {
    let evil = SMALL.replace("A pointer chase", "\\u001b[2J\\u009b");
    let directory = directory_with(&[("e\u{1b}[2J.toml", &evil)]);
    let text = stdout(
        &["sim", "./e\u{1b}[2J.toml", "--set", "repetitions=1"],
        directory.path(),
    );
    assert!(text.contains("\\u{1b}[2J"), "{text}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

pub fn small() -> TempDir {
    directory_with(&[("small.toml", SMALL)])
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Names of the files of a directory.
pub fn files(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect()
}

#[test]
fn the_document_holds_everything_that_was_measured() {
    let directory = small();
    let document = json(&["sim", "small.toml", "--json"], directory.path());
    assert_eq!(document["schema"], "fresco-sim/3");
    assert_eq!(document["provenance"]["scenario"]["name"], "small.toml");
    assert_eq!(document["provenance"]["machine_files"][0]["name"], "xeon-w3530");
    let scenario = &document["data"]["scenarios"][0];
    assert_eq!(scenario["axes"][1]["values"], serde_json::json!(["0", "2"]));
    let points = scenario["points"].as_array().expect("points");
    assert_eq!(points.len(), 4);
    for (number_of_point, point) in points.iter().enumerate() {
        let corunners = if number_of_point % 2 == 0 { 0 } else { 2 };
        assert_eq!(point["tasks"].as_array().map(Vec::len), Some(1 + corunners));
        assert_eq!(point["runs"].as_array().map(Vec::len), Some(2));
        let reads = &point["tasks"][0]["reads"];
        assert_eq!(reads["count"], 3000, "all nodes of both repetitions come from memory");
        let anatomy = reads["anatomy"].as_object().expect("parts");
        let parts: f64 = anatomy.values().map(number).sum();
        assert!((parts - number(&reads["latency"]["mean_ns"])).abs() < 1e-6);
        // Names say units; a controller says how long it counted, and what it could carry.
        let (task, run) = (&point["tasks"][0], &point["runs"][0]);
        assert!(
            task["bandwidth_bytes_per_s"]["mean"].is_number() && task["instructions_per_cycle"]["mean"].is_number()
        );
        assert!(run["tasks"][0]["pass_time_ns"].is_null(), "1500 loads are no pass");
        let controller = &run["controllers"][0];
        let window = (number(&run["to_ps"]) - number(&run["from_ps"])) / 1000.0;
        assert!((number(&controller["window_ns"]) - window).abs() < 1e-3);
        assert!(number(&controller["bandwidth_bytes_per_s"]) < number(&controller["peak_bandwidth_bytes_per_s"]));
    }
    let slowdown = |point: usize| number(&points[point]["tasks"][0]["slowdown"]["mean"]);
    assert!(
        slowdown(1) > 1.5 && slowdown(3) < 1.1,
        "samebank {}, diffbank {}",
        slowdown(1),
        slowdown(3)
    );
}

#[test]
fn two_runs_and_any_number_of_threads_give_the_same_bytes() {
    let directory = small();
    let run = |threads: &str| stdout(&["sim", "small.toml", "--threads", threads, "--json"], directory.path());
    let first = run("1");
    assert_eq!(first, run("1"));
    assert_eq!(first, run("2"));
}

#[test]
fn a_table_for_people_says_what_the_numbers_say() {
    let directory = small();
    let text = stdout(&["sim", "small.toml"], directory.path());
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    for (policy, corunners) in [
        ("samebank", "0"),
        ("samebank", "2"),
        ("diffbank", "0"),
        ("diffbank", "2"),
    ] {
        let of_point = rows.iter().filter(|row| row.starts_with(&[policy, corunners]));
        assert_eq!(of_point.count(), 1, "{policy} {corunners}:\n{text}");
    }
    let document = json(&["sim", "small.toml", "--json"], directory.path());
    let points = &document["data"]["scenarios"][0]["points"];
    let times = |point: usize| format!("{:.2} times", number(&points[point]["tasks"][0]["slowdown"]["mean"]));
    let words: Vec<&str> = text.split_whitespace().collect();
    let sentence = format!(
        "With two co-runners, victim (latency on core 0) takes {} as long as alone under samebank and {} under diffbank.",
        times(1),
        times(3)
    );
    assert!(words.join(" ").contains(&sentence), "{sentence}\n{text}");
    assert!(text.contains("time for its bank"), "the cause is named:\n{text}");
    let tail = |point: usize, policy: &str| {
        let latency = &points[point]["tasks"][0]["reads"]["latency"];
        let [max, p99] = ["max_ns", "p99_ns"].map(|name| number(&latency[name]));
        format!("{max:.0} ns under {policy} (victim, p99 {p99:.0} ns)")
    };
    let sentence = format!(
        "The longest read takes {}, the worst, and {}, the best. The largest slowdown of victim, {}, is that at \
         samebank and 2 co-runners: a read takes",
        tail(1, "samebank"),
        tail(3, "diffbank"),
        times(1).trim_end_matches(" times")
    );
    assert!(words.join(" ").contains(&sentence), "{sentence}\n{text}");
    // What the columns are of, and with which seeds.
    for part in [
        "2 runs for each row, with seeds 1 to 2;",
        "means of the repetitions; mean, p99, max and row h/m/c are those of all reads of all repetitions together.",
    ] {
        assert!(words.join(" ").contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("means of 2 repetitions"), "{text}");
    assert!(text.contains("\nscenario small.toml (digest "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn background_tasks_appear_when_asked_for() {
    let directory = small();
    let arguments = [
        "sim",
        "small.toml",
        "--set",
        "repetitions=1",
        "--set",
        "sweep.policy=[\"samebank\"]",
    ];
    assert!(!stdout(&arguments, directory.path()).contains("other.0"));
    let all = stdout(&[&arguments[..], &["--all"]].concat(), directory.path());
    assert_eq!(all.matches("other.").count(), 2, "{all}");
    assert!(
        all.contains("small, controllers of xeon-w3530") && all.contains("peak [MB/s]"),
        "{all}"
    );
}

#[test]
fn options_stand_for_keys() {
    let directory = small();
    let run = |more: &[&str]| {
        let few = [
            "sim",
            "small.toml",
            "--json",
            "--set",
            "sweep.corunners=[0]",
            "--set",
            "sweep.policy=[\"samebank\"]",
        ];
        json(&[&few[..], more].concat(), directory.path())["data"]["scenarios"][0].clone()
    };
    let (by_option, by_key) = (run(&["--seed", "7"]), run(&["--set", "seed=7"]));
    assert_eq!((&by_option, &by_option["seed"]), (&by_key, &serde_json::json!(7)));
    assert_ne!(
        by_option["points"],
        run(&[])["points"],
        "another seed, other page frames"
    );
}

#[test]
fn built_in_scenarios_are_listed_and_run_by_name() {
    let directory = tempfile::tempdir().expect("a directory");
    let list = stdout(&["sim", "--list"], directory.path());
    for name in ["first", "palloc-fig4", "camc-fig2.7", "spec-four"] {
        assert!(
            list.lines().any(|line| line.split_whitespace().next() == Some(name)),
            "{name}:\n{list}"
        );
    }
    let few = [
        "sim",
        "palloc-fig4",
        "--json",
        "--set",
        "sweep.corunners=[0]",
        "--set",
        "sweep.policy=[\"samebank\"]",
    ];
    let few = [&few[..], &["--set", "repetitions=1", "--set", "measure.operations=100"]].concat();
    let document = json(&few, directory.path());
    assert_eq!(document["data"]["scenarios"][0]["scenario"], "palloc-fig4");
    assert_eq!(document["provenance"]["scenario"]["name"], "palloc-fig4");
    let programs = stdout(&["sim", "--programs"], directory.path());
    for kind in fresco_load::programs() {
        assert!(
            programs.lines().any(|line| line == kind.name),
            "{}:\n{programs}",
            kind.name
        );
    }
}

#[test]
fn sentences_begin_in_upper_case_when_there_is_nothing_to_compare() {
    let directory = small();
    let quick = [
        "--set",
        "repetitions=1",
        "--set",
        "measure.operations=200",
        "--set",
        "sweep.corunners=[2]",
    ];
    let text = stdout(&[&["sim", "small.toml"], &quick[..]].concat(), directory.path());
    assert!(text.contains("with seed 1;"), "{text}");
    let alone = SMALL.replace("corunners = [0, 2]\n", "");
    fs::write(directory.path().join("alone.toml"), alone).expect("is writable");
    let text = stdout(&[&["sim", "alone.toml"], &quick[..4]].concat(), directory.path());
    assert!(
        text.contains("\nA memory read of victim (latency on core 0) takes "),
        "{text}"
    );
}
