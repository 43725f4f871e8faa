// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--on MACHINE`: programs side by side without a scenario's file, for `fresco sim` and `fresco advise`.

use crate::common::{directory_with, fresco, json, refused_with, stdout};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// Short, for the tests.
const SHORT: [&str; 4] = ["--set", "measure.operations=3000", "--set", "warm_up.operations=1000"];

/// Loads of lines that lie apart, from `first` on, in the text format of Ramulator 2.
fn trace(first: u64) -> String {
    (0..4000u64).fold(String::new(), |mut text, number| {
        _ = writeln!(text, "LD 0x{:x}", first + (number * 4099) % 65536 * 64);
        text
    })
}

fn prepared() -> tempfile::TempDir {
    directory_with(&[("victim.trace", &trace(0)), ("noise.trace", &trace(1 << 30))])
}

/// The results of a comparison, which has one scenario.
fn compared(words: &[&str], here: &Path) -> Value {
    json(&[words, &SHORT, &["--json"]].concat(), here)["data"]["scenarios"][0].take()
}

#[test]
fn programs_are_compared_without_a_scenario() {
    let directory = prepared();
    let here = directory.path();
    let words = [
        "sim",
        "--on",
        "xeon-w3530",
        "victim.trace",
        "--beside",
        "noise.trace,2",
        "--beside",
        "bandwidth",
        "--policies",
        "buddy,palloc,bpm",
    ];
    let result = compared(&words, here);
    let axes = result["axes"].as_array().expect("axes");
    let values = |axis: usize| axes[axis]["values"].as_array().expect("values").len();
    assert_eq!((axes.len(), values(0), values(1)), (2, 3, 2));
    let of = |policy: &str, corunners: &str| {
        let points = result["points"].as_array().expect("points");
        let point = points
            .iter()
            .find(|point| point["values"][0] == policy && point["values"][1] == corunners);
        point.expect("a point")["tasks"].as_array().expect("tasks").clone()
    };
    let names = |tasks: &[Value]| tasks.iter().map(|task| task["name"].to_string()).collect::<Vec<_>>();
    let all = of("buddy", "3");
    assert_eq!(
        names(&all),
        ["\"victim\"", "\"noise.0\"", "\"noise.1\"", "\"bandwidth\""]
    );
    let slowdown = of("bpm", "3")[0]["slowdown"]["mean"].as_f64().expect("a number");
    assert!(slowdown > 1.0, "{slowdown}");
    // Each of the four has a fourth of the banks.
    let points = result["points"].as_array().expect("points");
    let banks = |point: usize| {
        let tasks = points[point]["runs"][0]["tasks"].as_array().expect("tasks");
        tasks.iter().map(|task| task["banks"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(banks(3), ["\"0-3\"", "\"4-7\"", "\"8-11\"", "\"12-15\""]);
    assert_eq!(banks(1), ["\"none\""; 4]);
    assert_eq!(of("buddy", "0").len(), 1);
}

#[test]
fn what_is_printed_is_what_is_run() {
    let directory = prepared();
    let here = directory.path();
    let words = [
        "sim",
        "--on",
        "xeon-w3530",
        "victim.trace",
        "--beside",
        "noise.trace,3",
        "--policies",
        "palloc+memguard,camc",
    ];
    let text = stdout(&[&words[..], &["--print-scenario"]].concat(), here);
    std::fs::write(here.join("printed.toml"), text).expect("written");
    assert_eq!(compared(&["sim", "printed.toml"], here), compared(&words, here));
}

#[test]
fn what_is_set_is_in_what_is_printed() {
    let directory = prepared();
    let here = directory.path();
    let words = [
        "sim",
        "--on",
        "xeon-w3530",
        "victim.trace",
        "--beside",
        "noise.trace,2",
        "--policies",
        "buddy,camc",
        "--seed",
        "7",
        "--set",
        "task.noise.parameters.thread=0",
    ];
    let text = stdout(&[&words[..], &SHORT, &["--print-scenario"]].concat(), here);
    for line in [
        "seed = 7",
        "parameters.thread = 0",
        "operations = 3000",
        "operations = 1000",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}: {text}");
    }
    std::fs::write(here.join("printed.toml"), text).expect("written");
    let printed = json(&["sim", "printed.toml", "--json"], here)["data"]["scenarios"][0].take();
    assert_eq!(printed, compared(&words, here));
    for (more, told) in [
        (["--set", "task.nobody.core=1"], "found the task \"nobody\""),
        (["--set", "seed=8"], "found a second value, beside --seed"),
    ] {
        let said = refused_with(2, &[&words[..], &more, &["--print-scenario"]].concat(), here);
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn programs_are_advised_without_a_scenario() {
    let directory = prepared();
    let words = [
        "advise",
        "--on",
        "xeon-w3530",
        "victim.trace",
        "--beside",
        "noise.trace,3",
        "--max-slowdown",
        "1000",
    ];
    let advice = json(&[&words[..], &SHORT, &["--json"]].concat(), directory.path());
    let tried = advice["data"]["tried"].as_array().expect("what was tried");
    assert!(!tried.is_empty());
    assert_eq!(advice["provenance"]["scenario"]["name"], "the scenario of --on");
}

#[test]
fn wrong_words_are_told() {
    let directory = prepared();
    let here = directory.path();
    for (words, told) in [
        (
            &["sim", "--on", "xeon", "latency"][..],
            "found no built-in machine of this name",
        ),
        (&["sim", "--on", "xeon-w3530", "nothing.trace"], "nothing.trace"),
        (
            &["sim", "--on", "xeon-w3530", "latency", "--beside", "latency,4"],
            "found programs for 5 cores",
        ),
        (
            &["sim", "--on", "xeon-w3530", "latency", "--policies", "buddy,buddie"],
            "did you mean buddy?",
        ),
        (
            &["sim", "--on", "xeon-w3530", "latency", "--policies", "buddy,buddy"],
            "buddy",
        ),
        (
            &["sim", "--on", "xeon-w3530", "latency", "--horizon", "1 ms"],
            "--horizon: found it with --on",
        ),
        (
            &["sim", "--on", "xeon-w3530", "latency", "--set", "machine=i7-860"],
            "found a second value, beside --on",
        ),
        (
            &["sim", "--on", "xeon-w3530", "-"],
            "found standard input, which can be read only once",
        ),
        (&["sim", "first", "--policies", "buddy"], "--on"),
        (&["advise", "first", "latency"], "latency: found it beside first"),
        (&["advise", "--on", "xeon-w3530", "latencies"], "did you mean latency?"),
    ] {
        let said = refused_with(2, words, here);
        assert!(said.contains(told), "{words:?}: {said}");
    }
}

#[test]
fn a_policy_that_is_not_for_the_machine_is_left_out() {
    let directory = prepared();
    let here = directory.path();
    // The Xeon has one channel, which BPM+ cannot divide.
    let on = |policies: &str| {
        let words = [
            "sim",
            "--on",
            "xeon-w3530",
            "victim.trace",
            "--policies",
            policies,
            "--print-scenario",
        ];
        fresco(&words, here)
    };
    let output = on("buddy,bpm+,palloc");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.starts_with("fresco: bpm+ is left out: "), "{told}");
    assert_eq!(output.stdout, on("buddy,palloc").stdout);
    assert_eq!(on("buddy,bpm+").status.code(), Some(2), "nothing is left to compare");
    assert_eq!(
        on("bpm+,buddy").status.code(),
        Some(2),
        "what the others are compared with"
    );
}
