// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map detect` as a user runs it, on simulated memories whose map is known.

use crate::common::{directory_with, fresco, json, refused, stdout};
use fresco_testing::{Need, skip};
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
fn functions_are_named_with_their_evidence() {
    let directory = directory_with(&[]);
    let detect = [
        "map",
        "detect",
        "--simulate",
        "xeon-e3-1220v5",
        "--out",
        "found",
        "--json",
    ];
    let found = json(&detect, directory.path());
    crate::json_reference::check(&found, &[]);
    let names = &found["data"]["names"];
    assert_eq!(names["complete"], true);
    let named = names["functions"].as_array().expect("functions").iter();
    let named: Vec<_> = named
        .map(|one| (one["name"].as_str(), one["function"].as_str()))
        .collect();
    let expected = [
        ("channel", "8^9^12^13^15^18"),
        ("rank", "18^22"),
        ("bank_group", "7^14"),
        ("bank_group", "15^19"),
        ("bank", "16^20"),
        ("bank", "17^21"),
    ];
    assert_eq!(named, expected.map(|(name, function)| (Some(name), Some(function))));
    let channel = &names["verdicts"][0];
    assert_eq!((&channel["kind"], &channel["told"]), (&"channel".into(), &true.into()));
    assert!(channel["numbers"].as_array().is_some_and(|numbers| numbers.len() >= 3));
    let sidecar = fs::read_to_string(directory.path().join("found/map.toml")).expect("written");
    assert!(sidecar.contains("\nbank_group = [[7, 14], [15, 19]]\n"), "{sidecar}");
    assert!(fresco_input::Document::parse("map.toml", &sidecar).is_ok());
}

#[test]
fn many_banks_and_few_conflicts_are_no_reason_to_refuse() {
    let directory = directory_with(&[]);
    for seed in ["1", "2"] {
        // With seed 1 conflicts are a third rarer than by the number of banks, as they may be by chance.
        let detect = [
            "map",
            "detect",
            "--simulate",
            "opteron-6128",
            "--quick",
            "--seed",
            seed,
            "--json",
        ];
        assert_eq!(json(&detect, directory.path())["data"]["verdict"], "MAP");
    }
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
fn more_memory_than_there_is_is_wrong_input() {
    let directory = directory_with(&[("map.txt", "14 18\n")]);
    for verb in [&["detect"][..], &["verify", "map.txt"]] {
        let words = [&["map"], verb, &["--memory", "100T"]].concat();
        let complaint = refused(&words, directory.path());
        assert!(complaint.starts_with("fresco: --memory: found 100T\n"), "{complaint}");
        assert!(complaint.contains("nine tenths of what is available"), "{complaint}");
    }
}

/// Whatever this machine is: one verdict with its status, a failed stage if there is no map, a bound that was kept, and no
/// longer than was allowed.
#[test]
fn this_machine_gets_a_verdict_or_a_reason() {
    let directory = directory_with(&[]);
    let detect = [
        "map", "detect", "--method", "solver", "--memory", "256M", "--limit", "2", "--quick", "--json",
    ];
    let done = fresco(&detect, directory.path());
    let told = String::from_utf8_lossy(&done.stderr);
    if done.status.code() == Some(125) {
        assert!(told.contains("this machine cannot be timed: "), "{told}");
        return skip(Need::Timing, told);
    }
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let data = &report["data"];
    assert_eq!(data["status"].as_i64(), done.status.code().map(i64::from), "{data}");
    assert_eq!(data["simulated"], false);
    assert_eq!(
        data["failed"].is_null(),
        matches!(done.status.code(), Some(0)),
        "{data}"
    );
    assert_eq!(data["live"]["bytes"], 256 << 20);
    assert!(data["live"]["tick_ns"].as_f64().is_some_and(|tick| tick > 0.0));
    let (accesses, seconds) = (
        &data["cost"]["accesses"],
        data["cost"]["seconds"].as_f64().expect("a time"),
    );
    // A pause of a window stands between any two batches.
    let windows = seconds / 0.064 + 2.0;
    assert!(
        accesses.as_f64().expect("a count") <= 2048.0 * windows,
        "{accesses} in {seconds} s"
    );
    assert!(seconds < 200.0, "{seconds}");
    assert!(told.contains("timing: timer"), "{told}");
}

/// A map that was proved for this machine, as it is now or with something changed.
fn keep(directory: &std::path::Path, change: impl FnOnce(String) -> String) {
    use fresco_linux::probe::firmware::Identity;
    let machine = serde_json::to_value(Identity::read(std::path::Path::new("/"))).expect("text");
    let map = serde_json::json!({
        "schema": "fresco-proved-map/1", "tool": "fresco 0", "command": "fresco map detect", "proof": "MAP",
        "functions": ["0x22000", "0x44000", "0x88000"], "offset": "0x0", "machine": machine,
    });
    let state = directory.join("state/fresco");
    fs::create_dir_all(&state).expect("is writable");
    fs::write(state.join("map.json"), change(map.to_string())).expect("is writable");
}

#[test]
fn a_map_that_was_proved_for_this_machine_is_used_where_no_other_is_named() {
    let directory = directory_with(&[("map.txt", "13 17\n")]);
    keep(directory.path(), |map| map);
    let colors = json(&["map", "colors", "--json"], directory.path());
    assert_eq!(colors["data"]["bank_colors"], 8);
    let shown = stdout(&["map", "show", "--to", "map.txt"], directory.path());
    assert_eq!(shown, "13 17\n14 18\n15 19\n");
    let places = json(&["map", "decode", "0x22000", "0x2000", "--json"], directory.path());
    assert_eq!(
        places["provenance"]["inputs"][0]["name"]
            .as_str()
            .map(|name| name.ends_with("map.json")),
        Some(true)
    );
    let run = ["run", "--colors", "banks=0-3", "--dry-run", "--json", "--", "sh"];
    // Whether it could be done is a question of the machine.
    let done = fresco(&run, directory.path());
    assert!(matches!(done.status.code(), Some(0 | 125)), "{done:?}");
    assert!(String::from_utf8_lossy(&done.stdout).contains("map.json"));
    // A map that is named comes first.
    assert_eq!(
        stdout(&["map", "show", "map.txt", "--to", "map.txt"], directory.path()),
        "13 17\n"
    );
}

#[test]
fn a_map_of_a_machine_that_has_changed_is_refused_with_what_changed() {
    let directory = directory_with(&[]);
    keep(directory.path(), |map| {
        map.replace("\"kernel\":[\"", "\"kernel\":[\"older ")
    });
    let told = refused(&["map", "show"], directory.path());
    assert!(
        told.contains("a machine that has changed: kernel: was older "),
        "{told}"
    );
    assert!(told.contains("sudo fresco map detect"), "{told}");
    let run = ["run", "--colors", "banks=0-3", "--dry-run", "--", "sh"];
    let told = refused(&run, directory.path());
    assert!(
        told.contains("a machine that has changed: kernel: was older "),
        "{told}"
    );
    keep(directory.path(), |map| {
        map.replace("\"kernel\":[", "\"phase of the moon\":[\"full\"],\"kernel\":[")
    });
    let done = fresco(&["map", "show"], directory.path());
    assert_eq!(done.status.code(), Some(0));
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(
        told.contains("cannot see whether these have changed: phase of the moon"),
        "{told}"
    );
    keep(directory.path(), |_| "{\"schema\": 7}".to_owned());
    let told = refused(&["map", "colors"], directory.path());
    assert!(told.contains("map.json:1: cannot read it as a proved map"), "{told}");
    keep(directory.path(), |map| map);
    let told = refused(&["map", "show", "--offset", "4096"], directory.path());
    assert!(told.contains("--offset: found it for "), "{told}");
}
