// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco programs` as a user has it, and claims judged with what it recorded.

use crate::common::{fresco, json, stdout};
use fresco_testing::{Need, skip};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Returns true, and tells that the test is skipped, where programs cannot be recorded.
fn cannot_record() -> bool {
    let plugin = Path::new(env!("CARGO_BIN_EXE_fresco")).with_file_name("libfresco_qemu_plugin.so");
    let there = |tool: &str, words: &[&str]| {
        Command::new(tool)
            .args(words)
            .output()
            .is_ok_and(|done| done.status.success())
    };
    let found = [
        ("qemu-x86_64", there("qemu-x86_64", &["--version"])),
        ("the plugin", plugin.is_file()),
        (
            "Debian's gcc for x86-64",
            cfg!(target_arch = "x86_64") && there("dpkg-query", &["-W", "gcc"]),
        ),
        ("Debian's perl and bzip2", there("dpkg-query", &["-W", "perl", "bzip2"])),
    ];
    let lacking: Vec<&str> = found
        .iter()
        .filter(|(_, there)| !there)
        .map(|(what, _)| *what)
        .collect();
    if !lacking.is_empty() {
        skip(Need::Recording, format!("not there: {}", lacking.join(", ")));
    }
    !lacking.is_empty()
}

#[test]
fn the_list_has_every_recipe_with_what_it_takes() {
    let directory = tempfile::tempdir().expect("a directory");
    let document = json(&["programs", "list", "--json"], directory.path());
    let lines = document["data"].as_array().expect("a list");
    assert!(lines.len() >= 16, "{}", lines.len());
    assert!(
        lines
            .iter()
            .all(|line| line["recorded"] == false && line["packages"][0].is_string())
    );
    let table = stdout(&["programs", "list"], directory.path());
    assert!(table.contains("470.lbm") && table.contains("recorded"), "{table}");
}

#[test]
fn what_is_wrong_is_told_before_anything_is_recorded() {
    let directory = tempfile::tempdir().expect("a directory");
    let wrong = |words: &[&str], told: &str| {
        let done = fresco(words, directory.path());
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(told), "{said}");
    };
    wrong(&["programs", "record", "steam"], "did you mean stream?");
    wrong(
        &["programs", "record", "stream", "--on", "xeon-w3531"],
        "did you mean \"xeon-w3530\"?",
    );
    wrong(
        &["reproduce", "palloc", "--programs", "."],
        "found no recording of a program",
    );
    assert!(!directory.path().join("out").exists());
}

/// Three small programs are recorded and replayed; the second time nothing is left to do.
#[test]
fn three_programs_are_recorded_measured_and_kept() {
    if cannot_record() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let record = |names: &[&str]| {
        json(
            &[&["programs", "record", "--quick", "--json", "--out", "g"][..], names].concat(),
            directory.path(),
        )
    };
    let document = record(&["stream", "sort", "bzip2"]);
    let programs = document["data"]["programs"].as_array().expect("a list");
    let of = |name: &str| -> &Value { programs.iter().find(|one| one["name"] == name).expect("recorded") };
    let misses = |name: &str| of(name)["measured"]["misses"].as_f64().expect("a number");
    // Arrays of 32 MB that are gone through miss a line in each eight of their words.
    assert!(
        misses("stream") > 20.0 && misses("bzip2") < misses("stream"),
        "{document}"
    );
    for program in programs {
        let instructions = program["instructions"].as_u64().expect("a number");
        // Threads that are in a block when another one comes to the end do not tell of it.
        let least = if program["threads"] == 1 { 2_000_000 } else { 1_999_000 };
        assert!((least..2_001_000).contains(&instructions), "{program}");
        assert!(
            program["packages"].as_object().is_some_and(|all| !all.is_empty()),
            "{program}"
        );
    }
    // On average: this part of bzip2 alone has more.
    let sum = |key: &str| -> u64 { programs.iter().map(|program| program[key].as_u64().expect(key)).sum() };
    assert!(sum("bytes") <= sum("loads") + sum("stores"), "{document}");
    let trace = directory.path().join("g/stream.ftrace");
    let before = std::fs::metadata(&trace).expect("there").modified().expect("a time");
    let again = record(&["stream"]);
    assert_eq!(
        again["data"], document["data"],
        "all that is recorded, and nothing anew"
    );
    assert_eq!(
        std::fs::metadata(&trace).expect("there").modified().expect("a time"),
        before
    );
    let list = stdout(&["programs", "list", "--out", "g"], directory.path());
    assert_eq!(
        list.lines().filter(|line| line.trim_end().ends_with("yes")).count(),
        3,
        "{list}"
    );
    // On another machine it is measured, not recorded.
    let elsewhere = json(
        &[
            "programs", "record", "--quick", "--json", "--out", "g", "--on", "i7-860", "stream",
        ],
        directory.path(),
    );
    let measured = elsewhere["data"]["programs"].as_array().expect("a list");
    let stream = measured.iter().find(|one| one["name"] == "stream").expect("there");
    assert_eq!(stream["measured"]["machine"], "i7-860");
    assert_eq!(
        std::fs::metadata(&trace).expect("there").modified().expect("a time"),
        before
    );
    // What is damaged is told, costs no other, and is recorded again.
    std::fs::write(directory.path().join("g/bzip2.json"), "{").expect("writable");
    std::fs::write(directory.path().join("g/sort.ftrace"), "another").expect("writable");
    let list = fresco(&["programs", "list", "--out", "g"], directory.path());
    let said = String::from_utf8_lossy(&list.stderr).into_owned();
    assert!(
        said.contains("bzip2 counts as not recorded") && said.contains("sort counts as not recorded"),
        "{said}"
    );
    let mended = record(&["bzip2"]);
    let names = mended["data"]["programs"].as_array().expect("a list").iter();
    assert_eq!(names.map(|one| &one["name"]).collect::<Vec<_>>(), ["bzip2", "stream"]);
}
