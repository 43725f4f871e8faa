// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong files of tasks and plans, and wrong options of `plan`, `check`, `sim PLAN` and `sched sensitivity`.

use crate::case::{Case, edited};
use crate::common::stdout;

/// Two tasks that every method but the co-design has a plan for.
pub const TASKS: &str = r#"name = "two"

[memory]
density = 8
density_scales_refresh_only = true

[[task]]
name = "a"
period = "8 ms"
wcet = "1 ms"

[[task]]
name = "b"
period = "32 ms"
wcet = "2 ms"
"#;

/// Tasks without periods.
const BATCH: &str = "machine = \"gem5-2core\"\n[[task]]\nname = \"a\"\n[[task]]\nname = \"b\"\n";

pub fn cases() -> Vec<Case> {
    let mut cases = tasks();
    cases.extend(methods());
    cases.extend(options());
    cases.extend(plans());
    cases.extend(options_of_sim());
    cases
}

/// `fresco plan t.toml` with a part of the file replaced.
fn of_tasks(name: &'static str, from: &str, to: &'static str) -> Case {
    Case::new(name, &["plan", "t.toml"])
        .file("t.toml", edited(TASKS, from, to))
        .told_at("t.toml", to)
}

fn tasks() -> Vec<Case> {
    let text = |name, content: &str| Case::new(name, &["plan", "t.toml"]).file("t.toml", content);
    vec![
        Case::new("no file of tasks", &["plan", "t.toml"]).told("t.toml: "),
        Case::new("a directory of tasks", &["plan", "directory"]).told("directory: "),
        text("empty file of tasks", "").told("t.toml: "),
        text("tasks that are no TOML", "[[task\n").told("t.toml:1: "),
        of_tasks("unknown method", "name = \"two\"", "plan.method = \"best\""),
        of_tasks("unknown machine", "name = \"two\"", "machine = \"nope\""),
        of_tasks(
            "cores that the machine does not have",
            "name = \"two\"",
            "plan.cores = 2",
        ),
        of_tasks("negative cost of a lock", "name = \"two\"", "plan.lock = \"-1 us\""),
        of_tasks(
            "ranks in both colors",
            "name = \"two\"",
            "plan.colors = [\"0-4\", \"4-7\"]",
        ),
        of_tasks(
            "shortest period above the longest",
            "name = \"two\"",
            "plan.longest_period = \"1 us\"",
        ),
        of_tasks("unknown key of plan", "name = \"two\"", "plan.speed = 3"),
        of_tasks("no density", "density = 8", "density = 0"),
        of_tasks("a density without a tRFC", "density = 8", "density = 128"),
        of_tasks("no execution time", "wcet = \"2 ms\"", "wcet = \"0 ms\""),
        of_tasks("negative execution time", "wcet = \"2 ms\"", "wcet = \"-2 ms\""),
        of_tasks(
            "execution time beyond the period",
            "wcet = \"2 ms\"",
            "wcet = \"33 ms\"",
        ),
        of_tasks("half a nanosecond", "wcet = \"2 ms\"", "wcet = \"500 ps\""),
        of_tasks("no period", "period = \"32 ms\"", "period = \"0 ms\""),
        of_tasks(
            "a deadline beyond the period",
            "wcet = \"2 ms\"",
            "wcet = \"2 ms\"\ndeadline = \"33 ms\"",
        )
        .told_at("t.toml", "deadline = \"33 ms\""),
        of_tasks(
            "memory over capacity",
            "wcet = \"2 ms\"",
            "wcet = \"2 ms\"\nmemory = \"9 GiB\"",
        )
        .told_at("t.toml", "memory = \"9 GiB\""),
        of_tasks(
            "unknown key of a task",
            "wcet = \"2 ms\"",
            "wcet = \"2 ms\"\npriority = 1",
        )
        .told_at("t.toml", "priority = 1"),
        of_tasks("two tasks of a name", "name = \"b\"", "name = \"a\" # too").told_at("t.toml", "name = \"a\" # too"),
        text("utilisation over 1", &edited(TASKS, "\"2 ms\"", "\"31 ms\"")).told_at("t.toml", "[[task]]"),
        text(
            "periods without a common multiple",
            &edited(
                &edited(TASKS, "\"8 ms\"", "\"999999999989 ns\""),
                "\"32 ms\"",
                "\"999999999961 ns\"",
            ),
        )
        .told_at("t.toml", "[[task]]"),
        text(
            "one server",
            &format!(
                "[[server]]\nperiod = \"4 ms\"\nbudget = \"1 ms\"\n{}",
                edited(TASKS, "name = \"two\"\n", "")
            ),
        )
        .told("t.toml:1: server: "),
    ]
}

/// Methods that the machine or the tasks are not for.
fn methods() -> Vec<Case> {
    let by = |name, method: &'static str, tasks: &str| {
        Case::new(name, &["plan", "t.toml", "--method", method])
            .file("t.toml", tasks)
            .told("t.toml: plan.method: ")
    };
    let one_rank = "machine = \"raspberry-pi-4\"\n".to_owned()
        + &edited(TASKS, "[memory]\ndensity = 8\ndensity_scales_refresh_only = true\n", "");
    vec![
        by("two colors of one rank", "aligned", &one_rank),
        by("servers for one rank", "crs", &one_rank),
        by("colored refresh of one rank", "colored-refresh", &one_rank),
        by("aligned slots for batch tasks", "aligned", BATCH),
        by("auto-refresh for batch tasks", "auto-refresh", BATCH),
        by(
            "one bank after the other without REFpb",
            "codesign",
            &BATCH.replace("gem5-2core", "ss-rtmc"),
        ),
        by(
            "some tasks with periods",
            "crs",
            &edited(TASKS, "period = \"8 ms\"\nwcet = \"1 ms\"\n", ""),
        ),
        by(
            "a color for some tasks",
            "crs",
            &edited(TASKS, "wcet = \"1 ms\"", "wcet = \"1 ms\"\ncolor = 0"),
        ),
    ]
}

fn options() -> Vec<Case> {
    let with = |name, words: &[&'static str]| Case::new(name, words).file("t.toml", TASKS);
    vec![
        Case::new("plan of nothing", &["plan"]).usage("<TASKS>"),
        with("misspelt method", &["plan", "t.toml", "--method", "alligned"]).told("--method: found \"alligned\""),
        with(
            "sensitivity by an unknown method",
            &["sched", "sensitivity", "t.toml", "--method", "fifo"],
        )
        .told("--method: found \"fifo\""),
        with("a change without a value", &["plan", "t.toml", "--set", "plan.cores"]).told("--set plan.cores: found no"),
        with(
            "a change to an unknown key",
            &["plan", "t.toml", "--set", "plan.core=1"],
        )
        .told("--set plan.core=1: "),
        with(
            "a change to a task that is none",
            &["plan", "t.toml", "--set", "task.7.wcet=1 ms"],
        )
        .told("--set task.7.wcet=1 ms: "),
        with("densities of a single plan", &["plan", "t.toml", "--density", "8"]).usage("--compare"),
        with(
            "a comparison with a method",
            &["plan", "t.toml", "--compare", "--method", "crs"],
        )
        .usage("cannot be used with"),
        with(
            "a density that is none",
            &["plan", "t.toml", "--compare", "--density", "8,x"],
        )
        .told("--density: found \"x\""),
        with("density 0", &["plan", "t.toml", "--compare", "--density", "0"]).told("--density: found \"0\""),
        with("density 128", &["sched", "sensitivity", "t.toml", "--density", "128"]).told("--density: found \"128\""),
        with("no densities", &["plan", "t.toml", "--compare", "--density", ""]).told("--density: found \"\""),
        with("a plan over its tasks", &["plan", "t.toml", "--out", "t.toml"]).told("t.toml: --out: "),
        with(
            "a plan over its tasks by another name",
            &["plan", "t.toml", "--out", "./directory/../t.toml"],
        )
        .told("./directory/../t.toml: --out: "),
        with("a plan in no directory", &["plan", "t.toml", "--out", "nowhere/p.json"]).told("nowhere/p.json: "),
        with("a plan onto a directory", &["plan", "t.toml", "--out", "directory"]).told("directory: "),
        with(
            "sensitivity of tasks that are none",
            &["sched", "sensitivity", "u.toml"],
        )
        .told("u.toml: "),
    ]
}

/// A plan of [`TASKS`].
pub fn plan() -> String {
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
