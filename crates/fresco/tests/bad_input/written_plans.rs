// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong plans, and wrong options of `check` and `sim PLAN`.

use crate::case::{Case, edited};
use crate::common::stdout;
use crate::plans::TASKS;

pub fn cases() -> Vec<Case> {
    let mut cases = plans();
    cases.extend(options_of_sim());
    cases
}

/// A plan of [`TASKS`].
fn plan() -> String {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("t.toml"), TASKS).expect("is writable");
    stdout(&["plan", "t.toml", "--json"], directory.path())
}

fn plans() -> Vec<Case> {
    let good = plan();
    let of = |name, content: String| Case::new(name, &["check", "p.json"]).file("p.json", content);
    let changed = |name, from: &str, to: &str| of(name, edited(&good, from, to)).told("p.json:");
    let schema = "\"schema\": \"fresco-plan/1\"";
    vec![
        Case::new("check of nothing", &["check"]).usage("<PLAN>"),
        Case::new("no plan", &["check", "p.json"]).told("p.json: "),
        Case::new("a directory of a plan", &["check", "directory"]).told("directory: "),
        of("a plan that is no JSON", TASKS.to_owned()).told("p.json:1: "),
        of("a plan that is cut off", good[..good.len() / 2].to_owned()).told("p.json:"),
        of("an empty plan", String::new()).told("p.json:"),
        of("JSON that is no document", "[1, 2]".to_owned()).told("p.json: schema: found no schema"),
        of(
            "a plan of a later schema",
            edited(&good, schema, "\"schema\": \"fresco-plan/2\""),
        )
        .told("p.json: schema: "),
        of(
            "results that are no plan",
            edited(&good, schema, "\"schema\": \"fresco-sim/2\""),
        )
        .told("p.json: schema: "),
        of("a schema alone", "{\"schema\": \"fresco-plan/1\"}".to_owned()).told("p.json:1: data: "),
        changed(
            "an unknown field of a plan",
            "\"cores\": 1,",
            "\"cores\": 1, \"speed\": 2,",
        ),
        changed(
            "a method that is none",
            "\"method\": \"aligned\"",
            "\"method\": \"hope\"",
        ),
        changed("a negative time", "\"handler_ns\": ", "\"handler_ns\": -"),
        changed("a number of cores that is a text", "\"cores\": 1,", "\"cores\": \"1\","),
        changed(
            "a time beyond 64 bits",
            "\"handler_ns\": ",
            "\"handler_ns\": 18446744073709551616",
        ),
        changed("a field that is missing", "\"policy\": \"Edf\",", ""),
        of(
            "a plan for an unknown machine",
            edited(&good, "\"given\": \"ss-rtmc\"", "\"given\": \"nope\""),
        )
        .told("machine nope: "),
        of("deep nesting", "[".repeat(100_000)).told("p.json:1: "),
    ]
}

fn options_of_sim() -> Vec<Case> {
    let good = plan();
    let of = |name, words: &[&'static str]| {
        Case::new(name, &[&["sim", "p.json"], words].concat())
            .file("p.json", good.clone())
            .file("q.json", good.clone())
    };
    vec![
        Case::new("simulation of no plan", &["sim", "p.json"]).told("p.json: "),
        Case::new("simulation of a plan that is no JSON", &["sim", "p.json"])
            .file("p.json", TASKS)
            .told("p.json:1: "),
        of("a change to a plan", &["--set", "cores=2"]).told("--set cores=2: found a change to a plan"),
        of("two plans", &["q.json"]).told("p.json: found a plan among 2 arguments"),
        of("a plan and a scenario", &["microbenchmarks"]).told("p.json: found a plan among 2 arguments"),
        of("a horizon that is no time", &["--horizon", "long"]).told("--horizon: found \"long\""),
        of("a horizon without unit", &["--horizon", "640"]).told("--horizon: found \"640\""),
        of("no horizon", &["--horizon", "0 ms"]).told("--horizon: found \"0 ms\""),
        of("a horizon beyond all patience", &["--horizon", "101 s"]).told("--horizon: found \"101 s\""),
        of("a negative horizon", &["--horizon=-1 ms"]).told("--horizon: found \"-1 ms\""),
        of("a report over the plan", &["--out", "p.json"]).told("p.json: "),
    ]
}
