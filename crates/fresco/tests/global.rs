// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs on any core: planned, verified, and simulated; a job goes on on another core than it began on.

use crate::common::{directory_with, first_run, json, refused_with};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const SHARED: &str = r#"
machine = "gem5-2core"
memory = { density = 8, density_scales_refresh_only = true }
plan = { migration = "global", context_switch = "4 us" }

[[task]]
name = "control"
period = "16 ms"
wcet = "2 ms"
jitter = "200 us"
cache_reload = "20 us"

[[task]]
name = "vision"
period = "40 ms"
wcet = "10 ms"
cache_reload = "50 us"

[[task]]
name = "planning"
period = "40 ms"
wcet = "10 ms"
cache_reload = "50 us"

[[task]]
name = "log"
period = "80 ms"
wcet = "4 ms"
arrival_jitter = "20 ms"
cache_reload = "50 us"
"#;

#[test]
fn jobs_that_migrate_meet_their_deadlines_and_bounds() {
    let directory = directory_with(&[("t.toml", SHARED)]);
    let here = directory.path();
    let mut migrated = false;
    for (method, policy) in [
        ("auto-refresh", "edf"),
        ("auto-refresh", "rm"),
        ("burst", "edf"),
        ("burst", "dm"),
    ] {
        let (method, policy) = (format!("plan.method={method}"), format!("plan.policy={policy}"));
        let plan = [
            "plan", "t.toml", "--set", &method, "--set", &policy, "--out", "p.json", "--json",
        ];
        json(&plan, here);
        assert_eq!(
            json(&["check", "p.json", "--json"], here)["data"]["sound"],
            true,
            "{method} {policy}"
        );
        let sim = ["sim", "p.json", "--horizon", "128 ms", "--out", "report", "--json"];
        let document = json(&sim, here);
        let promises = first_run(&document)["promises"].as_array().expect("a list");
        assert!(
            promises.iter().all(|promise| promise["kept"] == true),
            "{method} {policy}: {promises:?}"
        );
        // A process of the trace is a core.
        let text = std::fs::read_to_string(here.join("report/trace.json")).expect("a trace");
        let trace: Value = serde_json::from_str(&text).expect("JSON");
        let mut cores: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for event in trace["traceEvents"].as_array().expect("a list") {
            let name = event["name"].as_str().unwrap_or("");
            if event["ph"] == "X" && name.contains(" job ") {
                cores.entry(name).or_default().extend(event["pid"].as_u64());
            }
        }
        assert!(
            cores.values().flatten().collect::<BTreeSet<_>>().len() == 2,
            "both cores have jobs"
        );
        migrated |= cores.values().any(|cores| cores.len() == 2);
        std::fs::remove_dir_all(here.join("report")).expect("a report");
    }
    assert!(migrated, "no job changes its core");
}

/// What is planned anew from a plan is the same plan.
#[test]
fn a_plan_of_a_plan_migrates_too() {
    let directory = directory_with(&[("t.toml", SHARED)]);
    let here = directory.path();
    let plan = |from: &str, to: &str| {
        json(&["plan", from, "--method", "auto-refresh", "--out", to, "--json"], here);
        let text = std::fs::read_to_string(here.join(to)).expect("a plan");
        serde_json::from_str::<Value>(&text).expect("JSON")["data"]["proofs"].clone()
    };
    assert_eq!(plan("t.toml", "p.json"), plan("p.json", "q.json"));
    let told = refused_with(2, &["plan", "t.toml", "--method", "aligned"], here);
    assert!(told.contains("not applicable: tasks of one color stop"), "{told}");
}
