// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco advise`: what is proposed keeps the goals when the scenario is run with it, and what cannot be kept is said.

use crate::common::{directory_with, first_run, fresco, json, stdout};
use serde_json::Value;
use std::path::Path;

/// A program that waits for each of its reads, beside one that scatters writes over the same controller.
const SCENARIO: &str = r#"name = "pair"
machine = "xeon-w3530"
bandwidth.period = "10 us"
warm_up = { operations = 3000 }
measure = { operations = 3000 }
[[task]]
name = "victim"
program = "latency"
core = 0
parameters.bytes = "16 MiB"
[[task]]
name = "writer"
program = "random"
cores = "1-3"
role = "background"
parameters = { bytes = "32 MiB", write_percent = 50, gap = 20 }
"#;

fn prepared() -> tempfile::TempDir {
    directory_with(&[("pair.toml", SCENARIO)])
}

fn advised(more: &[&str], here: &Path) -> Value {
    let all: Vec<&str> = ["advise", "pair.toml", "--json"].iter().chain(more).copied().collect();
    json(&all, here)["data"].take()
}

fn numbers<'v>(list: &'v Value, key: &str) -> Vec<&'v Value> {
    let list = list.as_array().expect("a list");
    list.iter().map(|one| &one[key]).collect()
}

/// Instructions per cycle of the victim, as a run of the scenario prints it.
fn speed(sets: &[String], here: &Path) -> f64 {
    let mut arguments = vec!["sim", "pair.toml", "--json"];
    for set in sets {
        arguments.extend(["--set", set]);
    }
    let result = json(&arguments, here);
    let tasks = result["data"]["scenarios"][0]["points"][0]["tasks"]
        .as_array()
        .expect("tasks")
        .clone();
    let victim = tasks.iter().find(|task| task["name"] == "victim").expect("it ran");
    victim["instructions_per_cycle"]["mean"].as_f64().expect("a number")
}

#[test]
fn the_proposal_keeps_the_goals_when_it_is_run() {
    let directory = prepared();
    let here = directory.path();
    let advice = advised(&["--max-slowdown", "1.1"], here);
    let tried = advice["tried"].as_array().expect("a list");
    let place = advice["proposed"].as_u64().expect("a proposal") as usize;
    let proposed = &tried[place];
    assert_eq!(proposed["outcome"]["meets_goals"], true);
    let cheaper = tried[..place].iter().all(|one| one["outcome"]["meets_goals"] == false);
    assert!(cheaper, "a cheaper partition meets the goals");
    let cost = |one: &Value| one["candidate"]["cost"].as_f64().expect("a number");
    assert!(tried.windows(2).all(|pair| cost(&pair[0]) <= cost(&pair[1])));

    // The keys that are printed make the same run.
    let text = stdout(&["advise", "pair.toml", "--max-slowdown", "1.1", "--out", "o"], here);
    let key = |line: &str| Some(line.trim().strip_prefix("--set '")?.strip_suffix('\'')?.to_owned());
    let sets: Vec<String> = text.lines().filter_map(key).collect();
    assert!(sets.len() >= 2, "{text}");
    let alone = speed(&["corunners=0".to_owned()], here);
    let slowdown = alone / speed(&sets, here);
    let said = proposed["outcome"]["slowdowns"]["victim"].as_f64().expect("a number");
    assert!((slowdown - said).abs() < 1e-9, "{slowdown} {said}");
    assert!(slowdown <= 1.1);
    // The figures: a mark for each partition and no line between them, slowdowns from 1, the amounts that were tried.
    let figure = |name: &str| std::fs::read_to_string(here.join("o").join(name)).expect("a figure");
    let frontier = figure("frontier.svg");
    let lines = frontier.split("<polyline").skip(1);
    let of_series = lines.filter(|line| line.split('>').next().is_some_and(|tag| tag.contains("class=\"c")));
    assert_eq!(of_series.count(), 0, "{frontier}");
    let marks = ["circle", "polygon"].map(|kind| frontier.matches(&format!("<{kind}")).count());
    assert!(marks.iter().sum::<usize>() > 0 && frontier.contains("largest slowdown (x), axis starts at 1"));
    let banks = figure("sensitivity-banks.svg");
    assert!(banks.contains("\nbanks (colors, log scale)\n"), "{banks}");
    let curves = advice["curves"].as_array().expect("a list");
    let curve = curves.iter().find(|curve| curve["resource"] == "banks").expect("one");
    for point in curve["points"].as_array().expect("points") {
        assert!(banks.contains(&format!("\n{}\n", point[0])), "{point}");
    }
    let page = figure("index.html");
    assert_eq!(page.matches("<h1").count(), 1);
    assert!(page.contains("<h1>pair: which partition?</h1>"));
    // Without it the goal is missed: else there would be nothing to propose.
    assert!(alone / speed(&[], here) > 1.1);
}

#[test]
fn curves_have_every_resource_and_end_at_full_speed() {
    let directory = prepared();
    let advice = advised(&["--max-slowdown", "1000"], directory.path());
    assert_eq!(numbers(&advice["curves"], "resource"), ["banks", "llc", "bandwidth"]);
    for curve in advice["curves"].as_array().expect("a list") {
        let points = curve["points"].as_array().expect("points");
        let last = points.last().and_then(|point| point[1].as_f64()).expect("a number");
        assert!((0.9..1.1).contains(&last), "{curve}");
    }
    // Nothing is set aside for goals that are met without.
    assert_eq!(advice["proposed"], 0);
    assert_eq!(advice["tried"][0]["candidate"]["cost"], 0.0);
}

#[test]
fn budgets_are_not_tried_in_phases_too_short_to_show_them() {
    let directory = prepared();
    let long = ["--max-slowdown", "1000", "--set", "bandwidth.period=1 ms"];
    let advice = advised(&long, directory.path());
    assert!(advice["budget_periods"].as_u64().expect("a number") < 10);
    assert_eq!(numbers(&advice["curves"], "resource"), ["banks", "llc"]);
    let tried = advice["tried"].as_array().expect("a list");
    assert!(tried.iter().all(|one| one["candidate"]["reserved"].is_null()));
    let warnings = advice["warnings"].to_string();
    assert!(warnings.contains("bandwidth budgets were not tried"), "{warnings}");
}

#[test]
fn goals_that_nothing_meets_are_no_success() {
    let directory = prepared();
    let goal = "victim:bandwidth=100 GB/s";
    let output = fresco(&["advise", "pair.toml", "--goal", goal], directory.path());
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("No proposal"), "{text}");
    assert!(text.contains("no partition that was tried meets all goals"), "{text}");
}

/// Three threads of one program share what a controller guarantees, alone too.
#[test]
fn teams_are_measured_under_budgets_that_a_controller_can_serve() {
    let text = r#"name = "team"
machine = "xeon-w3530"
bandwidth.period = "10 us"
warm_up.passes = 0
measure.passes = 1
[[task]]
name = "t"
program = "lbm"
cores = "0-2"
parameters.n = 32
"#;
    let directory = directory_with(&[("team.toml", text)]);
    let arguments = ["advise", "team.toml", "--max-slowdown", "1000", "--json"];
    let advice = json(&arguments, directory.path())["data"].take();
    let curves = advice["curves"].as_array().expect("a list");
    let bandwidth = curves
        .iter()
        .find(|curve| curve["resource"] == "bandwidth")
        .expect("it is varied");
    let most = bandwidth["points"][3][0].as_u64().expect("a number");
    let guaranteed = advice["guaranteed_bytes_per_s"].as_u64().expect("a number");
    assert!(
        3 * most * 1_000_000 <= guaranteed,
        "{most} MB/s for each of three cores"
    );
}

#[test]
fn missed_deadlines_have_a_column() {
    let text = r#"name = "hurried"
machine = "xeon-w3530"
measure.jobs = 4
[[task]]
name = "p"
program = "latency"
core = 0
period = "1 ms"
deadline = "10 us"
parameters.bytes = "1 MiB"
"#;
    let directory = directory_with(&[("hurried.toml", text)]);
    let output = fresco(&["advise", "hurried.toml"], directory.path());
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("missed by"), "{text}");
}

/// The plan is the proposal: planned again from the printed keys it is the same, it is sound, and what runs keeps its colors.
#[test]
fn the_proposal_is_written_as_a_plan() {
    let directory = prepared();
    let here = directory.path();
    let text = stdout(&["advise", "pair.toml", "--plan", "advised.json"], here);
    assert!(text.contains("plan     advised.json"), "{text}");
    let keys = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--set '")?.strip_suffix('\''));
    let mut again = vec!["plan", "pair.toml", "--method", "partition", "--json"];
    keys.for_each(|key| again.extend(["--set", key]));
    let planned = json(&again, here)["data"].take();
    let read = |name: &str| -> Value {
        serde_json::from_slice(&std::fs::read(here.join(name)).expect("is there")).expect("JSON")
    };
    let mut advised = read("advised.json")["data"].take();
    assert_eq!(advised["method"], "partition");
    assert!(
        advised["reasons"]
            .to_string()
            .contains("slowdowns as measured on the model: victim 1."),
        "{advised}"
    );
    advised["reasons"] = planned["reasons"].clone();
    assert_eq!(advised, planned);
    assert_eq!(json(&["check", "advised.json", "--json"], here)["data"]["sound"], true);
    let simulated = json(&["sim", "advised.json", "--horizon", "2 ms", "--json"], here);
    let promises = first_run(&simulated)["promises"].as_array().expect("a list");
    let kept = |part: &str| {
        promises
            .iter()
            .any(|one| one["what"].as_str().expect("words").contains(part) && one["kept"] == true)
    };
    assert!(
        kept("every page lies in the colors of its task") && kept("timing and retention"),
        "{promises:?}"
    );
    // Advice on the tasks of a plan begins anew: what the plan gives them is no part of the question.
    let short = ["--set", "measure.operations=2000", "--set", "warm_up.operations=500"];
    let all = [
        &["advise", "advised.json", "--max-slowdown", "1000", "--json"][..],
        &short,
    ]
    .concat();
    let anew = json(&all, here)["data"].take();
    let none = &anew["tried"][anew["proposed"].as_u64().expect("a proposal") as usize]["candidate"];
    assert!(
        none["cost"] == 0.0 && anew["goals"].as_object().expect("goals").len() == 4,
        "{none}"
    );
}

#[test]
fn a_plan_that_cannot_be_is_told_before_anything_runs() {
    let directory = prepared();
    let here = directory.path();
    for (words, told) in [
        (&["--plan", "pair.toml"][..], "--plan"),
        (&["--plan", "o/index.html", "--out", "o"], "--plan"),
        (
            &["--plan", "p.json", "--set", "task.writer.start=\"1 us\""],
            "task.writer.start",
        ),
        (
            &[
                "--plan",
                "p.json",
                "--set",
                "task.victim.program=strides-parallel",
                "--set",
                "task.victim.cores=\"0-1\"",
            ],
            "task.victim",
        ),
    ] {
        let all: Vec<&str> = ["advise", "pair.toml"].iter().chain(words).copied().collect();
        let found = crate::common::refused(&all, here);
        assert!(found.contains(told), "{found}");
        assert!(!here.join("p.json").exists());
    }
    // No partition meets the goal: no plan, and a plan that is there stays.
    std::fs::write(here.join("p.json"), "mine").expect("writable");
    let done = fresco(
        &[
            "advise",
            "pair.toml",
            "--goal",
            "victim:bandwidth=100GB/s",
            "--plan",
            "p.json",
        ],
        here,
    );
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(std::fs::read(here.join("p.json")).expect("is there"), b"mine");
}

/// One read of a core under way: a bank of its own makes the worst read shorter, and a bound is proven beside it.
const IN_ORDER: &str = r#"name = "pair"
machine = "imx8m-mini"
memory.controller = { hit_cap = 4, drain_once = true, refresh = "none" }
warm_up = { operations = 500 }
measure = { operations = 500 }
[[task]]
name = "victim"
program = "latency"
core = 0
parameters.bytes = "2 MiB"
[[task]]
name = "reader"
program = "random"
cores = "1-2"
role = "background"
parameters = { bytes = "2 MiB", gap = 20 }
"#;

#[test]
fn a_goal_of_reads_is_judged_by_attacks() {
    let directory = directory_with(&[("pair.toml", IN_ORDER)]);
    let here = directory.path();
    let longest = |advice: &Value, place: usize| advice["tried"][place]["outcome"]["reads"]["victim"].clone();
    let easy = advised(&["--max-slowdown", "5", "--goal", "victim:read=1ms"], here);
    let shared = longest(&easy, 0)["observed_ps"].as_u64().expect("attacked");
    assert_eq!(easy["proposed"], 0, "nothing is set aside");
    let goal = format!("victim:read={}ns", shared / 1000 - 1);
    let hard = advised(&["--max-slowdown", "5", "--goal", &goal], here);
    let proposed = hard["proposed"].as_u64().expect("a partition") as usize;
    assert!(proposed > 0 && hard["tried"][0]["outcome"]["meets_goals"] == false);
    let apart = longest(&hard, proposed);
    let observed = apart["observed_ps"].as_u64().expect("attacked");
    assert!(observed < shared && observed <= apart["bound_ps"].as_u64().expect("bounded"));
    let impossible = fresco(
        &[
            "advise",
            "pair.toml",
            "--max-slowdown",
            "5",
            "--goal",
            "victim:read=10ns",
        ],
        here,
    );
    assert_eq!(impossible.status.code(), Some(1));
}
