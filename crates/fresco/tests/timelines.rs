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
    // Tasks without periods are not recorded: the trace of the report before goes.
    stdout(
        &["sim", "first", "--set", "sweep.corunners=[0]", "--out", "report"],
        directory.path(),
    );
    assert!(!directory.path().join("report/trace.json").exists());
}
