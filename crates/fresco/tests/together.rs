// SPDX-License-Identifier: MIT OR Apache-2.0
//! Features that plans combine, as the files of `tasks/` have them: planned, checked, simulated.

use crate::common::{directory_with, first_run, fresco, json, refused, stdout};
use serde_json::Value;

/// `tasks/servers-faults.toml`: servers, page faults and TintMalloc's lists.
#[test]
fn a_scenario_of_servers_with_page_faults_from_tintmallocs_lists() {
    let directory = directory_with(&[("s.toml", include_str!("../../../tasks/servers-faults.toml"))]);
    let here = directory.path();
    let plan = json(&["plan", "s.toml", "--out", "p.json", "--json"], here);
    assert_eq!(plan["data"]["frames"], "tintmalloc");
    assert_eq!(json(&["check", "p.json", "--json"], here)["data"]["sound"], true);
    let document = json(&["sim", "p.json", "--horizon", "256 ms", "--json"], here);
    let run = first_run(&document);
    let promises = run["promises"].as_array().expect("a list");
    assert!(
        promises.len() >= 5 && promises.iter().all(|promise| promise["kept"] == true),
        "{promises:?}"
    );
    for task in run["tasks"].as_array().expect("a list") {
        assert_eq!(task["pages"]["faults_measured"], 64, "{}", task["name"]);
        let jobs = task["jobs"]["jobs"].as_array().expect("a list");
        let time = |job: &Value| job["execution_ps"].as_u64().expect("a time");
        assert!(time(&jobs[0]) > time(&jobs[jobs.len() - 1]), "{}", task["name"]);
    }
}

/// `tasks/slices-budgets.toml`: slices of the co-design under budgets of bandwidth.
#[test]
fn a_scenario_of_slices_under_budgets() {
    let directory = directory_with(&[("s.toml", include_str!("../../../tasks/slices-budgets.toml"))]);
    let here = directory.path();
    // Budgets of a quarter: what is simulated is what they let pass.
    let reserve = "bandwidth.reserve=['150 MB/s', '100 MB/s']";
    let result = |period: &str, horizon: &str| {
        let period = format!("bandwidth.period={period}");
        let set = ["s.toml", "--set", reserve, "--set", &period];
        let reasons = json(&[&["plan", "--json"], &set[..]].concat(), here)["data"]["reasons"].to_string();
        stdout(&[&["plan", "--out", "p.json"], &set[..]].concat(), here);
        let document = json(&["sim", "p.json", "--horizon", horizon, "--json"], here);
        let run = first_run(&document);
        std::fs::remove_file(here.join("p.json")).expect("was written");
        assert!(
            run["promises"]
                .as_array()
                .expect("a list")
                .iter()
                .all(|one| one["kept"] == true)
        );
        let tasks = run["tasks"].as_array().expect("a list");
        let reads: Vec<u64> = tasks
            .iter()
            .map(|task| task["reads"]["count"].as_u64().expect("a count"))
            .collect();
        let met: u64 = tasks
            .iter()
            .map(|task| task["met_refresh"]["reads"].as_u64().expect("a count"))
            .sum();
        (reads, met, reasons)
    };
    let (reads, met, reasons) = result("'80 ms'", "320 ms");
    assert!(
        reads.iter().all(|&reads| reads > 50_000) && met == 0,
        "{reads:?}, {met}"
    );
    assert!(!reasons.contains("the same banks each time"));
    // In step with the refresh window, two tasks never run, and the plan says so.
    let (reads, _, reasons) = result("'64 ms'", "128 ms");
    assert_eq!(reads.iter().filter(|&&reads| reads == 0).count(), 2, "{reads:?}");
    assert!(reasons.contains("the same banks each time"), "{reasons}");
}

/// `tasks/threads-aligned.toml`: a program of two threads behind periodic tasks, under aligned refresh.
#[test]
fn a_scenario_of_threads_behind_periodic_tasks() {
    let text = include_str!("../../../tasks/threads-aligned.toml");
    let directory = directory_with(&[("s.toml", text)]);
    let here = directory.path();
    let plan = json(&["plan", "s.toml", "--out", "p.json", "--json"], here)["data"].take();
    let planned = plan["tasks"].as_array().expect("a list");
    let threads: Vec<&Value> = planned.iter().filter(|task| task["period_ns"] == 0).collect();
    assert_eq!(threads.len(), 2);
    assert_eq!(threads[0]["team"], threads[1]["team"]);
    assert_eq!(threads[0]["instances"], threads[1]["instances"], "one color for both");
    let checked = json(&["check", "p.json", "--json"], here)["data"].take();
    assert_eq!(checked["sound"], true);
    assert!(
        checked["warnings"]
            .to_string()
            .contains("nothing is promised to threads.0, threads.1"),
        "{checked}"
    );
    let run = |words: &[&str]| {
        let all = [&["sim"], words, &["--horizon", "64 ms", "--json"]].concat();
        json(&all, here)
    };
    let document = run(&["p.json"]);
    let point = &document["data"]["scenarios"][0]["points"][0];
    assert_eq!(
        (&point["teams"][0]["name"], &point["teams"][0]["threads"]),
        (&"threads".into(), &2.into())
    );
    let ran = first_run(&document);
    let promises = ran["promises"].as_array().expect("a list");
    assert!(
        promises.len() >= 6 && promises.iter().all(|one| one["kept"] == true),
        "{promises:?}"
    );
    let tasks = ran["tasks"].as_array().expect("a list");
    let (jobs, team) = tasks.split_at(3);
    let ended: Vec<&Value> = jobs.iter().map(|task| &task["jobs"]["completed"]).collect();
    assert!(
        jobs.iter().all(|task| task["jobs"]["misses"] == 0) && ended == [8, 2, 4],
        "{ended:?}"
    );
    let of = |thread: &Value, key: &str| thread["thread"][key].as_u64().expect("a number");
    assert!(team[0]["passes"].as_u64() > Some(5), "{}", team[0]["passes"]);
    assert_eq!(team[0]["passes"], team[1]["passes"]);
    assert_eq!(of(&team[0], "sections"), of(&team[1], "sections"));
    // Core 0 has more jobs: the thread of core 1 waits for the one there.
    assert!(of(&team[1], "idle_ps") > of(&team[0], "idle_ps"), "{team:?}");
    assert!(
        team.iter()
            .all(|thread| thread["pages"]["faults_measured"].as_u64() > Some(100))
    );
    // The jobs do in the plan of the periodic tasks alone what they do here.
    let alone = text.split("[[task]]\nname = \"threads\"").next().expect("the rest");
    std::fs::write(here.join("alone.toml"), alone).expect("is writable");
    let without = json(&["plan", "alone.toml", "--json"], here)["data"].take();
    assert_eq!(without["proofs"], plan["proofs"]);
    assert_eq!(without["refresh"], plan["refresh"]);
    // The plan's tasks are read back as they were.
    let again = json(&["plan", "p.json", "--json", "--set", "plan.handler='300 us'"], here)["data"].take();
    assert_eq!(again, plan);
    // With a period the threads would wait for each other within a deadline.
    let error = refused(
        &[
            "plan",
            "s.toml",
            "--set",
            "task.threads.period='64 ms'",
            "--set",
            "task.threads.wcet='8 ms'",
        ],
        here,
    );
    assert!(
        error.contains("no plan counts for how long they wait for each other"),
        "{error}"
    );
    // A table has no time for tasks without jobs.
    let error = refused(&["plan", "s.toml", "--method", "colored-refresh"], here);
    assert!(error.contains("none for a task without jobs"), "{error}");
}

/// `tasks/copies-budgets.toml`: copies between instances, under a budget that they use up.
#[test]
fn a_scenario_of_copies_under_budgets() {
    let text = include_str!("../../../tasks/copies-budgets.toml");
    let directory = directory_with(&[("s.toml", text)]);
    let here = directory.path();
    let plan = json(&["plan", "s.toml", "--out", "p.json", "--json"], here)["data"].take();
    let short = &plan["tasks"][0];
    assert_eq!(short["instances"].as_array().map(Vec::len), Some(2));
    let lines = plan["bandwidth"]["lines"][0].as_u64().expect("a count");
    // 256 lines read and 256 written, each of which may push a dirty one out.
    let waits = (1024 / lines + 2) * 50_000;
    let copy = short["copy_ns"].as_u64().expect("a time");
    assert!(copy > waits && copy < 2 * waits, "{copy} {waits}");
    assert_eq!(json(&["check", "p.json", "--json"], here)["data"]["sound"], true);
    let document = json(&["sim", "p.json", "--horizon", "256 ms", "--json"], here);
    let run = first_run(&document);
    let promises = run["promises"].as_array().expect("a list");
    assert!(promises.iter().all(|one| one["kept"] == true), "{promises:?}");
    let task = &run["tasks"][0];
    assert!(task["copies"].as_u64() >= Some(7), "{}", task["copies"]);
    let budget = &task["regulation"];
    assert!(budget["exhausted"].as_u64() > Some(0), "{budget}");
    // Without budgets a copy takes as long as it takes alone; such a plan is not sound under budgets.
    let (before, rest) = text.split_once("[bandwidth]").expect("it has budgets");
    let (_, tasks) = rest.split_once("[[task]]").expect("it has tasks");
    let free = format!("{before}[[task]]{tasks}");
    std::fs::write(here.join("free.toml"), free).expect("is writable");
    let alone = json(&["plan", "free.toml", "--json"], here)["data"]["tasks"][0]["copy_ns"]
        .as_u64()
        .expect("a time");
    assert!(alone + waits <= copy, "{alone} {waits} {copy}");
    let mut spoilt: Value = serde_json::from_slice(&std::fs::read(here.join("p.json")).expect("there")).expect("JSON");
    spoilt["data"]["tasks"][0]["copy_ns"] = alone.into();
    std::fs::write(here.join("q.json"), spoilt.to_string()).expect("is writable");
    let done = fresco(&["check", "q.json", "--json"], here);
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.code() == Some(1) && told.contains("may wait"), "{told}");
}
