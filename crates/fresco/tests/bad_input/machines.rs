// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong machine files.

use crate::bad_input::case::{Case, edited};

const GOOD: &str = include_str!("../../../fresco-machine/tests/data/good.toml");

fn plain(name: &'static str, content: impl Into<Vec<u8>>) -> Case {
    Case::new(name, &["machine", "show", "m.toml"]).file("m.toml", content)
}

/// The good machine with `from` replaced by `to`; the message points at `to`.
fn wrong(name: &'static str, from: &str, to: &'static str) -> Case {
    plain(name, edited(GOOD, from, to)).told_at("m.toml", to)
}

pub fn cases() -> Vec<Case> {
    let mut cases = files();
    cases.extend(values());
    cases.extend(contradictions());
    cases
}

fn files() -> Vec<Case> {
    let late = edited(GOOD, "title = \"A small", "title = \"\u{e9}A small");
    let latin1: Vec<u8> = late
        .replace('\u{e9}', "\0")
        .bytes()
        .map(|byte| if byte == 0 { 0xe9 } else { byte })
        .collect();
    vec![
        Case::new("missing machine file", &["machine", "show", "m.toml"]).told("m.toml: cannot read it"),
        Case::new("directory for a machine", &["machine", "show", "./directory"])
            .told("./directory: found a directory"),
        Case::new("misspelt machine", &["machine", "show", "xeon-w3350"]).told("machine xeon-w3350: "),
        Case::new("machine without a name", &["machine", "show", ""]).told("machine : "),
        plain("empty machine file", "").told("m.toml: core: missing"),
        plain("Latin-1 machine file", latin1).told_at("m.toml", "title"),
        plain("machine file that is an image", b"\x89PNG\r\n\x1a\n\0\0").told("m.toml:1: "),
        plain("JSON for TOML", "{\n  \"cores\": 4\n}\n").told("m.toml:1: not TOML"),
        plain("brackets without end", "[".repeat(100_000)).told("m.toml:1: not TOML"),
        plain("file too large for a machine", vec![b'#'; 65 << 20]).told("m.toml: found a larger file"),
    ]
}

fn values() -> Vec<Case> {
    vec![
        plain("missing field", edited(GOOD, "cores = 4\n", "")).told("m.toml: cores: missing"),
        plain(
            "missing table",
            edited(GOOD, "[memory.organisation]", "[memory.organization]"),
        )
        .told_at("m.toml", "[memory]"),
        wrong("unknown key", "window = 64", "windwo = 64").told_at("m.toml", "[core]"),
        wrong("key twice", "window = 64", "window = 64\nwindow = 32").told_at("m.toml", "window = 32"),
        wrong("text for a number", "cores = 4", "cores = \"four\""),
        wrong("no quotes", "kind = \"out-of-order\"", "kind = out-of-order"),
        wrong("wrong unit of a size", "size = \"2 MiB\"", "size = \"2 MB\""),
        wrong("wrong unit of a time", "latency = \"20 ns\"", "latency = \"20 KiB\""),
        wrong("time without unit", "frontend = \"10 ns\"", "frontend = 10"),
        wrong("negative number", "hit_cap = 16", "hit_cap = -1"),
        wrong("huge number", "rows = 16384", "rows = 99999999999999999999999"),
        wrong(
            "number beyond all integers",
            "hit_cap = 16",
            "hit_cap = 9999999999999999999999999999999999999999",
        ),
        wrong("count of no power of two", "banks = 8", "banks = 6"),
        wrong("page of no power of two", "page = \"4 KiB\"", "page = \"6 KiB\""),
        wrong("misspelt choice", "page = \"adaptive\"", "page = \"adaptiv\""),
        wrong(
            "standard that is not known",
            "standard = \"ddr3-1600\"",
            "standard = \"ddr6-12800\"",
        ),
        wrong(
            "bit beyond the address",
            "bank = [14, \"15-16\"]",
            "bank = [14, 15, 60]",
        ),
    ]
}

fn contradictions() -> Vec<Case> {
    vec![
        wrong("overlapping regions", "base = \"4 GiB\"", "base = \"1 GiB\"")
            .told_at("m.toml", "[[memory.map.region]]\nbase = \"1 GiB\""),
        wrong("region inside a page", "base = \"4 GiB\"", "base = 0x100000200"),
        plain(
            "region larger than the memory",
            edited(
                GOOD,
                "base = \"4 GiB\"\nsize = \"2 GiB\"",
                "base = \"4 GiB\"\nsize = \"4 GiB\"",
            ),
        )
        .told_at("m.toml", "[memory.map]"),
        wrong("singular map", "row = \"rest\"", "row = \"16-29\""),
        wrong("too few functions", "channel = [[7, 20]]", "channel = []"),
        wrong("function inside a burst", "channel = [[7, 20]]", "channel = [5]"),
        wrong("node that does not exist", "node = 1", "node = 2"),
        wrong(
            "core on two nodes",
            "cores_of_node = [\"0-1\", \"2-3\"]",
            "cores_of_node = [\"0-1\", \"1-3\"]",
        ),
        wrong("impossible timing", "cl = 10", "cl = 0"),
        wrong("density of no such device", "density = \"1 Gb\"", "density = \"32 Gb\""),
        wrong("drain above the buffer", "drain_high = 24", "drain_high = 64"),
        wrong(
            "ways that do not divide the cache",
            "size = \"32 KiB\"",
            "size = \"33 KiB\"",
        ),
        wrong("more memory than is modelled", "rows = 16384", "rows = 16777216")
            .told_at("m.toml", "[memory.organisation]"),
    ]
}
