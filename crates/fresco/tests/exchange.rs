// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco export` and `fresco sched import` as a user runs them.

use crate::common::files::TASKS;
use crate::common::{fresco, json, refused, stdout};
use std::fs;

#[test]
fn a_file_says_what_it_was_made_of() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("t.toml"), TASKS).unwrap();
    let plan = json(&["plan", "t.toml", "--out", "plan.json", "--json"], here);
    let text = stdout(&["export", "plan.json", "--to", "csv"], here);
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
    assert!(head[0].starts_with("# Fresco ") && head[0].ends_with(": csv"), "{text}");
    assert!(head[1].starts_with("# from plan.json, digest "), "{text}");
    assert_eq!(head[2], "# by fresco export plan.json --to csv");
    assert_eq!(
        text.lines().count(),
        head.len() + 1 + plan["data"]["tasks"].as_array().unwrap().len()
    );
    // The same command, the same bytes; a file and standard output alike, but for the command.
    assert_eq!(stdout(&["export", "plan.json", "--to", "csv"], here), text);
    stdout(&["export", "plan.json", "--to", "csv", "--out", "t.csv"], here);
    let written = fs::read_to_string(here.join("t.csv")).unwrap();
    assert_eq!(written.replace(" --out t.csv", ""), text);
}

#[test]
fn what_is_lost_is_an_error_or_told_twice() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("t.toml"), TASKS).unwrap();
    let complaint = refused(&["export", "t.toml", "--to", "sched-deadline", "--out", "a.sh"], here);
    assert!(
        complaint.contains("found what sched-deadline cannot say: that the schedule is slots"),
        "{complaint}"
    );
    assert!(!here.join("a.sh").exists());
    let done = fresco(
        &["export", "t.toml", "--to", "sched-deadline", "--lossy", "--out", "a.sh"],
        here,
    );
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(
        done.status.success() && told.starts_with("fresco: t.toml: lost: that the schedule is slots"),
        "{told}"
    );
    let script = fs::read_to_string(here.join("a.sh")).unwrap();
    assert!(
        script.starts_with("#!/bin/sh\n") && script.contains("\n# lost: that the schedule is slots"),
        "{script}"
    );
}

#[test]
fn tables_of_c_come_with_their_header() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::write(here.join("t.toml"), TASKS).unwrap();
    stdout(&["export", "t.toml", "--to", "c-table", "--out", "my.plan.c"], here);
    let source = fs::read_to_string(here.join("my.plan.c")).unwrap();
    assert!(source.contains("#include \"my.plan.h\"\n"), "{source}");
    assert!(
        fs::read_to_string(here.join("my.plan.h"))
            .unwrap()
            .contains("#define FRESCO_TASKS 2u\n")
    );
}

#[test]
fn an_imported_set_is_planned() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let set = "<taskset>\n<task id=\"1\" period=\"8000\" wcet=\"2000\" wss=\"3\"/>\n<task id=\"b\" period=\"32000\" wcet=\"9000\"/></taskset>";
    fs::write(here.join("set.xml"), set).unwrap();
    let import = [
        "sched",
        "import",
        "set.xml",
        "--from",
        "schedcat",
        "--machine",
        "ss-rtmc",
        "--out",
        "made.toml",
    ];
    let done = fresco(&import, here);
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{told}");
    assert_eq!(
        told,
        "fresco: set.xml: left out: wss of 1 tasks, which says nothing of when they run\n"
    );
    let text = fs::read_to_string(here.join("made.toml")).unwrap();
    assert!(text.starts_with("# 2 tasks of set.xml, digest "), "{text}");
    assert!(text.contains("name = \"made\"\nmachine = \"ss-rtmc\"\n"), "{text}");
    let plan = json(&["plan", "made.toml", "--json"], here);
    assert_eq!(plan["data"]["tasks"][0]["name"], "T1");
    assert_eq!(plan["data"]["tasks"][1]["wcet_ns"], 9_000_000);
}
