// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks with bursts, late jobs and switches: planned, verified, and simulated with jobs as late as they may be.

use crate::common::{directory_with, first_run, json};
use serde_json::Value;

const REAL: &str = r#"
machine = "ss-rtmc"
memory = { density = 8, density_scales_refresh_only = true }
plan.context_switch = "4 us"

[[task]]
name = "control"
period = "8 ms"
wcet = "1 ms"
jitter = "200 us"
critical_section = "50 us"
cache_reload = "20 us"

[[task]]
name = "network"
period = "16 ms"
wcet = "500 us"
arrival_jitter = "40 ms"
min_distance = "2 ms"
"#;

#[test]
fn late_jobs_and_bursts_meet_their_deadlines() {
    let directory = directory_with(&[("t.toml", REAL)]);
    let here = directory.path();
    for method in ["aligned", "crs", "auto-refresh"] {
        json(
            &["plan", "t.toml", "--method", method, "--out", "p.json", "--json"],
            here,
        );
        assert_eq!(
            json(&["check", "p.json", "--json"], here)["data"]["sound"],
            true,
            "{method}"
        );
        let document = json(&["sim", "p.json", "--horizon", "320 ms", "--json"], here);
        let run = first_run(&document);
        let kept = |promise: &Value| promise["kept"] == true;
        let promises = run["promises"].as_array().expect("a list");
        assert!(promises.iter().all(kept), "{method}: {promises:?}");
        let jobs = run["tasks"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|task| task["jobs"]["jobs"].as_array().expect("jobs"));
        let [control, network] = jobs.collect::<Vec<_>>()[..] else {
            panic!("two tasks")
        };
        let arrived = |job: &Value| job["release_ps"].as_u64().expect("a time");
        // A job of control arrives at its period, and is ready later.
        assert!(
            control.iter().all(|job| arrived(job) % 8_000_000_000 == 0),
            "{control:?}"
        );
        let waits = |job: &Value| job["start_ps"].as_u64().is_some_and(|start| start > arrived(job));
        assert!(control.iter().any(waits), "{control:?}");
        // Some of network's jobs are closer together than their period, none closer than 2 ms.
        let gaps: Vec<u64> = network
            .windows(2)
            .map(|pair| arrived(&pair[1]) - arrived(&pair[0]))
            .collect();
        assert!(gaps.iter().all(|&gap| gap >= 2_000_000_000), "{gaps:?}");
        assert!(gaps.iter().any(|&gap| gap < 8_000_000_000), "{gaps:?}");
    }
}
