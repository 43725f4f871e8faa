// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report of a scenario whose course was recorded has it as a trace too, presented as the run of a plan is.

use crate::common::files::{MACHINE, periodic};
use crate::common::{directory_with, stdout};
use serde_json::Value;
use std::fs;

const BUDGETS: &str = r#"policy.bandwidth = "memguard"
bandwidth = { period = "10 us", count_write_backs = true }
sweep.task.rest.parameters.bytes = ["256 KiB", "1 MiB"]
"#;

#[test]
fn a_report_of_periodic_tasks_has_a_trace_of_each_point() {
    let directory = directory_with(&[("small.toml", MACHINE), ("p.toml", &periodic(2, BUDGETS))]);
    stdout(&["sim", "p.toml", "--out", "report"], directory.path());
    let read = |name: &str| fs::read(directory.path().join("report").join(name)).expect(name);
    let trace: Value = serde_json::from_slice(&read("trace.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let of = |wanted: &str| events.iter().filter(|event| event["name"] == wanted).count();
    for name in ["hard job 0", "release", "deadline", "end", "stalled", "refresh"] {
        assert!(of(name) >= 2, "{name}: {} of {} events", of(name), events.len());
    }
    let named = events.iter().filter(|event| event["name"] == "process_name");
    let names: Vec<&str> = named.filter_map(|event| event["args"]["name"].as_str()).collect();
    for name in ["256 KiB: core 0", "1 MiB: core 0", "1 MiB: refresh"] {
        assert!(names.contains(&name), "{names:?}");
    }
    // The chart has what the trace has.
    let chart = String::from_utf8(read("p-gantt-0.svg")).expect("UTF-8");
    assert!(chart.contains("stalled") && chart.contains("rank 0"), "{chart}");
    let again = |name: &str| {
        let before = read(name);
        stdout(&["sim", "p.toml", "--out", "report"], directory.path());
        before == read(name)
    };
    assert!(again("trace.json"), "the same bytes again");
}

/// Events of a trace.
fn events(trace: &Value) -> &Vec<Value> {
    trace["traceEvents"].as_array().expect("a list")
}

/// Number and length in nanoseconds of spans of this name.
fn spans(trace: &Value, is_wanted: impl Fn(&str) -> bool) -> (usize, f64) {
    let own = events(trace).iter().filter(|event| event["ph"] == "X");
    let own = own.filter(|event| event["name"].as_str().is_some_and(&is_wanted));
    let lengths: Vec<f64> = own
        .map(|event| event["dur"].as_f64().expect("microseconds") * 1000.0)
        .collect();
    (lengths.len(), lengths.iter().sum())
}

#[test]
fn a_scenario_without_periods_has_a_timeline_where_it_is_asked_for() {
    let directory = directory_with(&[]);
    let here = directory.path();
    let run = ["sim", "first", "--set", "sweep.corunners=[0, 1]"];
    let plain: Value = serde_json::from_str(&stdout(&[&run[..], &["--json"]].concat(), here)).expect("JSON");
    let runs = |document: &Value| -> Vec<Value> {
        let points = document["data"]["scenarios"][0]["points"]
            .as_array()
            .expect("points")
            .clone();
        points.iter().map(|point| point["runs"][0].clone()).collect()
    };
    assert!(runs(&plain).iter().all(|run| run.get("timeline").is_none()));
    let out = ["--csv", "tables", "--parquet", "tables", "--out", "report", "--json"];
    let recorded: Value = serde_json::from_str(&stdout(&[&run[..], &out].concat(), here)).expect("JSON");
    // Nothing else has changed.
    let mut without = recorded["data"].clone();
    for point in without["scenarios"][0]["points"].as_array_mut().expect("points") {
        let run = point["runs"][0].as_object_mut().expect("a run");
        assert!(run.remove("timeline").is_some());
    }
    assert_eq!(without, plain["data"]);
    // The sums of the trace are those of the tables and of the JSON; the trace has whole nanoseconds.
    let trace = fs::read(here.join("report/trace.json")).expect("a trace");
    let trace: Value = serde_json::from_slice(&trace).expect("JSON");
    let mut reader = csv::Reader::from_path(here.join("tables/spans.csv")).expect("spans");
    let columns: Vec<String> = reader.headers().expect("names").iter().map(str::to_owned).collect();
    let column = |name: &str| columns.iter().position(|column| column == name).expect("a column");
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let table = |kind: &str| {
        let own = rows.iter().filter(|row| &row[column("kind")] == kind);
        let time = |row: &csv::StringRecord, name: &str| row[column(name)].parse::<f64>().expect("a number");
        let lengths: Vec<f64> = own.map(|row| time(row, "end_ns") - time(row, "start_ns")).collect();
        (lengths.len(), lengths.iter().sum::<f64>())
    };
    let json = |list: &str| {
        let spans = runs(&recorded)
            .into_iter()
            .flat_map(|run| run["timeline"][list].as_array().cloned().unwrap_or_default());
        let time = |span: &Value, name: &str| span[name].as_f64().expect("picoseconds") / 1000.0;
        let lengths: Vec<f64> = spans
            .map(|span| time(&span, "end_ps") - time(&span, "start_ps"))
            .collect();
        (lengths.len(), lengths.iter().sum::<f64>())
    };
    for (kind, list) in [
        ("run", "runs"),
        ("refresh", "refreshes"),
        ("page fault", "faults"),
        ("stall", "stalls"),
    ] {
        let of_trace = match kind {
            "run" => {
                let tasks: Vec<String> = recorded["data"]["scenarios"][0]["points"][1]["runs"][0]["tasks"]
                    .as_array()
                    .expect("tasks")
                    .iter()
                    .filter_map(|task| task["name"].as_str().map(str::to_owned))
                    .collect();
                assert_eq!(tasks.len(), 2);
                spans(&trace, |name| tasks.iter().any(|task| task == name))
            }
            "stall" => spans(&trace, |name| name == "stalled"),
            kind => spans(&trace, |name| name == kind),
        };
        for other in [table(kind), json(list)] {
            assert_eq!(of_trace.0, other.0, "{kind}");
            let apart = (of_trace.1 - other.1).abs();
            assert!(apart <= other.0 as f64 + 1e-3, "{kind}: {of_trace:?} {other:?}");
        }
    }
    // Under each of two policies one task alone and two beside each other; a refresh in each of the 128 intervals of each rank.
    assert_eq!(table("run").0, 2 * (1 + 2));
    assert!(table("refresh").0 >= 4 * 127, "{:?}", table("refresh"));
    // One chart is enough: that of the point with most tasks.
    let charts = fs::read_dir(here.join("report")).expect("a report");
    let names = charts.map(|entry| entry.expect("a file").file_name().into_string().expect("UTF-8"));
    let charts: Vec<String> = names.filter(|name| name.contains("gantt")).collect();
    assert_eq!(charts, ["first-gantt-1.svg"]);
    let chart = fs::read_to_string(here.join("report/first-gantt-1.svg")).expect("a chart");
    assert!(chart.contains("from the start of the measured phase on"), "{chart}");
}

#[test]
fn the_key_says_how_much_is_recorded() {
    let directory = directory_with(&[]);
    let run = [
        "sim",
        "first",
        "--set",
        "sweep.corunners=[1]",
        "--set",
        "timeline=50us",
        "--json",
    ];
    let document: Value = serde_json::from_str(&stdout(&run, directory.path())).expect("JSON");
    let timeline = &document["data"]["scenarios"][0]["points"][0]["runs"][0]["timeline"];
    assert_eq!(timeline["recorded_ps"], 50_000_000);
}

/// Where the names of tasks decide which goes first, the results say so; where periods do, there is nothing to say.
#[test]
fn names_that_decide_are_told() {
    let second = "[[task]]\nname = \"again\"\nprogram = \"latency\"\ncore = 0\nperiod = \"100 us\"\nparameters.bytes = \"16 KiB\"\n";
    let text = format!("{}{second}", periodic(2, ""));
    let directory = directory_with(&[("small.toml", MACHINE), ("p.toml", &text)]);
    let told = |words: &[&str]| {
        let printed = stdout(&[&["sim", "./p.toml"], words].concat(), directory.path());
        printed.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let tie = "Tasks of one core among again and hard have equal periods and deadlines";
    let equal = told(&[]);
    assert!(equal.contains(tie), "{equal}");
    let apart = told(&["--set", "task.2.period=200 us"]);
    assert!(!apart.contains("equal periods"), "{apart}");
}
