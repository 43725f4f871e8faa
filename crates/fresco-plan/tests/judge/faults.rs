// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge itself: faults planted in sound plans, each of which it has to find.

use super::judge;
use fresco_plan::{Method, TaskSet, plan};
use serde_json::{Value, json};
use std::path::Path;

const SET: &str = r#"
    memory.density = 8
    memory.density_scales_refresh_only = true
    plan.lock = "50 us"
    plan.attempts = 40
    task = [
        { name = "a", period = "8 ms", wcet = "2 ms" },
        { name = "b", period = "16 ms", wcet = "3 ms", deadline = "14 ms" },
        { name = "c", period = "32 ms", wcet = "6 ms", phase = "5 ms" },
    ]
"#;

/// A sound plan as JSON.
fn sound(method: Method, changes: &[&str]) -> Value {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let mut set = TaskSet::parse("t.toml", SET, Path::new(""), &changes).unwrap_or_else(|error| panic!("{error}"));
    set.options.method = Some(method);
    let plan = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
    serde_json::to_value(plan).expect("a plan is JSON")
}

/// What the judge finds, by its kind.
fn found(json: &Value) -> &'static str {
    judge(json, 1, 20_000, 8).map_or_else(|harm| harm.kind(), |_| "nothing")
}

fn all() -> Vec<(Method, Value)> {
    let methods = Method::of_refresh().filter(|&method| method != Method::Codesign);
    methods.map(|method| (method, sound(method, &[]))).collect()
}

#[test]
fn sound_plans_do_no_harm() {
    for (method, json) in all() {
        assert_eq!(found(&json), "nothing", "{}", method.name());
    }
}

#[test]
fn lowered_bounds() {
    for (method, mut json) in all() {
        let seen = judge(&json, 1, 20_000, 8).expect("is sound");
        for task in 0..3 {
            let bound = json["tasks"][task]["response_bound_ns"].take();
            json["tasks"][task]["response_bound_ns"] = json!(seen.worst[task] - 1);
            assert_eq!(found(&json), "bound", "{} {task}", method.name());
            json["tasks"][task]["response_bound_ns"] = bound;
        }
    }
}

#[test]
fn raised_execution_times() {
    for (method, mut json) in all() {
        let wcet = json["tasks"][2]["wcet_ns"].as_u64().expect("a time");
        json["tasks"][2]["wcet_ns"] = json!(wcet * 4);
        assert!(["miss", "bound"].contains(&found(&json)), "{}", method.name());
    }
}

#[test]
fn shortened_locks() {
    for method in [Method::Flat, Method::Burst, Method::Crs] {
        let mut json = sound(method, &[]);
        // The last refreshes are not over when the color is unlocked.
        let bursts = json["schedule"]["locks"]["burst_ns"].as_array_mut().expect("bursts");
        for burst in bursts {
            *burst = json!(burst.as_u64().expect("a time") / 2);
        }
        assert_eq!(found(&json), "met", "{}", method.name());
    }
    let mut json = sound(Method::Aligned, &[]);
    let border = json["schedule"]["cores"][0]["border_ns"].as_u64().expect("a time");
    let first = json["refresh"]["windows"]
        .as_array()
        .expect("windows")
        .iter()
        .position(|window| window["color"] == 1);
    json["refresh"]["windows"][first.expect("one of color 1")]["start_ns"] = json!(border);
    assert_eq!(found(&json), "met");
}

#[test]
fn dropped_refreshes() {
    for (method, mut json) in all() {
        if json["refresh"]["kind"] != "windows" {
            continue;
        }
        let whole = json.clone();
        for window in json["refresh"]["windows"].as_array_mut().expect("windows") {
            window["commands"] = json!(window["commands"].as_u64().expect("a number") * 99 / 100);
        }
        assert_eq!(found(&json), "row", "{}", method.name());
        json = whole;
        json["refresh"]["windows"].as_array_mut().expect("windows").pop();
        assert_eq!(found(&json), "row", "{}", method.name());
    }
}

#[test]
fn moved_entries_of_tables() {
    for json in [
        sound(Method::ColoredRefresh, &[]),
        sound(Method::Crs, &["plan.policy=executive"]),
    ] {
        let slots = json["schedule"]["table"]["slots"].as_array().expect("slots").len();
        for slot in [0, slots / 2, slots - 1] {
            let mut spoilt = json.clone();
            let entry = &mut spoilt["schedule"]["table"]["slots"][slot];
            let moved = entry["start"].as_u64().expect("a time") + 40_000_000;
            entry["start"] = json!(moved % 64_000_000);
            assert_ne!(found(&spoilt), "nothing", "slot {slot}");
            let mut spoilt = json.clone();
            spoilt["schedule"]["table"]["slots"]
                .as_array_mut()
                .expect("slots")
                .remove(slot);
            assert_eq!(found(&spoilt), "miss", "slot {slot}");
        }
    }
}
