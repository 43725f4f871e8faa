// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map detect` as a user runs it, on simulated memories whose map is known.

mod common;

use common::{directory_with, fresco, json, refused, stdout};
use std::fs;

#[test]
fn a_map_is_written_that_the_other_verbs_read() {
    let directory = directory_with(&[]);
    let detect = [
        "map",
        "detect",
        "--simulate",
        "i5-6200u",
        "--quick",
        "--out",
        "found",
        "--svg",
        "pairs.svg",
        "--json",
    ];
    let found = json(&detect, directory.path());
    assert_eq!(found["schema"], "fresco-map-detect/1");
    assert_eq!(found["data"]["verdict"], "MAP");
    assert_eq!(found["provenance"]["seed"], 1);
    let map = fs::read_to_string(directory.path().join("found/map.txt")).expect("a map was written");
    let mut lines: Vec<&str> = map.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["14 18", "15 19", "16 20", "17 21", "8 9 12 13 14 15"]);
    let colors = json(&["map", "colors", "found/map.txt", "--json"], directory.path());
    assert_eq!(colors["data"]["bank_colors"], 16);
    let sidecar = fs::read_to_string(directory.path().join("found/map.toml")).expect("its evidence, too");
    let sidecar = fresco_input::Document::parse("map.toml", &sidecar);
    assert!(sidecar.is_ok(), "{sidecar:?}");
    let figure = fs::read_to_string(directory.path().join("pairs.svg")).expect("a figure");
    assert!(figure.contains("Row conflicts of i5-6200u: MAP"));
}

#[test]
fn a_refusal_has_its_status_and_leaves_an_older_map_alone() {
    let directory = directory_with(&[("map.txt", "13 17\n")]);
    for (more, status, verdict) in [
        (["--labels", "shuffled-4K"], 10, "SIGNAL-ONLY"),
        (["--labels", "0.3"], 10, "SIGNAL-ONLY"),
        (["--noise", "400"], 11, "NO-SIGNAL"),
    ] {
        let detect = [
            &["map", "detect", "--simulate", "core2-q8400", "--quick", "--out", "."][..],
            &more,
        ]
        .concat();
        let done = fresco(&detect, directory.path());
        assert_eq!(done.status.code(), Some(status), "{more:?}");
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(told.contains(&format!("no map was written: {verdict}")), "{told}");
        let shown = String::from_utf8_lossy(&done.stdout);
        assert!(shown.contains("failed stage"), "{shown}");
        assert_eq!(
            fs::read_to_string(directory.path().join("map.txt")).expect("is there"),
            "13 17\n"
        );
        assert!(!directory.path().join("map.toml").exists());
    }
}

#[test]
fn the_same_seed_finds_the_same_way() {
    let directory = directory_with(&[]);
    let detect = [
        "map",
        "detect",
        "--simulate",
        "raspberry-pi-4",
        "--quick",
        "--seed",
        "7",
        "--json",
    ];
    assert_eq!(stdout(&detect, directory.path()), stdout(&detect, directory.path()));
}

#[test]
fn without_a_memory_to_probe_it_says_what_it_can_do() {
    let directory = directory_with(&[]);
    let told = refused(&["map", "detect"], directory.path());
    assert!(told.contains("does not time the machine it runs on"), "{told}");
}
