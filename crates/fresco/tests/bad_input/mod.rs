// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong command lines, machines, maps, traces and scenarios, given to the program itself: each is refused with status
//! 2, or 3 where data do not fit, and a message that names the place and a help; nothing panics, prints half a result, or leaves a file behind.
//!
//! The messages are in `*.golden`. After a wanted change of words: `FRESCO_BLESS=1 cargo test -p fresco --test all bad_input`,
//! and read the difference.

mod bench;
mod case;
mod command_lines;
mod conversions;
mod detect;
mod exchange;
mod machines;
mod maps;
mod overwriting;
mod plans;
mod records;
mod scenarios;
mod traces;
mod written_plans;

use crate::common::files::TASKS;
use case::Case;
use fresco_testing::Once;
use std::path::PathBuf;

/// Runs the cases, at least `least` of them, and compares their messages with the golden file.
fn check(group: &str, least: usize, cases: &[Case]) {
    assert!(cases.len() >= least, "{} cases of {group}", cases.len());
    let mut once = Once::default();
    let (records, faults): (Vec<String>, Vec<Vec<String>>) = cases.iter().map(|case| case.run(&mut once)).unzip();
    let faults = faults.concat();
    assert!(
        faults.is_empty(),
        "{} refusals are not as they must be:\n{}",
        faults.len(),
        faults.join("\n")
    );
    let messages = records.concat();
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/bad_input/{group}.golden"));
    if std::env::var_os("FRESCO_BLESS").is_some() {
        std::fs::write(&golden, &messages).expect("the golden file is writable");
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    // One message at a time, so that a failure shows what changed and not everything.
    let (mut found, mut wanted) = (messages.split("== "), expected.split("== "));
    loop {
        let pair = (found.next(), wanted.next());
        assert_eq!(pair.0, pair.1, "FRESCO_BLESS=1 accepts the new messages");
        if pair.0.is_none() {
            return;
        }
    }
}

#[test]
fn wrong_conversions_of_traces() {
    check("conversions", 25, &conversions::cases());
}

#[test]
fn wrong_command_lines() {
    check("command_lines", 30, &command_lines::cases());
}

#[test]
fn wrong_benchmarks() {
    check("bench", 12, &bench::cases());
}

#[test]
fn wrong_detections() {
    check("detect", 20, &detect::cases());
}

#[test]
fn wrong_exchange() {
    check("exchange", 35, &exchange::cases());
}

#[test]
fn wrong_machines() {
    check("machines", 25, &machines::cases());
}

#[test]
fn wrong_maps() {
    check("maps", 20, &maps::cases());
}

#[test]
fn wrong_traces() {
    check("traces", 15, &traces::cases());
}

#[test]
fn wrong_scenarios() {
    check("scenarios", 25, &scenarios::cases());
}

#[test]
fn wrong_records() {
    check("records", 15, &records::cases());
}

#[test]
fn wrong_plans() {
    check("plans", 75, &plans::cases());
}

/// Tasks that no plan is found for are no wrong input: status 1 and the reason.
#[test]
fn a_set_without_a_plan() {
    let directory = tempfile::tempdir().expect("a directory");
    let tasks = TASKS.replace("wcet = \"2 ms\"", "wcet = \"28 ms\"");
    std::fs::write(directory.path().join("t.toml"), tasks).expect("is writable");
    for method in [
        "auto",
        "auto-refresh",
        "burst",
        "colored-refresh",
        "crs",
        "aligned",
        "flat",
    ] {
        let words = ["plan", "t.toml", "--method", method, "--out", "p.json"];
        let done = crate::common::fresco(&words, directory.path());
        let told = String::from_utf8(done.stderr).expect("UTF-8");
        assert_eq!(done.status.code(), Some(1), "{method}: {told}");
        assert!(told.starts_with("fresco: two: there is no plan"), "{told}");
        assert!(told.len() > 80, "no reason: {told}");
        assert!(
            done.stdout.is_empty() && !directory.path().join("p.json").exists(),
            "{method}"
        );
    }
}
