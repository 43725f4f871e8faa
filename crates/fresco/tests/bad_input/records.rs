// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong records of the kernel's measurements.

use crate::bad_input::case::{Case, edited};

const RECORD: &str = include_str!("../data/kernel-cost.toml");

/// `fresco reproduce kernel --record r.toml`, with this text in it.
fn of(name: &'static str, text: impl Into<Vec<u8>>) -> Case {
    Case::new(name, &["reproduce", "kernel", "--record", "r.toml"]).file("r.toml", text)
}

/// The same with a part of a good record replaced.
fn with(name: &'static str, from: &str, to: &str) -> Case {
    of(name, edited(RECORD, from, to))
}

pub fn cases() -> Vec<Case> {
    let first = "{ setting = \"unpatched\", fault = 1000, recycled = 1000, unmap = 100, longest = 5000 },\n";
    let twice = first.to_owned() + &first.replace("fault = 1000", "fault = 1001");
    vec![
        Case::new(
            "record for claims that are not asked for",
            &["reproduce", "palloc", "--record", "r.toml"],
        )
        .file("r.toml", RECORD)
        .told("--record: found r.toml"),
        Case::new("record that is missing", &["reproduce", "kernel", "--record", "x.toml"]).told("x.toml: "),
        Case::new(
            "directory in place of a record",
            &["reproduce", "kernel", "--record", "directory"],
        )
        .told("directory: found a directory"),
        of("log in place of a record", "cost off 32\n").told("r.toml:1: not TOML"),
        of("empty record", "").told("r.toml: schema: missing"),
        of("other file in place of a record", "schema = \"fresco-claims/1\"\n").told("r.toml:1: schema: found"),
        with("record without its state", "state = \"1-1\"\n", "").told("r.toml: state: missing"),
        with("record without its QEMU", "qemu = \"QEMU 7\"\n", "").told("r.toml: qemu: missing"),
        with("record of no patch", "    \"0001-a\",\n", "").told_at("r.toml", "patches = ["),
        with("record with a key too many", "qemu =", "host = \"x\"\nqemu =").told_at("r.toml", "host ="),
        with("record without starts", "\nstart = [", "\nbegin = [").told("r.toml: start: found no row"),
        with(
            "row without a number",
            "fault = 1010, recycled = 1010,",
            "fault = 1010,",
        )
        .told_at("r.toml", "fault = 1010"),
        with("row with a fraction", "fault = 1010", "fault = 1010.5").told_at("r.toml", "fault = 1010.5"),
        with("row that costs nothing", "fault = 1010", "fault = 0").told_at("r.toml", "fault = 0"),
        with("row with a text for a number", "fault = 1010", "fault = \"1010\"").told_at("r.toml", "fault = \"1010\""),
        with("row with a key too many", "fault = 1010", "faults = 3, fault = 1010").told_at("r.toml", "faults = 3"),
        with("row that stands twice", first, &twice).told_at("r.toml", "fault = 1001"),
        with("unknown policy", "policy = \"uncolored\"", "policy = \"palloc\"")
            .told_at("r.toml", "policy = \"palloc\""),
        with(
            "unknown size",
            "policy = \"colored\", size_mib = 256",
            "policy = \"colored\", size_mib = 300",
        )
        .told_at("r.toml", "size_mib = 300"),
    ]
}
