// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco attack` on reads: nothing that it finds is longer than the bound; what is kept is played once more, or refused.

use crate::bound::PAIR;
use crate::common::{directory_with, fresco, json, refused, stdout};
use crate::json_reference;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The complaint about the attacks in `worst.json` after a change.
pub fn complaint(here: &Path, scenario: &str, change: impl FnOnce(&mut Value)) -> String {
    let text = fs::read_to_string(here.join("worst.json")).expect("it was written");
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    change(&mut file);
    fs::write(here.join("other.json"), file.to_string()).expect("writable");
    refused(&["attack", scenario, "--replay", "other.json"], here)
}

#[test]
fn attacks_are_found_kept_and_replayed() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    let search = ["attack", "pair.toml", "--tries", "64", "--cycles", "4000"];
    let with = |more: &[&'static str]| [&search[..], more].concat();
    let document = json(&with(&["--json", "--out", "worst.json"]), here);
    json_reference::check(&document, &[]);
    let attacked = &document["data"]["tasks"][0];
    let (observed, bound) = (attacked["observed_ps"].as_u64(), attacked["bound_ps"].as_u64());
    assert!(observed > Some(0) && observed <= bound, "{attacked}");
    assert_eq!(
        document["data"],
        json(&with(&["--json"]), here)["data"],
        "the same seed finds the same"
    );
    let replayed = stdout(&["attack", "pair.toml", "--replay", "worst.json"], here);
    let cycles = &attacked["worst"]["cycles"];
    assert!(
        replayed.contains(&format!("takes {cycles} cycles")) && replayed.contains("RD"),
        "{replayed}"
    );
    let output = fresco(
        &[
            "attack",
            "pair.toml",
            "--replay",
            "worst.json",
            "--set",
            "memory.controller.page=closed",
        ],
        here,
    );
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("something else has changed"), "{told}");
    assert_eq!(output.status.code(), Some(1), "it is no replay");
    let complaint = refused(&["attack", "pair.toml", "--task", "nobody"], here);
    assert!(complaint.contains("chase, reader"), "{complaint}");
    let complaint = refused(&["attack", "first"], here);
    assert!(complaint.contains("found a sweep over banks, corunners"), "{complaint}");
}

/// Only what attackers do is taken from a file: all else has to be as the scenario has it.
#[test]
fn a_file_that_does_not_fit_is_refused_by_place() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    stdout(
        &[
            "attack",
            "pair.toml",
            "--tries",
            "32",
            "--cycles",
            "2000",
            "--out",
            "worst.json",
        ],
        here,
    );
    let is_told = |change: &dyn Fn(&mut Value), words: &[&str]| {
        let complaint = complaint(here, "pair.toml", change);
        for word in words {
            assert!(complaint.contains(word), "{word}: {complaint}");
        }
        for rust in ["struct ", "enum ", "u32", "u64", "u16", "usize", "variant"] {
            assert!(!complaint.contains(rust), "{rust}: {complaint}");
        }
    };
    let of_task = |field: &str, value: Value, words: &[&str]| {
        is_told(&|file| file["data"]["tasks"][0][field] = value.clone(), words);
    };
    of_task(
        "node",
        json!(1),
        &["data.tasks[0].node", "found 1", "0, which the scenario has there"],
    );
    of_task("channel", json!(2), &["data.tasks[0].channel", "found 2", "0, which"]);
    of_task("victim", json!(1), &["data.tasks[0].victim", "found 1", "0, which"]);
    of_task(
        "name",
        json!("nobody"),
        &["data.tasks[0].name", "no task \"nobody\"", "chase, reader"],
    );
    of_task(
        "more",
        json!(1),
        &["data.tasks[0].more", "an unknown field", "attackers, bound"],
    );
    of_task(
        "victim",
        json!("first"),
        &["data.tasks[0].victim", "found \"first\"", "a whole number"],
    );
    of_task(
        "tries",
        Value::Null,
        &["data.tasks[0].tries", "found null", "a whole number"],
    );
    let at = |pointer: &'static str, value: Value| {
        move |file: &mut Value| *file.pointer_mut(pointer).expect("it is there") = value.clone()
    };
    is_told(
        &at("/data/tasks/0/attackers/1/banks", json!([0])),
        &[
            "data.tasks[0].attackers[1].banks",
            "found [0]",
            "[2,3], which the scenario has there",
        ],
    );
    is_told(
        &at("/data/tasks/0/attackers", json!([])),
        &["data.tasks[0].attackers", "0 of them", "2 of them"],
    );
    is_told(
        &at("/data/scenario", json!("other")),
        &["data.scenario", "\"other\"", "\"pair\""],
    );
    is_told(&at("/data/tasks", json!([])), &["data.tasks", "an attack on no task"]);
    is_told(
        &|file| {
            let tasks = file["data"]["tasks"].as_array_mut().expect("a list");
            tasks.push(tasks[0].clone());
        },
        &["data.tasks[1].name", "\"chase\" once more", "each task once"],
    );
    is_told(
        &at("/data/tasks/0/attack/round", json!(0)),
        &["attack.round", "found 0", "1 or more"],
    );
    is_told(
        &at("/data/tasks/0/search/cycles", json!(1)),
        &["search.cycles", "found 1", "100 to 100000000"],
    );
    is_told(
        &at("/data/tasks/0/attack/cores", json!([])),
        &["attack.cores", "0 cores", "2: one for each"],
    );
    let phases = json!([{ "phases": [] }, { "phases": [] }]);
    is_told(
        &at("/data/tasks/0/attack/cores", phases),
        &["attack.cores[0].phases", "none", "one or more"],
    );
    is_told(
        &at("/schema", json!("fresco-plan/1")),
        &["schema", "fresco-attack/2, fresco-attack-work/1"],
    );
    is_told(
        &|file| file["more"] = json!(1),
        &["more", "an unknown field", "schema, provenance, data"],
    );
    let complaint = refused(&["attack", "pair.toml", "--replay", "pair.toml"], here);
    assert!(complaint.contains("found no JSON"), "{complaint}");
    let text = std::fs::read_to_string(here.join("worst.json")).expect("it is there");
    let twice = text.replacen("\"round\":", "\"round\": 5, \"round\":", 1);
    std::fs::write(here.join("twice.json"), twice).expect("it can be written");
    let complaint = refused(&["attack", "pair.toml", "--replay", "twice.json"], here);
    assert!(complaint.contains("round stands twice in one object"), "{complaint}");
}
