// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco plan`, `check`, `sim PLAN` and `sched sensitivity`: from tasks to a plan, its verdict, and what happens.

use crate::common::files::TASKS;
use crate::common::{directory_with, first_run, fresco, json, refused_with, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;

const METHODS: [&str; 6] = ["auto-refresh", "burst", "colored-refresh", "crs", "aligned", "flat"];

/// The second task has more memory than is assumed of a task that says nothing.
fn tasks() -> String {
    format!("{TASKS}memory = \"256 KiB\"\n")
}

fn prepared() -> tempfile::TempDir {
    directory_with(&[("t.toml", &tasks())])
}

/// Plans by a method into `p.json`; returns the plan.
fn planned(method: &str, here: &Path) -> Value {
    json(
        &["plan", "t.toml", "--method", method, "--out", "p.json", "--json"],
        here,
    )
}

fn read(path: impl AsRef<Path>) -> Vec<u8> {
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// Every method: the plan is sound, what it promises happens, and its file is what it prints.
#[test]
fn a_plan_is_sound_and_kept() {
    let directory = prepared();
    let here = directory.path();
    for method in METHODS {
        let plan = planned(method, here);
        assert_eq!(plan["schema"], "fresco-plan/1");
        assert_eq!(plan["data"]["method"], method);
        let file: Value = serde_json::from_slice(&read(here.join("p.json"))).expect("JSON");
        assert_eq!(file["data"], plan["data"], "{method}");
        let verdict = &json(&["check", "p.json", "--json"], here)["data"];
        assert_eq!(
            (&verdict["sound"], &verdict["violation"]),
            (&Value::Bool(true), &Value::Null),
            "{method}"
        );
        assert!(verdict["facts"].as_array().expect("a list").len() >= 4, "{verdict}");
        let document = json(&["sim", "p.json", "--horizon", "128 ms", "--json"], here);
        assert_eq!(document["data"]["scenarios"][0]["method"], method);
        let simulated = first_run(&document);
        let promises = simulated["promises"].as_array().expect("a list");
        let hides = method != "auto-refresh";
        assert_eq!(promises.len(), if hides { 6 } else { 3 }, "{promises:?}");
        assert!(
            promises.iter().all(|promise| promise["kept"] == true),
            "{method}: {promises:?}"
        );
        let tasks = simulated["tasks"].as_array().expect("a list");
        let counted = |field: &str| -> Vec<u64> {
            tasks
                .iter()
                .map(|task| task["jobs"][field].as_u64().expect("a number"))
                .collect()
        };
        assert_eq!(
            (counted("released"), counted("misses")),
            (vec![16, 4], vec![0, 0]),
            "{method}"
        );
        assert_eq!(simulated["checker"]["clean"], true);
        let met: u64 = tasks
            .iter()
            .map(|task| task["met_refresh"]["reads"].as_u64().expect("a number"))
            .sum();
        assert_eq!(met > 0, !hides, "{method}: {met} reads met a refresh");
    }
}

/// A table that needs fewer cores than the machine has: the others do nothing.
#[test]
fn a_table_of_fewer_cores_than_the_machine_is_simulated() {
    let memory = "[memory]\ndensity = 8\ndensity_scales_refresh_only = true\n";
    let of_machine = tasks().replace(memory, "machine = \"gem5-2core\"\n");
    assert_ne!(of_machine, tasks());
    let directory = directory_with(&[("t.toml", &of_machine)]);
    let here = directory.path();
    let plan = planned("colored-refresh", here);
    assert_eq!(
        (&plan["data"]["cores"], &plan["data"]["schedule"]["table"]["cores"]),
        (&Value::from(2), &Value::from(1))
    );
    let document = json(&["sim", "p.json", "--horizon", "128 ms", "--json"], here);
    let run = first_run(&document);
    assert!(
        run["promises"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|one| one["kept"] == true),
        "{run}"
    );
    assert_eq!(
        (&run["cores"][1]["run_ps"], run["cores"].as_array().map(Vec::len)),
        (&Value::from(0), Some(2))
    );
}

/// Execution times under budgets: the plan says so, carries them, and its run has them (MG-1).
#[test]
fn a_plan_with_budgets_of_bandwidth_is_kept() {
    let budgets = "bandwidth = { period = \"100 us\", reserve = \"20 MB/s\" }\n";
    let directory = directory_with(&[("t.toml", &format!("{budgets}{}", tasks()))]);
    let here = directory.path();
    for method in METHODS {
        let plan = &planned(method, here)["data"];
        // 20 MB/s in 100 us: 31 lines of 64 bytes.
        assert_eq!(plan["bandwidth"]["lines"], serde_json::json!([31]), "{method}");
        let verdict = &json(&["check", "p.json", "--json"], here)["data"];
        assert_eq!(verdict["sound"], true, "{method}: {verdict}");
        let warnings = verdict["warnings"].to_string();
        assert!(warnings.contains("under the budgets of bandwidth"), "{warnings}");
        let document = json(&["sim", "p.json", "--horizon", "128 ms", "--json"], here);
        let simulated = first_run(&document);
        for promise in simulated["promises"].as_array().expect("a list") {
            assert_eq!(promise["kept"], true, "{method}: {promise}");
        }
        let budget = &simulated["tasks"][0]["regulation"];
        assert_eq!(budget["kind"], "hard", "{method}");
        assert!(
            budget["exhausted"].as_u64().is_some_and(|periods| periods > 20),
            "{method}: {budget}"
        );
        assert!(!simulated["timeline"]["stalls"].as_array().expect("a list").is_empty());
    }
    let text = stdout(&["sim", "p.json", "--horizon", "32 ms"], here);
    assert!(text.contains("two: budgets of bandwidth, periods of 100 us"), "{text}");
}

/// An edited plan is refused with status 1, the place and the fact, also in words.
#[test]
fn an_edited_plan_is_refused() {
    let directory = prepared();
    let here = directory.path();
    let mut plan = planned("aligned", here);
    let start = plan["data"]["refresh"]["windows"][0]["start_ns"]
        .take()
        .as_u64()
        .expect("a number");
    plan["data"]["refresh"]["windows"][0]["start_ns"] = (start + 6_000_000).into();
    fs::write(here.join("edited.json"), plan.to_string()).expect("writable");
    let done = fresco(&["check", "edited.json", "--json"], here);
    assert_eq!(done.status.code(), Some(1));
    let verdict: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(verdict["data"]["sound"], false);
    assert_eq!(verdict["data"]["violation"]["place"], "schedule.cores[0]");
    let fact = verdict["data"]["violation"]["fact"].as_str().expect("a text");
    assert!(fact.contains("while their memory is refreshed"), "{fact}");
    let words = fresco(&["check", "edited.json"], here);
    assert_eq!(words.status.code(), Some(1));
    let words = String::from_utf8(words.stdout).expect("UTF-8");
    assert!(
        words.starts_with("two: not sound\n") && words.contains("schedule.cores[0]"),
        "{words}"
    );
}

/// A plan that takes too long to verify is neither sound nor not: status 4, with the limit and the way out. `sim` runs it all the same.
#[test]
fn a_plan_that_is_too_long_gets_no_verdict() {
    let directory = prepared();
    let here = directory.path();
    let mut plan = planned("flat", here);
    plan["data"]["tasks"][0]["period_ns"] = 9_999_991.into();
    fs::write(here.join("long.json"), plan.to_string()).expect("writable");
    let done = fresco(&["check", "long.json", "--json"], here);
    assert_eq!(done.status.code(), Some(4));
    let verdict = &serde_json::from_slice::<Value>(&done.stdout).expect("JSON")["data"];
    assert_eq!(
        (&verdict["verdict"], &verdict["sound"], &verdict["violation"]),
        (&Value::from("not verifiable"), &Value::Null, &Value::Null)
    );
    assert_eq!(verdict["unverified"][0]["place"], "proofs[0]");
    let words = fresco(&["check", "long.json"], here);
    assert_eq!(words.status.code(), Some(4));
    let words = String::from_utf8(words.stdout).expect("UTF-8");
    let told = words.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.starts_with("two: not verifiable\n"), "{words}");
    for part in [
        "more than the 16777216 that are looked at",
        "a smaller least common multiple",
    ] {
        assert!(told.contains(part), "{words}");
    }
    let run = fresco(&["sim", "long.json", "--horizon", "32 ms"], here);
    assert_eq!(run.status.code(), Some(0));
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(
        told.contains("warning: `fresco check` cannot verify this plan"),
        "{told}"
    );
}

/// Runs of more events than are looked at are refused by the planner already, with the same limit.
#[test]
fn what_could_not_be_verified_is_not_planned() {
    let directory = prepared();
    let here = directory.path();
    let long = [
        "plan",
        "t.toml",
        "--method",
        "flat",
        "--set",
        "task.0.period=9999991 ns",
        "--out",
        "long.json",
    ];
    let told = refused_with(1, &long, here);
    assert!(told.contains("more than the 16777216 that are looked at"), "{told}");
    assert!(!here.join("long.json").exists());
}

/// A plan that the checker refuses is made on purpose (E1), and not without a word.
#[test]
fn a_plan_that_is_not_sound_is_told() {
    let directory = prepared();
    let done = fresco(
        &["plan", "t.toml", "--method", "flat", "--set", "plan.burst=as-published"],
        directory.path(),
    );
    assert_eq!(done.status.code(), Some(0));
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        told.contains("warning: `fresco check` finds this plan not sound: refresh.windows of color 0"),
        "{told}"
    );
}

/// What holds comes before how it is done, and what decides between equal deadlines is said.
#[test]
fn what_is_printed_opens_with_the_promises() {
    let directory = prepared();
    let here = directory.path();
    let text = stdout(&["plan", "t.toml"], here);
    let told = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = [
        "two: what aligned promises, and what it assumes",
        "promised every job meets its deadline",
        "assumed No job takes longer than its WCET",
        "two: aligned on ss-rtmc",
        "ready jobs the earliest deadline first; of equal ones the shorter relative deadline",
        "Why reason",
    ];
    let places: Vec<Option<usize>> = parts.iter().map(|part| told.find(part)).collect();
    assert!(
        places[0] == Some(0) && places.is_sorted() && !places.contains(&None),
        "{places:?}: {text}"
    );
    let by_priority = stdout(&["plan", "t.toml", "--set", "plan.policy=rm"], here);
    assert!(
        by_priority.contains("the shortest period first; of equal ones the shorter deadline"),
        "{by_priority}"
    );
}

/// What is empty beyond the end of a record is not idle: the trace has a mark there, and a line says how to record more.
#[test]
fn a_trace_says_where_it_ends() {
    let directory = prepared();
    let here = directory.path();
    planned("aligned", here);
    let marks = || {
        let trace: Value = serde_json::from_slice(&read(here.join("r/trace.json"))).expect("JSON");
        let events = trace["traceEvents"].as_array().expect("a list").clone();
        let is_mark = |event: &&Value| event["ph"] == "i" && event["name"] == "nothing is recorded beyond";
        Vec::from_iter(events.iter().filter(is_mark).cloned())
    };
    let of = |more: &[&str]| {
        let arguments = [&["sim", "p.json", "--horizon", "64 ms", "--out", "r"], more].concat();
        let done = fresco(&arguments, here);
        assert_eq!(done.status.code(), Some(0));
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let told = of(&["--timeline", "16 ms"]);
    assert!(
        told.contains("r/trace.json: who ran when is recorded up to 16 ms of 64 ms; --timeline '64 ms' records all"),
        "{told}"
    );
    let cut = marks();
    // Microseconds.
    assert!(
        cut.len() == 1 && cut[0]["ts"] == 16000.0 && cut[0]["args"]["run_ends_at_ms"] == 64.0,
        "{cut:?}"
    );
    for (whole, found) in [(of(&[]), marks()), (of(&["--timeline", "64 ms"]), marks())] {
        assert!(
            !whole.contains("is recorded up to") && found.is_empty(),
            "{whole}: {found:?}"
        );
    }
}

/// What a task stalls besides memory is a part of its plan: of each instruction a cycle more.
#[test]
fn stalls_of_tasks_are_planned() {
    let ipc = |stalls: &str| {
        let text = format!("{TASKS}program = \"idle\"\nparameters.instructions = 100000\n{stalls}\n");
        let directory = directory_with(&[("t.toml", &text)]);
        let here = directory.path();
        planned("flat", here);
        let document = json(&["sim", "p.json", "--horizon", "64 ms", "--json"], here);
        let task = first_run(&document)["tasks"][1].clone();
        assert_eq!(task["name"], "b");
        task["instructions_per_cycle"].as_f64().expect("a number")
    };
    let (without, with) = (ipc(""), ipc("stalls = 1000"));
    assert!((1.0 / with - 1.0 / without - 1.0).abs() < 0.01, "{without}, {with}");

    let directory = prepared();
    let mut plan = planned("flat", directory.path());
    plan["data"]["tasks"][0]["stalls"] = 1_000_000.into();
    fs::write(directory.path().join("edited.json"), plan.to_string()).expect("writable");
    let done = fresco(&["sim", "edited.json"], directory.path());
    assert_eq!(done.status.code(), Some(2));
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(told.contains("1000000 cycles of stalls"), "{told}");
}

/// A plan that promises too much: the run shows it, with status 1.
#[test]
fn a_broken_promise_is_told() {
    let directory = prepared();
    let here = directory.path();
    let mut plan = planned("flat", here);
    plan["data"]["tasks"][0]["response_bound_ns"] = 1000.into();
    fs::write(here.join("edited.json"), plan.to_string()).expect("writable");
    let done = fresco(&["sim", "edited.json", "--horizon", "64 ms", "--json"], here);
    assert_eq!(done.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let broken: Vec<&Value> = first_run(&document)["promises"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|promise| promise["kept"] == false)
        .map(|promise| &promise["what"])
        .collect();
    assert_eq!(broken, ["the plan is sound", "no response exceeds its bound"]);
}

/// The timer of refreshes is as late as the plan says, at the worst times: rows are in time if the plan made up for that.
#[test]
fn a_late_refresh_timer_is_planned_for() {
    let directory = prepared();
    let here = directory.path();
    let late_rows = |plan: &Value| {
        fs::write(here.join("p.json"), plan.to_string()).expect("writable");
        let done = fresco(&["sim", "p.json", "--horizon", "256 ms", "--json"], here);
        let document: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let promises = first_run(&document)["promises"].as_array().expect("a list").clone();
        let device = promises
            .iter()
            .find(|promise| promise["what"] == "the device's timing and retention are kept");
        let device = device.expect("a promise").clone();
        (device["kept"] == true, device["found"].to_string())
    };
    for method in ["aligned", "flat"] {
        let plan = planned(method, here);
        assert_eq!(plan["data"]["refresh_jitter_ns"], 7800, "{method}");
        let (kept, found) = late_rows(&plan);
        assert!(kept, "{method}: {found}");
        let exact = ["--method", method, "--set", "plan.refresh_jitter=\"0 ns\"", "--json"];
        let mut exact = json(&[&["plan", "t.toml"], &exact[..]].concat(), here);
        let (kept, found) = late_rows(&exact);
        assert!(kept, "{method}, on time: {found}");
        exact["data"]["refresh_jitter_ns"] = 7800.into();
        let (kept, found) = late_rows(&exact);
        assert!(!kept, "{method}, late beyond the plan: {found}");
    }
}

/// Row hits in 16 banks, one access at a time: each refresh costs an activation in every bank (E35).
const HITS: &str = r#"
name = "hits"
machine = "gem5-2core"
core.mshrs = 1
plan.method = "auto-refresh"
plan.cores = 1
memory.map = { bank = [6, 7, 8], rank = [9], column = ["3-5", "10-16"], row = "rest" }
[[task]]
name = "hits"
program = "bandwidth"
parameters.bytes = "2 MiB"
memory = "2 MiB"
period = "4 ms"
wcet = "670 us"
deadline = "760 us"
"#;

#[test]
fn a_refresh_costs_every_row_that_was_open() {
    let directory = directory_with(&[("t.toml", HITS)]);
    let here = directory.path();
    let late = ["plan", "t.toml", "--set", "task.0.deadline=725 us"];
    assert_eq!(fresco(&late, here).status.code(), Some(1));
    let mut plan = planned("auto-refresh", here);
    // Longest response, and jobs that missed, of a run.
    let run = |plan: &Value| {
        fs::write(here.join("p.json"), plan.to_string()).expect("writable");
        let done = fresco(&["sim", "p.json", "--horizon", "64 ms", "--json"], here);
        let document: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let jobs = &first_run(&document)["tasks"][0]["jobs"];
        let longest = jobs["response"]["max_ns"].as_f64().expect("a time");
        (longest, jobs["misses"].as_u64().expect("a count"))
    };
    let (with, misses) = run(&plan);
    assert_eq!(misses, 0, "a plan that counts 827 ns for each refresh is kept");
    plan["data"]["tasks"][0]["deadline_ns"] = 725_000.into();
    assert_eq!(run(&plan).1, 16, "one that counts 558 ns is not");
    plan["data"]["refresh"]["policy"] = "none".into();
    let (alone, _) = run(&plan);
    let each = (with - alone) / (with / 7812.5).ceil();
    assert!(
        (750.0..757.0).contains(&each),
        "{each}: {with} with refresh, {alone} alone"
    );
}

/// Plans, verdicts and runs are the same bytes each time; another seed is another run.
#[test]
fn the_same_bytes_twice() {
    let directory = prepared();
    let here = directory.path();
    for method in ["crs", "colored-refresh"] {
        planned(method, here);
        let first = read(here.join("p.json"));
        planned(method, here);
        assert_eq!(read(here.join("p.json")), first, "{method}");
        let run = |words: &[&str]| {
            stdout(
                &[&["sim", "p.json", "--horizon", "64 ms", "--json"], words].concat(),
                here,
            )
        };
        assert_eq!(run(&[]), run(&[]), "{method}");
        assert_ne!(run(&["--seed", "2"]), run(&["--seed", "3"]), "{method}");
    }
}

/// Two periodic tasks, each on a core and in banks of its own.
const APART: &str = r#"
name = "apart"
machine = "gem5-2core"
[policy]
frames = "palloc"
[[task]]
name = "a"
program = "random"
period = "1 ms"
wcet = "100 us"
banks = "0-3"
cores = "0"
parameters = { bytes = "1 MiB", accesses = 100 }
[[task]]
name = "b"
program = "random"
period = "1 ms"
wcet = "100 us"
banks = "4-7"
cores = "1"
parameters = { bytes = "1 MiB", accesses = 100 }
"#;

#[test]
fn a_plan_without_proofs_assumes_no_wcet() {
    let directory = directory_with(&[("t.toml", &tasks()), ("apart.toml", APART)]);
    let here = directory.path();
    for (file, method, assumes) in [("t.toml", "crs", true), ("apart.toml", "partition", false)] {
        stdout(&["plan", file, "--method", method, "--out", "p.json"], here);
        stdout(&["sim", "p.json", "--horizon", "64 ms", "--out", method], here);
        let page = String::from_utf8(read(here.join(method).join("index.html"))).expect("UTF-8");
        assert!(page.contains("This holds under these assumptions:"), "{method}");
        assert_eq!(page.contains("No job takes longer than its WCET"), assumes, "{method}");
    }
}

#[test]
fn a_report_has_page_results_trace_and_charts() {
    let directory = prepared();
    let here = directory.path();
    planned("crs", here);
    let words = ["sim", "p.json", "--horizon", "128 ms", "--out", "report"];
    let said = stdout(&words, here);
    assert!(said.contains("report   report/index.html"), "{said}");
    let report = here.join("report");
    let page = String::from_utf8(read(report.join("index.html"))).expect("UTF-8");
    assert!(page.contains("<svg") && page.contains("every job meets its deadline"));
    assert_eq!(page.matches("<h1>Plan two: crs on ss-rtmc</h1>").count(), 1);
    // What is promised comes first: deadlines, tasks, colors, refresh, assumptions; then what happened.
    let order = [
        "<h2>What is promised</h2>",
        "every job meets its deadline",
        "every page lies in the colors of its task",
        "response at most",
        "<td>color 1</td>",
        "refresh of color 1",
        "No job takes longer than its WCET",
        "every row refreshed within 64 ms",
        "<h2>Results of two</h2>",
        "<svg",
        "<h2>Why this plan</h2>",
    ];
    let (_, after_contents) = page.split_once("</nav>").expect("a list of sections");
    let places: Vec<Option<usize>> = order.iter().map(|text| after_contents.find(text)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    let results: Value = serde_json::from_slice(&read(report.join("results.json"))).expect("JSON");
    assert_eq!(results["schema"], "fresco-sim/3");
    let printed = json(&["sim", "p.json", "--horizon", "128 ms", "--json"], here);
    assert_eq!(results["data"], printed["data"]);
    let trace: Value = serde_json::from_slice(&read(report.join("trace.json"))).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let named = |part: &str| {
        events
            .iter()
            .any(|event| event["name"].as_str().is_some_and(|name| name.contains(part)))
    };
    assert!(
        ["a job 0", "lock color 0", "refresh", "deadline"]
            .into_iter()
            .all(named),
        "{} events",
        events.len()
    );
    let chart = String::from_utf8(read(report.join("two-gantt-0.svg"))).expect("UTF-8");
    assert!(
        chart.starts_with("<svg") || chart.starts_with("<?xml"),
        "{}",
        &chart[..80.min(chart.len())]
    );
    assert!(chart.trim_end().ends_with("</svg>"));
    let before: Vec<Vec<u8>> = ["results.json", "trace.json", "two-gantt-0.svg"]
        .map(|name| read(report.join(name)))
        .into();
    stdout(&words, here);
    let after: Vec<Vec<u8>> = ["results.json", "trace.json", "two-gantt-0.svg"]
        .map(|name| read(report.join(name)))
        .into();
    assert!(before == after, "the report differs the second time");
}

/// All methods side by side: a row for each, and status 1 only if none has a plan.
#[test]
fn a_comparison_of_all_methods() {
    let directory = prepared();
    let here = directory.path();
    let compared = json(&["plan", "t.toml", "--compare", "--density", "8,64", "--json"], here);
    assert_eq!(compared["schema"], "fresco-plan-comparison/1");
    let rows = compared["data"]["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 2 * 7);
    for row in rows {
        let by = row["method"].as_str().expect("a text");
        let planned = row["planned"] == true;
        assert!(!row["words"].as_str().expect("a text").is_empty(), "{row}");
        if row["density_gbit"] == 8 {
            assert_eq!(planned, by != "codesign", "{row}");
        }
    }
    let heavy = tasks().replace("wcet = \"2 ms\"", "wcet = \"28 ms\"");
    fs::write(here.join("heavy.toml"), heavy).expect("writable");
    let none = fresco(&["plan", "heavy.toml", "--compare", "--density", "64", "--json"], here);
    assert_eq!(none.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&none.stdout).expect("JSON");
    let rows = document["data"]["rows"].as_array().expect("a list");
    assert!(rows.iter().all(|row| row["planned"] == false), "{rows:?}");
}

/// Pushed to its limits: execution times can grow until the core is full, and no method has a plan for a full core.
#[test]
fn how_far_a_set_can_be_pushed() {
    let directory = prepared();
    let here = directory.path();
    let found = json(&["sched", "sensitivity", "t.toml", "--density", "8,64", "--json"], here);
    assert_eq!(found["schema"], "fresco-sched-sensitivity/1");
    for method in found["data"]["methods"].as_array().expect("a list") {
        // The utilisation is 3/16.
        let scale = method["wcet_scale_permille"].as_u64();
        assert!(scale.is_none_or(|scale| (1000..=5334).contains(&scale)), "{method}");
        assert_eq!(scale.is_none(), !method["refusal"].is_null(), "{method}");
    }
    let one = json(
        &[
            "sched",
            "sensitivity",
            "t.toml",
            "--method",
            "aligned",
            "--density",
            "8",
            "--json",
        ],
        here,
    );
    let methods = one["data"]["methods"].as_array().expect("a list");
    assert_eq!(methods.len(), 1);
    assert_eq!(methods[0]["densities_gbit"], serde_json::json!([8]));
}
