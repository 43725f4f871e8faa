// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco attack --work`: programs on other cores find what a bound covers, and what it refuses to.

use crate::attack::complaint;
use crate::bound::PAIR;
use crate::common::{directory_with, fresco, json, refused, stdout};
use crate::json_reference;
use serde_json::{Value, json};
use std::path::Path;

/// The first task attacked so often, with so much set.
fn attacked(scenario: &str, tries: &str, set: &[&str], here: &Path) -> Value {
    let mut arguments = vec!["attack", scenario, "--work", "--json", "--tries", tries];
    for set in set {
        arguments.extend(["--set", set]);
    }
    let output = fresco(&arguments, here);
    let told = String::from_utf8_lossy(&output.stderr);
    // 1: there is no bound.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {told}");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    document["data"]["tasks"][0].clone()
}

fn ps(task: &Value, field: &str) -> u64 {
    task[field].as_u64().unwrap_or_else(|| panic!("{field} of {task}"))
}

/// How many times as long as alone.
fn slowdown(task: &Value) -> f64 {
    ps(task, "observed_ps") as f64 / ps(&task["alone"], "time_ps") as f64
}

#[test]
fn attacks_on_work_are_found_kept_and_replayed() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    let search = ["attack", "pair.toml", "--task", "chase", "--work", "--tries", "48"];
    let with = |more: &[&'static str]| [&search[..], more].concat();
    let document = json(&with(&["--json", "--out", "worst.json"]), here);
    json_reference::check(&document, &[]);
    let task = &document["data"]["tasks"][0];
    let (observed, bound) = (ps(task, "observed_ps"), ps(&task["bound"], "longest_ps"));
    assert!(ps(&task["alone"], "time_ps") < observed && observed <= bound, "{task}");
    // More than what the scenario itself runs there, and most of the bound.
    assert!(observed > ps(task, "own_ps") && 4 * observed > 3 * bound, "{task}");
    assert_eq!(
        document["data"],
        json(&with(&["--json"]), here)["data"],
        "the same seed finds the same"
    );
    let replayed = fresco(&["attack", "pair.toml", "--replay", "worst.json", "--json"], here);
    assert!(
        replayed.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&replayed.stderr)
    );
    let again: Value = serde_json::from_slice(&replayed.stdout).expect("JSON");
    for same in [
        "observed_ps",
        "own_ps",
        "bound",
        "alone",
        "worst",
        "attackers",
        "attack",
    ] {
        assert_eq!(task[same], again["data"]["tasks"][0][same], "{same}");
    }
    let text = stdout(&["attack", "pair.toml", "--replay", "worst.json"], here);
    assert!(
        text.contains("where the time of its reads goes: 3000 alone, 3000 attacked"),
        "{text}"
    );
    let changed = [
        "attack",
        "pair.toml",
        "--replay",
        "worst.json",
        "--set",
        "memory.controller.page=closed",
    ];
    let output = fresco(&changed, here);
    assert_eq!(output.status.code(), Some(1), "it is no replay");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("something else has changed"), "{told}");
}

#[test]
fn a_file_of_work_that_does_not_fit_is_refused_by_place() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    stdout(
        &["attack", "pair.toml", "--work", "--tries", "1", "--out", "worst.json"],
        here,
    );
    let is_told = |pointer: &str, value: Value, words: &[&str]| {
        let complaint = complaint(here, "pair.toml", |file| {
            let (object, field) = pointer.rsplit_once('/').expect("a path");
            file.pointer_mut(object).expect("it is there")[field] = value;
        });
        for word in words {
            assert!(complaint.contains(word), "{word}: {complaint}");
        }
        for rust in ["struct ", "enum ", "u32", "u64", "usize", "variant", "newtype"] {
            assert!(!complaint.contains(rust), "{rust}: {complaint}");
        }
    };
    let task = "/data/tasks/0";
    let first = format!("{task}/attack/cores/0");
    let stretch = format!("{first}/stretches/0");
    is_told(
        "/data/scenario",
        json!("other"),
        &["data.scenario", "\"other\"", "\"pair\""],
    );
    is_told(
        "/data/run_seed",
        json!(77),
        &["data.run_seed", "found 77", "which the scenario has there"],
    );
    is_told(
        &format!("{task}/name"),
        json!("x"),
        &["data.tasks[0].name", "no task \"x\"", "chase, reader"],
    );
    is_told(
        &format!("{task}/core"),
        json!(1),
        &["data.tasks[0].core", "found 1", "0, which"],
    );
    is_told(
        &format!("{task}/more"),
        json!(1),
        &["data.tasks[0].more", "an unknown field"],
    );
    let cores = format!("{task}/attackers");
    is_told(
        &cores,
        json!([]),
        &["data.tasks[0].attackers", "0 of them", "1 of them"],
    );
    is_told(
        &format!("{stretch}/stores"),
        json!(10),
        &[
            "attack.cores[0].stretches[0].stores",
            "found 10",
            "0: no program of the scenario stores",
        ],
    );
    is_told(
        &format!("{stretch}/lines"),
        json!(0),
        &["stretches[0].lines", "found 0", "1 to 4294967295"],
    );
    is_told(
        &format!("{stretch}/gap"),
        json!(-1),
        &["stretches[0].gap", "found -1", "a whole number"],
    );
    is_told(
        &format!("{stretch}/order"),
        json!("up"),
        &["stretches[0].order", "found \"up\"", "rows, conflicts"],
    );
    let more = "data.tasks[0].attack.cores[0].stretches[0].more";
    is_told(
        &format!("{stretch}/more"),
        json!(1),
        &[more, "an unknown field", "accesses, bank"],
    );
    is_told(
        &format!("{first}/task"),
        json!(1),
        &["attack.cores[0].task", "found 1", "0 to 0"],
    );
    is_told(
        &format!("{first}/stretches"),
        json!([]),
        &["cores[0].stretches", "none", "one or more"],
    );
    let release = json!({ "period_ns": 1000, "offset_ns": 0 });
    is_told(
        &format!("{first}/release"),
        release,
        &["cores[0].release", "a period", "no task of the scenario"],
    );
    let one = "task.reader.core=0";
    let complaint = refused(
        &["attack", "pair.toml", "--work", "--set", "corunners=0", "--set", one],
        here,
    );
    assert!(complaint.contains("found no task on another core"), "{complaint}");
    let time = ["attack", "pair.toml", "--work", "--set", "measure={time=\"1 ms\"}"];
    let complaint = refused(&time, here);
    assert!(
        complaint.contains("found a task that is measured for a time"),
        "{complaint}"
    );
}

/// Two tasks in frames of any color, one of which goes over what fits into a part of the last-level cache.
const FITS: &str = r#"name = "fits"
machine = "raspberry-pi-4"
memory.controller = { hit_cap = 4, drain_once = true }
warm_up.passes = 1
measure.passes = 1
policy.frames = "buddy"
[[task]]
name = "chase"
program = "latency"
core = 0
parameters.bytes = "64 KiB"
[[task]]
name = "reader"
program = "random"
core = 1
role = "background"
parameters = { bytes = "2 MiB", gap = 100 }
"#;

/// Where a last-level cache is shared a bound is refused, and an attack finds why: without a line of its own in it the task takes several times as long.
#[test]
fn sets_of_a_shared_cache_are_taken_and_ways_of_ones_own_are_not() {
    let directory = directory_with(&[("fits.toml", FITS)]);
    let here = directory.path();
    let shared = attacked("fits.toml", "48", &[], here);
    let why = shared["unbounded"]["why"].as_str().expect("no bound");
    assert!(why.contains("displaces its lines"), "{why}");
    let apart = attacked(
        "fits.toml",
        "48",
        &["task.chase.ways='0-7'", "task.reader.ways='8-15'"],
        here,
    );
    assert!(apart["unbounded"].is_null(), "{apart}");
    assert!(slowdown(&shared) > 3.0, "{}", slowdown(&shared));
    assert!(slowdown(&apart) < 1.1, "{}", slowdown(&apart));
    // What the scenario itself runs there hardly disturbs it.
    assert!(ps(&shared, "own_ps") as f64 <= 1.1 * ps(&shared["alone"], "time_ps") as f64);
}

/// Ways and banks of their own do not help where miss registers are shared (Valsan, Yun, Farshchi, RTAS 2016).
#[test]
fn shared_miss_registers_are_taken() {
    let more = "ways = \"0-7\"\nbanks = \"0-1\"\nparameters.bytes = \"2 MiB\"";
    let apart = FITS
        .replace("parameters.bytes = \"64 KiB\"", more)
        .replace("role =", "ways = \"8-15\"\nbanks = \"2-3\"\nrole =")
        .replace(
            "warm_up.passes = 1\nmeasure.passes",
            "warm_up.operations = 200\nmeasure.operations",
        )
        .replace("operations = 1\n", "operations = 1000\n")
        .replace("buddy", "palloc");
    let directory = directory_with(&[("apart.toml", &apart)]);
    let here = directory.path();
    let few = attacked("apart.toml", "48", &["llc.mshrs=4"], here);
    let why = few["unbounded"]["why"].as_str().expect("no bound");
    assert!(why.contains("miss registers"), "{why}");
    let enough = attacked("apart.toml", "48", &[], here);
    assert!(slowdown(&few) > 1.8, "{}", slowdown(&few));
    assert!(slowdown(&enough) < 1.2, "{}", slowdown(&enough));
    assert!(enough["unbounded"].is_null() && ps(&enough, "observed_ps") <= ps(&enough["bound"], "longest_ps"));
}

/// Bounds that forget a term are exceeded: what others delay its reads by, refreshes, periods that are lost to its own budget.
#[test]
fn bounds_without_a_term_are_exceeded() {
    let scarce = PAIR
        .replace(
            "policy.frames",
            "bandwidth.period = \"50 us\"\nbandwidth.reclaim = false\npolicy.bandwidth = \"memguard\"\npolicy.frames",
        )
        .replace("ways = \"0-7\"\n", "ways = \"0-7\"\nreserve = \"20 MB/s\"\n");
    let directory = directory_with(&[("pair.toml", PAIR), ("scarce.toml", &scarce)]);
    let here = directory.path();
    let of_bound = |task: &Value, term: &str| ps(&task["bound"], "longest_ps") - ps(&task["bound"], term);
    let task = attacked("pair.toml", "32", &[], here);
    exceeded(&task, of_bound(&task, "reads_ps"), "reads");
    let task = attacked("scarce.toml", "32", &[], here);
    exceeded(&task, of_bound(&task, "budgets_ps"), "budgets");
    // Two reads, that meet a refresh if they come when one is due.
    let few = ["measure.operations=2", "warm_up.operations=1000"];
    let task = attacked("pair.toml", "128", &few, here);
    let bound = json(
        &["bound", "pair.toml", "--json", "--set", few[0], "--set", few[1]],
        here,
    );
    let bound = &bound["data"]["points"][0]["tasks"][0];
    let parts = bound["reads"]["bound"].as_object().expect("parts");
    let cycles: u64 = parts.values().filter_map(Value::as_u64).sum();
    let longest = ps(&bound["reads"], "longest_ps");
    let without = longest - longest * ps(&bound["reads"]["bound"], "refresh") / cycles;
    let alone = &bound["work"]["alone"];
    let without = ps(alone, "time_ps") - ps(alone, "in_memory_ps") + ps(alone, "reads") * without;
    exceeded(&task, without, "refreshes");
}

/// A cluster of sixteen cores in order, beside each other in one cache: a victim, and fifteen others.
const SIXTEEN: &str = r#"name = "sixteen"
machine = "zcu102"
cores = 16
llc.cores_per_cache = 16
memory.controller = { hit_cap = 1, drain_once = true, refresh = "none" }
warm_up.operations = 2000
policy.frames = "palloc"
[[task]]
name = "victim"
program = "random"
core = 0
banks = "0"
ways = "0-3"
parameters.bytes = "2 MiB"
[[task]]
name = "noise"
program = "random"
cores = "1-15"
ways = "4-15"
role = "background"
parameters.bytes = "2 MiB"
"#;

/// A miss waits for the lines of others before its own core's displaced lines are taken: with a write buffer of one line each of them is a drain, of which
/// the bound of a read has one.
#[test]
fn a_bound_without_the_wait_for_displaced_lines_is_exceeded() {
    let banks: Vec<String> = (1..16).map(|bank| bank.to_string()).collect();
    let stores = SIXTEEN
        .replace(
            "refresh =",
            "drain_high = 1, drain_low = 0, queues = { kind = \"global\", reads = 32, writes = 1 }, refresh =",
        )
        .replace("warm_up", "measure.operations = 400\nwarm_up")
        .replace(
            "parameters.bytes = \"2 MiB\"",
            "parameters = { bytes = \"2 MiB\", write_percent = 100 }",
        )
        .replace("cores = \"1-15\"", &format!("cores = \"1-15\"\nbanks_each = {banks:?}"));
    let directory = directory_with(&[("stores.toml", &stores)]);
    let task = attacked("stores.toml", "16", &[], directory.path());
    let without = ps(&task["bound"], "longest_ps") - ps(&task["bound"], "write_backs_ps");
    exceeded(&task, without, "displaced lines");
}

/// What budgets let others move before the task's reads, while it works for less than a period: without these lines the bound is its own reads'
/// service, what they wait for the last command before each of their own, and what its own budget may add.
#[test]
fn a_bound_without_the_lines_of_others_budgets_is_exceeded() {
    let budgets = SIXTEEN
        .replace("warm_up", "bandwidth = { period = \"100 us\", reclaim = false, interrupt = 0 }\npolicy.bandwidth = \"memguard\"\nwarm_up")
        .replace("ways = \"0-3\"", "ways = \"0-3\"\nreserve = \"700 MB/s\"")
        .replace("ways = \"4-15\"", "ways = \"4-15\"\nbanks = \"0\"\nreserve = \"20 MB/s\"")
        .replacen("\"random\"", "\"latency\"", 1);
    let directory = directory_with(&[("budgets.toml", &budgets)]);
    let here = directory.path();
    let task = attacked("budgets.toml", "200", &["measure.operations=100"], here);
    assert_eq!(task["bound"]["by_budgets"], true, "{task}");
    // Smaller budgets, so that half the reads are bounded by them, too: as many lines of others beside half the reads.
    let delay = |operations: &str| {
        let set = ["--set", operations, "--set", "task.noise.reserve='5 MB/s'"];
        let document = json(&[&["bound", "budgets.toml", "--json"], &set[..]].concat(), here);
        let work = &document["data"]["points"][0]["tasks"][0]["work"];
        assert_eq!(work["by_budgets"], true, "{work}");
        ps(work, "reads_ps")
    };
    let own = 2 * (delay("measure.operations=100") - delay("measure.operations=50"));
    // Its own budget is not used up, and interrupts take nothing: what it may add does not count here.
    let without = ps(&task["alone"], "time_ps") + own;
    exceeded(&task, without, "lines of others");
}

fn exceeded(task: &Value, without: u64, what: &str) {
    let (observed, bound) = (ps(task, "observed_ps"), ps(&task["bound"], "longest_ps"));
    assert!(without < observed && observed <= bound, "{what}: {without} {task}");
}

/// Jobs: attackers may have periods, and come when jobs of the task do; of a core with several tasks one is the attacker.
#[test]
fn jobs_are_attacked() {
    let jobs = PAIR
        .replace(
            "warm_up.operations = 2000\nmeasure.operations = 3000",
            "measure.jobs = 3",
        )
        .replace("core = 0\n", "core = 0\nperiod = \"200 us\"\nwcet = \"100 us\"\n")
        .replace(
            "parameters.bytes = \"2 MiB\"\n[[task]]",
            "parameters.bytes = \"64 KiB\"\n[[task]]",
        )
        + "[[task]]\nname = \"other\"\nprogram = \"random\"\ncore = 1\nbanks = \"4\"\nways = \"8-15\"\nrole = \"background\"\n\
           period = \"400 us\"\nwcet = \"10 us\"\nparameters = { bytes = \"64 KiB\", accesses = 10 }\n";
    let directory = directory_with(&[("jobs.toml", &jobs)]);
    let here = directory.path();
    let task = attacked("jobs.toml", "32", &[], here);
    let (observed, bound) = (ps(&task, "observed_ps"), ps(&task["bound"], "longest_ps"));
    assert!(ps(&task["alone"], "time_ps") < observed && observed <= bound, "{task}");
    let attackers = &task["attackers"];
    assert_eq!(attackers[0]["names"], json!(["reader", "other"]));
    assert_eq!(attackers[0]["banks"], json!(["2-3", "4"]));
}
