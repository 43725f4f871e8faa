// SPDX-License-Identifier: MIT OR Apache-2.0
//! A good result is never overwritten by a failing run.

use crate::bad_input::scenarios;
use crate::common::{fresco, refused, refused_with, stdout};
use std::fs;

#[test]
fn a_command_trace_survives_a_run_that_fails() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let good: String = (0..1000).map(|line| format!("{:#x} R\n", line * 64)).collect();
    fs::write(path("good.trace"), &good).expect("is writable");
    fs::write(path("bad.trace"), good + "0x40 X\n").expect("is writable");
    let run = |trace| ["memory", trace, "--machine", "ddr4-2400-bench", "--commands", "out.cmd"];
    stdout(&run("good.trace"), directory.path());
    let kept = fs::read(path("out.cmd")).expect("is there");
    assert!(
        kept.starts_with(b"1 ACT") || kept.starts_with(b"0 ACT"),
        "{}",
        String::from_utf8_lossy(&kept[..40])
    );
    let told = refused(&run("bad.trace"), directory.path());
    assert!(told.starts_with("fresco: bad.trace:1001: "), "{told}");
    assert_eq!(fs::read(path("out.cmd")).expect("is there"), kept);
    assert_eq!(
        fs::read_dir(directory.path()).expect("readable").count(),
        3,
        "a part of a result is left"
    );
}

#[test]
fn no_command_trace_appears_where_there_was_none() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("bad.trace"), "0x40 R\n0x400000000 R\n").expect("is writable");
    let command = [
        "memory",
        "bad.trace",
        "--machine",
        "ddr4-2400-bench",
        "--commands",
        "out.cmd",
    ];
    assert_eq!(fresco(&command, directory.path()).status.code(), Some(2));
    assert!(!directory.path().join("out.cmd").exists());
}

#[test]
fn a_report_survives_a_run_that_fails() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    fs::write(path("small.toml"), crate::common::files::MACHINE).expect("is writable");
    fs::write(path("s.toml"), scenarios::GOOD).expect("is writable");
    let run = |more: &[&'static str]| [&["sim", "s.toml", "--out", "report"], more].concat();
    stdout(&run(&[]), directory.path());
    let kept = fs::read(path("report/results.json")).expect("is there");
    let files = fs::read_dir(path("report")).expect("readable").count();
    // Only the run itself finds out that an aged machine has too few frames of one color left.
    let aged = [
        "--set",
        "policy.boot=aged",
        "--set",
        "policy.occupied=0.9",
        "--set",
        "task.chase.parameters.bytes=256 KiB",
    ];
    let told = refused_with(3, &run(&aged), directory.path());
    assert!(told.contains("found no page frame"), "{told}");
    assert_eq!(fs::read(path("report/results.json")).expect("is there"), kept);
    assert_eq!(fs::read_dir(path("report")).expect("readable").count(), files);
}
