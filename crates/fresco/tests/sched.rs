// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sched` as a user runs it.

mod common;

use common::{fresco, json, refused, stdout};
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
        ("{\"x\": {\"y\": 3}}", "a.json: x: found a worked example of no known kind"),
    ] {
        fs::write(directory.path().join("a.json"), text).unwrap();
        let found = refused(&["sched", "oracle", "a.json"], directory.path());
        assert!(found.contains(complaint), "{text}: {found}");
        assert!(found.contains("cure: "), "{text}: {found}");
    }
}
