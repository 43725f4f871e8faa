// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco machine` as a user runs it.

use crate::common::{json, stdout};
use fresco_machine::{builtin_names, builtin_text};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn show(arguments: &[&str], directory: &Path) -> Value {
    json(&[&["machine", "show", "--json"], arguments].concat(), directory)["data"].clone()
}

#[test]
fn every_machine_has_one_line() {
    let text = stdout(&["machine", "list"], here());
    for name in builtin_names() {
        let lines = text.lines().filter(|line| line.split_whitespace().next() == Some(name));
        assert_eq!(lines.count(), 1, "{name} in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
}

#[test]
fn the_list_agrees_with_each_machine() {
    let list = json(&["machine", "list", "--json"], here());
    let machines = list["data"].as_array().expect("a list");
    assert_eq!(machines.len(), builtin_names().count());
    assert_eq!(
        list["provenance"]["machine_files"].as_array().map(Vec::len),
        Some(machines.len())
    );
    for line in machines {
        let shown = show(&[line["name"].as_str().expect("a name")], here());
        for key in ["name", "title", "cores", "digest", "page_bytes"] {
            assert_eq!(line[key], shown[key], "{key} of {}", line["name"]);
        }
        assert_eq!(line["capacity_bytes"], shown["dram"]["capacity_bytes"]);
        let colors = shown["colors"].as_array().expect("a list");
        let own = colors
            .iter()
            .find(|counts| counts["page_bytes"] == line["page_bytes"])
            .expect("its own page size");
        assert_eq!(line["bank_colors"], own["colors"]["bank"]);
        assert_eq!(line["llc_colors"], own["colors"]["llc"]);
    }
}

#[test]
fn a_machine_is_told_in_full() {
    let machine = show(&["opteron-6128"], here());
    assert_eq!(machine["nodes"][3]["cores"], serde_json::json!([12, 13, 14, 15]));
    assert_eq!(
        machine["nodes"][0]["hop_latency_ps"],
        serde_json::json!([0, 20_000, 40_000, 40_000])
    );
    assert_eq!(machine["caches"][2]["sets"], 2048);
    assert_eq!(machine["caches"][2]["cores"], 8);
    let code = &machine["caches"][3];
    assert_eq!((&code["level"], &code["sets"]), (&"L1I".into(), &512.into()));
    assert_eq!(machine["map"]["regions"][1]["node"], 1);
    let timing = machine["timing"].as_array().expect("a list");
    let rcd = timing.iter().find(|parameter| parameter["key"] == "rcd").expect("tRCD");
    assert_eq!(
        (&rcd["name"], &rcd["value"], &rcd["unit"]),
        (&"tRCD".into(), &9.into(), &"cycles".into())
    );
    // 9 cycles of DDR3-1333, 2 / 1333 us each.
    assert!((rcd["ns"].as_f64().expect("a time") - 13.5034).abs() < 0.0001);
    let text = stdout(&["machine", "show", "opteron-6128"], here());
    for part in [
        "tREFW",
        "FR-FCFS",
        "Sources",
        "Assumptions",
        "15, 16, 18",
        "2 hops, 40 ns",
        "JESD79-3F",
        "digest",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn every_machine_is_shown_to_people() {
    for name in builtin_names() {
        let text = stdout(&["machine", "show", name], here());
        assert!(text.starts_with(&format!("{name}: ")), "{text}");
    }
}

#[test]
fn an_override_changes_the_machine_and_its_digest() {
    let plain = show(&["xeon-w3530"], here());
    let closed = show(&["xeon-w3530", "--set", "memory.controller.page=closed"], here());
    assert_eq!(
        (&plain["controller"]["page"], &closed["controller"]["page"]),
        (&"open".into(), &"closed".into())
    );
    assert_ne!(plain["digest"], closed["digest"]);
}

#[test]
fn the_file_of_a_machine_is_a_start_for_ones_own() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = stdout(&["machine", "show", "p4080", "--toml"], here());
    assert_eq!(Ok(text.as_str()), builtin_text("p4080"));
    fs::write(directory.path().join("mine.toml"), &text).expect("is writable");
    let mine = show(&["mine.toml"], directory.path());
    assert_eq!(mine["digest"], show(&["p4080"], here())["digest"]);
    let again = stdout(&["machine", "show", "./mine.toml", "--toml"], directory.path());
    assert_eq!(again, text);
}
