// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a verb takes a scenario it takes a plan, and where it takes a plan it takes a scenario.

use crate::common::{directory_with, fresco, json, refused_with, stdout};

/// Simulated as it stands, planned, run.
const SCENARIO: &str = r#"name = "both"
machine = "ss-rtmc"
measure.jobs = 2

[plan]
method = "aligned"

[[task]]
name = "control"
program = "lms"
parameters.samples = 500
core = 0
memory = "64 KiB"
period = "8 ms"
wcet = "1 ms"
command = ["true"]

[[task]]
name = "vision"
program = "cnt"
parameters.n = 30
core = 0
memory = "64 KiB"
period = "32 ms"
wcet = "2 ms"
command = ["true"]
"#;

/// The same without `[plan]`.
fn unplanned() -> String {
    SCENARIO.replace("[plan]\nmethod = \"aligned\"\n", "")
}

#[test]
fn a_scenario_is_checked_and_simulated_as_its_plan_is() {
    let directory = directory_with(&[("s.toml", SCENARIO)]);
    let planned = json(&["plan", "s.toml", "--json", "--out", "p.json"], directory.path());
    assert_eq!(planned["data"]["method"], "aligned");
    for verb in [&["check"][..], &["sim", "--horizon", "128 ms"]] {
        let of = |file: &str| json(&[verb, &[file, "--json"]].concat(), directory.path())["data"].clone();
        assert_eq!(of("s.toml"), of("p.json"), "{verb:?}");
    }
    let crs = json(
        &["check", "s.toml", "--json", "--set", "plan.method=crs"],
        directory.path(),
    );
    assert_eq!(crs["data"]["sound"], true);
    let (of_scenario, of_plan) = (
        fresco(&["run", "--dry-run", "s.toml"], directory.path()),
        fresco(&["run", "--dry-run", "p.json"], directory.path()),
    );
    assert_eq!(of_scenario.status, of_plan.status);
    let first = |text: &[u8]| {
        String::from_utf8_lossy(text)
            .split("What a plan is")
            .next()
            .map(str::to_owned)
    };
    assert_eq!(first(&of_scenario.stdout), first(&of_plan.stdout));
}

#[test]
fn the_tasks_of_a_plan_are_planned_anew_and_simulated_without_it() {
    let directory = directory_with(&[("s.toml", SCENARIO), ("u.toml", &unplanned())]);
    let first = json(&["plan", "s.toml", "--json", "--out", "p.json"], directory.path());
    let again = json(&["plan", "p.json", "--json"], directory.path());
    assert_eq!(again["data"], first["data"]);
    let crs = json(
        &["plan", "p.json", "--json", "--set", "plan.method=crs"],
        directory.path(),
    );
    assert_eq!(crs["data"]["method"], "crs");
    let words = [
        "advise",
        "p.json",
        "--json",
        "--set",
        "measure.jobs=2",
        "--max-slowdown",
        "1000",
    ];
    let advised = json(&words, directory.path());
    let tried = advised["data"]["tried"].as_array().expect("a list");
    assert!(!tried.is_empty());
    // Without [plan] it is simulated as it stands.
    let plain = json(&["sim", "u.toml", "--json"], directory.path());
    assert_eq!(plain["schema"], "fresco-sim/3");
}

/// `--set` changes the file, whatever the key.
#[test]
fn a_plan_that_is_asked_for_on_the_command_line_is_made() {
    let plain = unplanned();
    let directory = directory_with(&[("s.toml", SCENARIO), ("u.toml", &plain)]);
    let sim = |words: &[&str]| {
        json(
            &[&["sim"], words, &["--horizon", "128 ms", "--json"]].concat(),
            directory.path(),
        )
    };
    let set = sim(&["u.toml", "--set", "plan.method=aligned"]);
    assert_eq!(set["data"], sim(&["s.toml"])["data"]);
    for (words, wrong) in [
        (["sim", "u.toml", "--set", "plan.nonsense=1"], "plan.nonsense"),
        (
            ["sim", "u.toml", "--set", "server=[1]"],
            "found a key that only plans heed",
        ),
    ] {
        let told = refused_with(2, &words, directory.path());
        assert!(told.contains(wrong), "{told}");
    }
}

#[test]
fn what_stands_in_the_way_is_told() {
    let impossible = SCENARIO.replace("wcet = \"2 ms\"", "wcet = \"28 ms\"");
    let directory = directory_with(&[("s.toml", SCENARIO), ("full.toml", &impossible)]);
    for verb in ["check", "sim"] {
        let told = refused_with(1, &[verb, "full.toml"], directory.path());
        assert!(told.contains("both: there is no plan by aligned"), "{told}");
    }
    stdout(&["plan", "s.toml", "--out", "p.json"], directory.path());
    for verb in ["check", "sim"] {
        let told = refused_with(2, &[verb, "p.json", "--set", "plan.method=crs"], directory.path());
        assert!(told.contains("found a change to a plan"), "{told}");
    }
    let told = refused_with(2, &["sim", "s.toml", "s.toml"], directory.path());
    assert!(told.contains("found a second scenario of the name \"both\""), "{told}");
}

#[test]
fn plans_and_scenarios_are_simulated_together() {
    let crs = SCENARIO.replace("\"both\"", "\"served\"").replace("aligned", "crs");
    let plain = unplanned().replace("\"both\"", "\"plain\"");
    let directory = directory_with(&[("s.toml", SCENARIO), ("c.toml", &crs), ("u.toml", &plain)]);
    let path = directory.path();
    stdout(&["plan", "c.toml", "--out", "c.json"], path);
    let files = ["s.toml", "u.toml", "c.json"];
    let words = [
        &["sim"],
        &files[..],
        &["--horizon", "64 ms", "--json", "--out", "all", "--csv", "csv"],
    ];
    let together = json(&words.concat(), path);
    let results = together["data"]["scenarios"].as_array().expect("results");
    assert_eq!(results.len(), files.len());
    for (file, result) in files.iter().zip(results) {
        let horizon: &[&str] = if *file == "u.toml" {
            &[]
        } else {
            &["--horizon", "64 ms"]
        };
        // A report has a timeline of a scenario, too.
        let alone = json(&[&["sim", file, "--json", "--out", "alone"], horizon].concat(), path);
        assert_eq!(&alone["data"]["scenarios"][0], result, "{file}");
    }
    let inputs = together["provenance"]["inputs"].as_array().expect("inputs");
    let named: Vec<&str> = inputs.iter().filter_map(|input| input["name"].as_str()).collect();
    assert_eq!(named, files);
    let page = std::fs::read_to_string(path.join("all/index.html")).expect("a page");
    for heading in [
        "<h1>Simulated: both, plain and served</h1>",
        "What is promised: both",
        "Why this plan: served",
    ] {
        assert!(page.contains(heading), "{heading}");
    }
    assert!(!page.contains("What is promised: plain"));
    let tasks = std::fs::read_to_string(path.join("csv/observations.csv")).expect("a table");
    for name in ["both", "plain", "served"] {
        let starts = |line: &str| line.split(',').any(|cell| cell == name);
        assert!(tasks.lines().any(starts), "{name}: {tasks}");
    }
    // A promise that is not kept is told by the status, whatever else was run: this job takes longer than its WCET.
    let planned = std::fs::read_to_string(path.join("c.json")).expect("a plan");
    let late = planned.replace("samples = 500", "samples = 100000");
    assert_ne!(late, planned);
    std::fs::write(path.join("late.json"), late).expect("written");
    let late = fresco(&["sim", "late.json", "s.toml", "--horizon", "64 ms"], path);
    assert_eq!(late.status.code(), Some(1));
}

#[test]
fn a_report_stays_in_its_directory_whatever_a_plan_is_called() {
    let directory = directory_with(&[("s.toml", SCENARIO)]);
    let path = directory.path();
    stdout(&["plan", "s.toml", "--out", "p.json"], path);
    let planned = std::fs::read_to_string(path.join("p.json")).expect("a plan");
    let long = "x".repeat(300);
    for name in ["../evil", "/tmp/evil", "a/b", &long] {
        let named = planned.replace("\"name\": \"both\"", &format!("\"name\": \"{name}\""));
        assert_ne!(named, planned);
        std::fs::write(path.join("named.json"), named).expect("written");
        let words = ["sim", "named.json", "--horizon", "64 ms", "--out", "report"];
        assert_eq!(fresco(&words, path).status.code(), Some(0), "{name}");
        let names: Vec<String> = std::fs::read_dir(path)
            .expect("readable")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        assert!(names.iter().all(|name| !name.contains("evil")), "{names:?}");
        assert!(path.join("report/index.html").exists());
    }
}

#[test]
fn a_fault_in_one_plan_names_its_file_and_costs_no_other() {
    let directory = directory_with(&[
        ("s.toml", SCENARIO),
        ("u.toml", &unplanned().replace("\"both\"", "\"plain\"")),
    ]);
    let path = directory.path();
    stdout(&["plan", "s.toml", "--out", "p.json"], path);
    let planned = std::fs::read_to_string(path.join("p.json")).expect("a plan");
    let spoilt = planned.replace("samples = 500", "samples = 0");
    assert_ne!(spoilt, planned);
    std::fs::write(path.join("p.json"), spoilt).expect("written");
    let output = fresco(&["sim", "p.json", "u.toml", "--json"], path);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.starts_with("fresco: p.json: "), "{told}");
    let results: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the other's results");
    assert_eq!(results["data"]["scenarios"][0]["scenario"], "plain");
}

#[test]
fn a_plan_that_check_refuses_keeps_not_all_promises_in_a_simulation() {
    let directory = directory_with(&[("s.toml", SCENARIO)]);
    let path = directory.path();
    stdout(&["plan", "s.toml", "--out", "p.json"], path);
    let planned = std::fs::read_to_string(path.join("p.json")).expect("a plan");
    // Nothing of it shows in a run: the program takes as long as before.
    let unsound = planned.replace("\"wcet_ns\": 1000000", "\"wcet_ns\": 7999999");
    assert_ne!(unsound, planned);
    std::fs::write(path.join("p.json"), unsound).expect("written");
    let sim = ["sim", "p.json", "--horizon", "128 ms"];
    let told = String::from_utf8_lossy(&fresco(&["check", "p.json"], path).stdout).into_owned();
    assert!(told.contains("violated"), "{told}");
    let output = fresco(&sim, path);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("`fresco check` refuses it"), "{text}");
    assert!(!text.contains("All "), "{text}");
}
