// SPDX-License-Identifier: MIT OR Apache-2.0
//! `docs/file-formats.md` explains every field of the JSON that the program writes.

use crate::common::files::{MACHINE, SWEPT, TASKS};
use crate::common::json;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../docs/file-formats.md");

/// Adds the names of all fields.
fn names(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                into.insert(name.clone());
                names(value, into);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| names(element, into)),
        _ => {}
    }
}

/// The part of the page that begins with the heading of the schema and ends with the next heading.
fn section(schema: &str) -> &'static str {
    let heading = |line: &&str| line.starts_with("### ") && line.contains(&format!("`{schema}`"));
    let line = PAGE
        .lines()
        .find(heading)
        .unwrap_or_else(|| panic!("no section on {schema}"));
    let start = PAGE.find(line).expect("a line of it") + line.len();
    &PAGE[start..start + PAGE[start..].find("\n### ").unwrap_or(PAGE[start..].len())]
}

/// Returns true if the name, or a path that contains it as a segment, is in code quotes.
fn explained(name: &str, text: &str) -> bool {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .flat_map(|path| path.split('.'))
        .any(|part| part.trim_end_matches("[]") == name)
}

pub fn check(document: &Value, also: &[&str]) {
    let schema = document["schema"].as_str().expect("a schema");
    let text = also
        .iter()
        .map(|other| section(other))
        .fold(section(schema).to_owned(), |all, part| all + part);
    let mut found = BTreeSet::new();
    names(&document["data"], &mut found);
    assert!(found.len() > 5, "{schema}: {found:?}");
    let missing: Vec<&String> = found.iter().filter(|name| !explained(name, &text)).collect();
    assert!(
        missing.is_empty(),
        "docs/file-formats.md does not explain of {schema}: {missing:?}"
    );
    let mut frame = BTreeSet::new();
    names(&document["provenance"], &mut frame);
    for name in frame {
        let parts = PAGE.split(['`', '{', '}', ',', ' ']);
        assert!(parts.into_iter().any(|part| part == name), "provenance: {name}");
    }
}

#[test]
fn every_field_is_explained() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    let write = |name: &str, text: &str| fs::write(here.join(name), text).expect("writable");
    write("small.toml", MACHINE);
    write("s.toml", SWEPT);
    let agent = "[[agent]]\nname = \"dma\"\nbytes = 4096\nrate = \"1 GB/s\"\n[fabric]\nnode.in_flight = 16\n";
    write("agent.toml", &format!("{SWEPT}{agent}"));
    write(
        "limited.toml",
        &format!("{MACHINE}\n[fabric]\nnode.in_flight = 16\nlink = \"20 GB/s\"\n"),
    );
    write("a.trace", "0x0 READ 0\n0x40000 WRITE 100\n");
    write("map.txt", "14 18\n15 19\n3\n");
    let run = |words: &str, directory: &Path| {
        let arguments: Vec<&str> = words.split(' ').chain(["--json"]).collect();
        json(&arguments, directory)
    };
    check(&run("sim s.toml", here), &[]);
    check(&run("sim s.toml --set check=true --set warm_up.time=10us", here), &[]);
    let tlb = "--set core.tlb.entries=16 --set core.tlb.ways=4 --set core.tlb.l2.entries=64 --set core.tlb.l2.ways=4 --set core.tlb.l2.latency=2ns";
    check(&run(&format!("sim s.toml {tlb}"), here), &[]);
    check(&run(&format!("machine show p4080 {tlb}"), here), &["fresco-map-show/1"]);
    check(&run("sim agent.toml", here), &[]);
    let in_rows = format!("rows.size = \"8 MiB\"\n{SWEPT}{agent}")
        .replace("core = 0\n", "core = 0\nrows = 1\n")
        .replace("background\"\nbanks = 0", "background\"\nbanks = \"0-1\"")
        .replace("bytes = 4096", "bytes = 4096\nrows = 0");
    write("rows.toml", &in_rows);
    check(&run("sim rows.toml", here), &[]);
    check(&run("machine show ./limited.toml", here), &["fresco-map-show/1"]);
    let mesi = "--set coherence.protocol=mesi --set coherence.transfer=12ns";
    check(&run(&format!("sim s.toml {mesi}"), here), &[]);
    check(
        &run(&format!("machine show xeon-w3530 {mesi}"), here),
        &["fresco-map-show/1"],
    );
    check(&run("memory a.trace --machine p4080", here), &["fresco-sim/3"]);
    check(&run("trace info a.trace --working-set", here), &[]);
    check(&run("machine list", here), &[]);
    for machine in fresco_machine::builtin_names() {
        check(&run(&format!("machine show {machine}"), here), &["fresco-map-show/1"]);
    }
    check(&run("map show --machine opteron-6128", here), &[]);
    check(&run("map show map.txt", here), &[]);
    check(&run("map colors --machine opteron-6128 --banks 0,1", here), &[]);
    check(&run("map colors map.txt --disjoint 0 1", here), &[]);
    check(&run("map decode --machine opteron-6128 0x1f40", here), &[]);
    check(&run("reproduce kernel", here), &["fresco-kernel-cost/1"]);
    check(&run("sched generate --sets 1", here), &[]);
    check(&run("sched generate --sets 1 --accept flat --density 8", here), &[]);
}

/// The program of the second of [`TASKS`].
const PROGRAM: &str = "program = \"matmult\"\nparameters = { n = 24, block = 8 }\n";

#[test]
fn every_field_of_plans_is_explained() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    fs::write(here.join("t.toml"), format!("{TASKS}{PROGRAM}")).expect("writable");
    fs::write(
        here.join("batch.toml"),
        "machine = \"gem5-2core\"\n[[task]]\nname = \"a\"\n",
    )
    .expect("writable");
    let run = |words: &str| {
        let arguments: Vec<&str> = words.split(' ').chain(["--json"]).collect();
        json(&arguments, here)
    };
    for method in ["auto-refresh", "burst", "colored-refresh", "crs", "aligned", "flat"] {
        check(&run(&format!("plan t.toml --method {method} --out p.json")), &[]);
        check(&run("check p.json"), &[]);
    }
    check(&run("plan t.toml --set plan.policy=dm"), &[]);
    check(&run("plan batch.toml --out batch.json"), &[]);
    check(&run("check batch.json"), &[]);
    check(&run("plan t.toml --compare --density 8"), &[]);
    check(&run("sched sensitivity t.toml --method aligned --density 8"), &[]);
    // With locks and handlers; with servers' time; with batch tasks.
    for (tasks, method) in [("t.toml", "flat"), ("t.toml", "crs"), ("t.toml", "aligned")] {
        run(&format!("plan {tasks} --method {method} --out p.json"));
        check(&run("sim p.json --horizon 64ms"), &[]);
    }
    check(&run("sim batch.json --horizon 2ms"), &[]);
    // With budgets of bandwidth.
    check(&run("plan t.toml --set bandwidth.period=100us --out p.json"), &[]);
    check(&run("sim p.json --horizon 64ms"), &[]);
}

#[test]
fn the_check_notices_what_is_missing() {
    assert!(explained("mean", "a spread: `count`, `mean`"));
    assert!(explained("up_to_ns", "`latency.histogram[].up_to_ns`"));
    assert!(explained("axes", "`axes[].name`"));
    assert!(!explained("mean", "the mean, `mean_ns`"));
}
