// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sched` as a user runs it.

use crate::common::{fresco, json, refused, stdout};
use std::fs;

const EXECUTIVES: &str = include_str!("../../fresco-rt/tests/data/executive_examples.json");
const EXAMPLES: &str = include_str!("../../fresco-rt/tests/data/worked_examples.json");
const SERVERS: &str = include_str!("../../fresco-rt/tests/data/crs_2.json");

#[test]
fn recorded_answers_are_recomputed() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("executives.json"), EXECUTIVES).unwrap();
    fs::write(directory.path().join("servers.json"), SERVERS).unwrap();
    let both = ["sched", "oracle", "executives.json", "servers.json"];
    assert_eq!(stdout(&both, directory.path()), "183 records, 0 differences\n");
    let document = json(&[both.as_slice(), &["--json"]].concat(), directory.path());
    assert_eq!(document["schema"], "fresco-sched-oracle/1");
    assert_eq!(document["data"]["records"], 183);
    assert_eq!(document["provenance"]["inputs"][1]["name"], "servers.json");
}

#[test]
fn worked_examples_are_recomputed_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(directory.path().join("worked.json"), text).unwrap();
    write(EXAMPLES);
    let oracle = ["sched", "oracle", "worked.json"];
    assert_eq!(stdout(&oracle, directory.path()), "13 records, 0 differences\n");
    write(&EXAMPLES.replace("\"sim\":{\"idle\":18}", "\"sim\":{\"idle\":17}"));
    let done = fresco(&oracle, directory.path());
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(done.stdout).unwrap(),
        "worked.json: counterexamples.anomaly_idle_delta1: sim.idle: expected 17, found 18\n\
         13 records, 1 differences\n"
    );
}

#[test]
fn a_wrong_answer_is_printed_and_gives_status_1() {
    let directory = tempfile::tempdir().unwrap();
    let text = EXECUTIVES.replace("\"two_instances\":\"infeasible\"", "\"two_instances\":\"feasible\"");
    fs::write(directory.path().join("wrong.json"), text).unwrap();
    let done = fresco(&["sched", "oracle", "wrong.json"], directory.path());
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(done.stdout).unwrap(),
        "wrong.json: example1: cands[0].two_instances: expected \"feasible\", found \"infeasible\"\n\
         3 records, 1 differences\n"
    );
}

#[test]
fn files_that_hold_no_records_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for (text, complaint) in [
        ("[{]", "a.json:1: found no JSON"),
        ("[]", "found neither a list of records nor a record"),
        ("7", "found neither a list of records nor a record"),
        (
            "[{\"id\": \"x\"}]",
            "a.json: record 1 (x): found a record of no known kind",
        ),
        ("[{\"id\": \"x\", \"W1\": 3, \"W2\": []}]", "record 1 (x): "),
        ("[{\"id\": \"x\", \"cands\": [], \"tasks\": []}]", "record 1 (x): "),
        (
            "[{\"id\": \"x\", \"cands\": []}, {\"id\": \"x\", \"cands\": []}]",
            "record 2: id: found \"x\" again, as record 1 has it",
        ),
        (
            "{\"cands\": [], \"tasks\": [{\"id\": 1, \"phi\": 0, \"p\": 5, \"e\": 1, \"D\": 5, \"C\": 1}]}",
            "record 1: tasks[0].C: found the key \"C\"; a task has id, phi, p, e, D, mem",
        ),
        (
            "{\"cands\": [], \"tasks\": [{\"id\": 1, \"phi\": -3, \"p\": 5, \"e\": 1, \"D\": 5}]}",
            "record 1: tasks[0].phi: found -3; a whole number from 0",
        ),
        (
            "{\"x\": {\"y\": 3}}",
            "a.json: x: found a worked example of no known kind",
        ),
    ] {
        fs::write(directory.path().join("a.json"), text).unwrap();
        let found = refused(&["sched", "oracle", "a.json"], directory.path());
        assert!(found.contains(complaint), "{text}: {found}");
        assert!(found.contains("help: "), "{text}: {found}");
    }
}

const DRAWN: [&str; 6] = ["sched", "generate", "--sets", "2", "--utilization", "0.6:0.8:0.2"];

#[test]
fn drawn_sets_are_files_of_tasks() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let text = stdout(
        &[DRAWN.as_slice(), &["--out", "sets", "--phases", "random"]].concat(),
        here,
    );
    assert!(
        text.starts_with("4 task sets\n") && text.contains("u0.8-00001"),
        "{text}"
    );
    let mut names: Vec<String> = fs::read_dir(here.join("sets"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "u0.6-00000.toml",
            "u0.6-00001.toml",
            "u0.8-00000.toml",
            "u0.8-00001.toml"
        ]
    );
    let file = fs::read_to_string(here.join("sets/u0.8-00001.toml")).unwrap();
    assert!(
        file.contains("name = \"u0.8-00001\"\n\n[[task]]\nname = \"t0\"\nperiod = \""),
        "{file}"
    );
    assert_eq!(file.matches("[[task]]").count(), 6);
    // The planner reads them.
    let set = fresco_plan::TaskSet::load(here.join("sets/u0.8-00001.toml"), &[]).unwrap();
    let document = json(&[DRAWN.as_slice(), &["--phases", "random", "--json"]].concat(), here);
    let drawn = &document["data"]["sets"][3];
    assert_eq!(drawn["name"], set.name);
    for (task, drawn) in set.timing().iter().zip(drawn["tasks"].as_array().unwrap()) {
        assert_eq!(drawn["period_ns"], task.period);
        assert_eq!(drawn["wcet_ns"], task.wcet);
        assert_eq!(drawn["deadline_ns"], task.deadline);
        assert_eq!(drawn["phase_ns"], task.phase);
    }
}

#[test]
fn acceptance_is_the_same_with_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let ask = ["--accept", "auto-refresh,table,aligned", "--density", "8", "--json"];
    let ask = [DRAWN.as_slice(), &ask].concat();
    let one = stdout(&[ask.as_slice(), &["--threads", "1"]].concat(), here);
    assert_eq!(one, stdout(&[ask.as_slice(), &["--threads", "3"]].concat(), here));
    let document: serde_json::Value = serde_json::from_str(&one).unwrap();
    let points = document["data"]["acceptance"].as_array().unwrap();
    assert_eq!(points.len(), 3 * 2);
    assert!(
        points
            .iter()
            .all(|point| point["sets"] == 2 && point["density_gbit"] == 8)
    );
    assert_eq!(points[4]["method"], "aligned");
    assert_eq!(points[4]["accepted"], 2);
}

#[test]
fn acceptance_is_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let ask = [DRAWN.as_slice(), &["--accept", "auto-refresh,aligned"]].concat();
    let text = stdout(
        &[ask.as_slice(), &["--density", "8,64", "--report", "out"]].concat(),
        here,
    );
    assert!(
        text.contains("64 Gb: fraction accepted of 2 sets") && text.contains("1.00 (2)"),
        "{text}"
    );
    assert!(text.ends_with("report   out/index.html\n"), "{text}");
    for name in ["index.html", "results.json", "accepted-8gb.svg", "accepted-64gb.svg"] {
        assert!(here.join("out").join(name).is_file(), "{name}");
    }
    stdout(
        &[ask.as_slice(), &["--density", "8", "--svg", "one.svg"]].concat(),
        here,
    );
    let figure = fs::read_to_string(here.join("one.svg")).unwrap();
    assert!(figure.contains("fraction accepted") && figure.contains("aligned") && figure.contains("sched generate"));
}

#[test]
fn impossible_sets_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    for (options, complaint) in [
        ("--utilization 2:1:0.1", "--utilization: found \"2:1:0.1\""),
        (
            "--utilization 7",
            "found a utilization of 7; with these bounds, tasks add up to 0 at least and 6 at most",
        ),
        ("--bounds 0.5:0.2", "--bounds: found \"0.5:0.2\""),
        ("--periods log:9ms:1ms", "--periods: found \"log:9ms:1ms\""),
        ("--periods 8", "--periods: found"),
        ("--method bini", "--method: found \"bini\""),
        ("--accept best", "--accept: found \"best\""),
        ("--accept flat --density 3", "--density: found \"3\""),
        ("--accept flat --svg a.svg", "--svg: found 7 densities for one figure"),
        ("--sets 0", "--sets: found \"0\""),
    ] {
        let words: Vec<&str> = ["sched", "generate"].into_iter().chain(options.split(' ')).collect();
        let found = refused(&words, here);
        assert!(found.contains(complaint), "{options}: {found}");
        assert!(found.contains("help: "), "{options}: {found}");
    }
    fs::write(here.join("file"), "").unwrap();
    let found = refused(&["sched", "generate", "--out", "file"], here);
    assert!(found.contains("--out"), "{found}");
    let found = refused(&["sched", "generate", "--accept", "flat", "--report", "file"], here);
    assert!(found.contains("--report: found a file"), "{found}");
    assert!(!here.join("a.svg").exists());
}
