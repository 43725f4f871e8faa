// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong plans, and wrong options of `check` and `sim PLAN`.

use crate::bad_input::case::{Case, edited};
use crate::common::files::TASKS;
use crate::common::stdout;

pub fn cases() -> Vec<Case> {
    let mut cases = plans();
    cases.extend(places());
    cases.extend(options_of_sim());
    cases
}

/// A plan of [`TASKS`].
fn plan() -> String {
    plan_with(&[])
}

fn plan_with(words: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("t.toml"), TASKS).expect("is writable");
    stdout(&[&["plan", "t.toml", "--json"], words].concat(), directory.path())
}

/// Fields deep inside a plan: the path says where.
fn places() -> Vec<Case> {
    let aligned = plan();
    let executive = plan_with(&["--method", "crs", "--set", "plan.policy=executive"]);
    let servers = plan_with(&["--method", "crs"]);
    let first = |name, plan: &str, from: &str, to: &str, told: &'static str| {
        assert!(plan.contains(from), "{from:?} stands in the plan");
        Case::new(name, &["check", "p.json"])
            .file("p.json", plan.replacen(from, to, 1))
            .told(told)
    };
    vec![
        first(
            "an unknown part of a document",
            &aligned,
            "\"data\": {",
            "\"extra\": 1, \"data\": {",
            "p.json: extra: found an unknown field",
        ),
        first(
            "an unknown field of a task",
            &aligned,
            "\"period_ns\": 8000000",
            "\"period_ns\": 8000000, \"priority\": 1",
            "p.json: data.tasks[0].priority: found an unknown field",
        ),
        first(
            "a plan without a name",
            &aligned,
            "\"name\": \"two\"",
            "\"name\": \"\"",
            "p.json: data.name: found \"\"",
        ),
        first(
            "a task without a name",
            &aligned,
            "\"name\": \"a\"",
            "\"name\": \" \"",
            "p.json: data.tasks[0].name: found \" \"",
        ),
        first(
            "a command without a program",
            &aligned,
            "\"period_ns\": 8000000",
            "\"period_ns\": 8000000, \"command\": []",
            "p.json: data.tasks[0].command: found no program",
        ),
        first(
            "a command with a zero byte",
            &aligned,
            "\"period_ns\": 8000000",
            "\"period_ns\": 8000000, \"command\": [\"echo\", \"a\\u0000b\"]",
            "p.json: data.tasks[0].command: found a zero byte",
        ),
        first(
            "an unknown field of evidence",
            &aligned,
            "\"horizon\":",
            "\"horison\": 1, \"horizon\":",
            "p.json: data.proofs[0].evidence.horison: found an unknown field",
        ),
        first(
            "an unknown field of a step",
            &servers,
            "\"reached\":",
            "\"certain\": true, \"reached\":",
            "p.json: data.proofs[0].evidence.steps[0].certain: ",
        ),
        first(
            "an unknown field of a proof by a table",
            &executive,
            "\"kind\": \"table\"\n",
            "\"kind\": \"table\", \"jobs\": 5\n",
            "p.json: data.proofs[0].evidence.jobs: ",
        ),
        first(
            "an unknown field of a slot",
            &executive,
            "\"blocked\":",
            "\"color\": 1, \"blocked\":",
            "p.json: data.schedule.table.slots[0].color: ",
        ),
        first(
            "an unknown field of a server",
            &servers,
            "\"budget_ns\":",
            "\"bandwidth\": 1, \"budget_ns\":",
            "p.json: data.schedule.cores[0].servers[0].bandwidth: ",
        ),
        first(
            "an unknown field of a refresh",
            &servers,
            "\"commands\": 8216\n",
            "\"commands\": 8216, \"rank\": 1\n",
            "p.json: data.refresh.windows[0].rank: ",
        ),
        first("a slot without a job", &executive, "\"job\":", "\"jop\":", "p.json:"),
        first(
            "a slot that starts at a text",
            &executive,
            "\"start\": ",
            "\"start\": \"soon\", \"was\": ",
            "p.json:",
        ),
        first(
            "a task whose core is negative",
            &servers,
            "\"core\": 0",
            "\"core\": -1",
            "p.json:",
        ),
        first(
            "half a budget",
            &servers,
            "\"budget_ns\": ",
            "\"budget_ns\": 0.5, \"was\": ",
            "p.json:",
        ),
        first(
            "a budget that is no number",
            &servers,
            "\"budget_ns\": ",
            "\"budget_ns\": NaN, \"was\": ",
            "p.json:",
        ),
    ]
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
        of(
            "a plan that is cut off",
            good[..good.find("\"data\"").expect("it has data") + 7].to_owned(),
        )
        .told("p.json:"),
        of("an empty plan", String::new()).told("p.json:"),
        of("JSON that is no document", "[1, 2]".to_owned()).told("p.json: schema: found no schema"),
        of(
            "a plan of a later schema",
            edited(&good, schema, "\"schema\": \"fresco-plan/2\""),
        )
        .told("p.json: schema: "),
        of(
            "results that are no plan",
            edited(&good, schema, "\"schema\": \"fresco-sim/3\""),
        )
        .told("p.json: schema: "),
        of("a schema alone", "{\"schema\": \"fresco-plan/1\"}".to_owned()).told("p.json: data: found no such field"),
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
        changed(
            "a jitter of nothing, misspelt",
            "\"cores\": 1,",
            "\"cores\": 1, \"refresh_jiter_ns\": 0,",
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
        Case::new("simulation of a task with an endless period", &["sim", "p.json"])
            .file(
                "p.json",
                edited(&good, "\"period_ns\": 8000000,", "\"period_ns\": 9223372036854775808,"),
            )
            .told("p.json: plan two: found times of a beyond all use"),
        Case::new("simulation of memory in no color", &["sim", "p.json"])
            .file(
                "p.json",
                good.replacen(
                    "\"instances\": [\n          [",
                    "\"instances\": [\n          [0, 0, 4096,",
                    1,
                ),
            )
            .told("p.json: plan two: found memory of a in a color that does not exist"),
        of("a change to a plan", &["--set", "cores=2"]).told("--set cores=2: found a change to a plan"),
        of("two plans of a name", &["q.json"]).told("q.json: name: found a second scenario of the name \"two\""),
        of("traces for a plan", &["--trace-dir", "."]).told("--trace-dir: found it with a plan"),
        of("a horizon that is no time", &["--horizon", "long"]).told("--horizon: found \"long\""),
        of("a horizon without unit", &["--horizon", "640"]).told("--horizon: found \"640\""),
        of("no horizon", &["--horizon", "0 ms"]).told("--horizon: found \"0 ms\""),
        of("a horizon beyond all patience", &["--horizon", "101 s"]).told("--horizon: found \"101 s\""),
        of("a negative horizon", &["--horizon=-1 ms"]).told("--horizon: found \"-1 ms\""),
        of("a report over the plan", &["--out", "p.json"]).told("p.json: "),
    ]
}
