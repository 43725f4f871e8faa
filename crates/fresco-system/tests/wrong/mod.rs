// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong scenarios: every message names file, line, field, what was found, what is allowed, and the help.
//!
//! The messages are in `data/wrong.golden`. After a wanted change: `FRESCO_BLESS=1 cargo test -p fresco-system --test all wrong`.

mod cases;

use crate::common::data;
use cases::{CASES, Case, GOOD};
use fresco_system::{Scenario, run};
use fresco_testing::Once;
use std::fmt::Write;

fn text_of(case: &Case) -> String {
    let mut text = GOOD.to_owned();
    for (from, to) in case.1 {
        assert_eq!(
            text.matches(from).count(),
            1,
            "{}: {from:?} stands once in the scenario",
            case.0
        );
        text = text.replace(from, to);
    }
    text
}

fn parse(text: &str, overrides: &[&str]) -> Result<Scenario, fresco_input::InputError> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Scenario::parse("wrong.toml", text, data(), &overrides)
}

/// Messages name files by their path; the golden file knows no directory.
fn message(error: &fresco_input::InputError) -> String {
    error.to_string().replace(&format!("{}/", data().display()), "")
}

#[test]
fn every_fault_is_told_with_place_and_cure() {
    parse(GOOD, &[]).unwrap_or_else(|error| panic!("{error}"));
    let (mut messages, mut once) = (String::new(), Once::default());
    for case in CASES {
        let error = parse(&text_of(case), &[])
            .err()
            .unwrap_or_else(|| panic!("{}: is accepted", case.0));
        let told = once.told(case.0, &message(&error));
        writeln!(messages, "== {}\n{told}", case.0).expect("a String takes everything");
        assert!(!error.help.is_empty(), "{}: {error}", case.0);
    }
    let overrides: &[&[&str]] = &[
        &["corunners=1"],
        &["task.gf.core=1"],
        &["task.fg.core=9"],
        &["variant.dif.set.task.fg.banks=1"],
        &["variant.2.set.task.fg.banks=1"],
        &["variant.diff.set.task.fg.banks=99"],
        &["variant.diff.name=same"],
        &["variant=1"],
        &["measure.passes"],
        &["task.fg.parameters.bytes=[1"],
    ];
    for set in overrides {
        let error = parse(GOOD, set).err().unwrap_or_else(|| panic!("{set:?} is accepted"));
        let name = format!("--set {}", set[0]);
        let told = once.told(&name, &message(&error));
        writeln!(messages, "== {name}\n{told}").expect("a String takes everything");
    }
    let golden = data().join("wrong.golden");
    if std::env::var_os("FRESCO_BLESS").is_some() {
        std::fs::write(&golden, &messages).expect("the golden file is writable");
    }
    let expected = std::fs::read_to_string(&golden).expect("the golden file is there");
    assert_eq!(messages, expected, "FRESCO_BLESS=1 accepts the new messages");
}

/// What loading cannot foresee is an error of the run, at the task's line: here the boot leaves too little memory.
#[test]
fn colors_that_run_out_in_the_middle_are_told() {
    let text = GOOD
        .replace(
            "frames = \"palloc\"",
            "frames = \"palloc\"\nboot = \"aged\"\noccupied = 0.9",
        )
        .replace("256 KiB", "1 MiB");
    let scenario = parse(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let error = run(&scenario.runs()[0]).expect_err("a tenth of 2 MiB is too little");
    let told = error.to_string();
    assert!(
        told.starts_with("wrong.toml:29: task.fg: found no page frame: fg has used up"),
        "{told}"
    );
    assert!(told.contains("more colors or less data"), "{told}");
}

/// No change of a single line makes anything panic.
#[test]
fn damaged_scenarios_do_not_panic() {
    let lines: Vec<&str> = GOOD.lines().collect();
    for left_out in 0..lines.len() {
        for instead in [
            "",
            "x = 1",
            "[",
            "= 3",
            "name = 18446744073709551616",
            "set = 1",
            "parameters = 3",
            "cores = -1",
        ] {
            let mut damaged = lines.clone();
            damaged[left_out] = instead;
            let _ = parse(&damaged.join("\n"), &[]);
        }
    }
}
