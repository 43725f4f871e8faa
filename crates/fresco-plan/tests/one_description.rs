// SPDX-License-Identifier: MIT OR Apache-2.0
//! One description: a scenario is planned, and a plan is read as the scenario of its tasks.

use fresco_plan::{Method, Plan, TaskSet, plan};
use fresco_rt::policy::{Order, Policy};
use fresco_scenario::plan::{PageTables, PlannedFrames};
use fresco_scenario::{Paging, Scenario, Source};
use std::path::Path;

const SCENARIO: &str = r#"
name = "both"
title = "Simulated as it stands, or planned"
machine = "gem5-2core"
repetitions = 2
measure.jobs = 3

[memory]
controller.page = "closed"

[policy]
scheduler = "rm"

[plan]
cores = 2

[[task]]
name = "control"
program = "lms"
parameters.samples = 2000
cores = "0-1"
memory = "1 MiB"
period = "8 ms"
wcet = "1 ms"

[[task]]
name = "vision"
program = "cnt"
parameters.n = 100
core = 1
memory = "1 MiB"
period = "32 ms"
deadline = "30 ms"
phase = "1 ms"
wcet = "2 ms"
command = ["./vision", "--fast"]
"#;

fn set(text: &str, overrides: &[&str]) -> TaskSet {
    let overrides: Vec<String> = overrides.iter().map(|word| (*word).to_owned()).collect();
    TaskSet::parse("both.toml", text, Path::new(""), &overrides).unwrap_or_else(|error| panic!("{error}"))
}

/// The plan as a file has it.
fn document(plan: &Plan) -> String {
    let data = serde_json::to_string(plan).expect("is data");
    format!("{{\"schema\": \"{}\", \"data\": {data}}}", fresco_plan::plan::SCHEMA)
}

#[test]
fn a_scenario_is_simulated_and_planned() {
    let scenario = Scenario::parse("both.toml", SCENARIO, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.runs().len(), 2);
    let set = set(SCENARIO, &[]);
    let names: Vec<(&str, Option<u32>)> = set.tasks.iter().map(|task| (task.name.as_str(), task.core)).collect();
    assert_eq!(
        names,
        [("control.0", Some(0)), ("control.1", Some(1)), ("vision", Some(1))]
    );
    // The scheduler of the scenario, where the plan asks for no other.
    assert_eq!(set.options.policy, Policy::FixedPriority(Order::RateMonotonic));
    let timing = set.timing();
    assert_eq!(
        (timing[2].phase, timing[2].deadline, timing[2].wcet),
        (1_000_000, 30_000_000, 2_000_000)
    );
    assert_eq!(timing[1].name, "control.1");
}

#[test]
fn a_plan_is_read_as_the_scenario_of_its_tasks() {
    for method in ["aligned", "auto-refresh", "crs", "flat"] {
        let set = set(SCENARIO, &[&format!("plan.method={method}"), "plan.policy=edf"]);
        let first = plan(&set).unwrap_or_else(|refusal| panic!("{method}: {refusal}"));
        let text = document(&first);
        let source =
            Source::of_text("plan.json", text, Path::new("elsewhere")).unwrap_or_else(|error| panic!("{error}"));
        let again = TaskSet::parse(&source.file, &source.text, &source.directory, &[])
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.timing(), set.timing());
        let second = plan(&again).unwrap_or_else(|refusal| panic!("{method}: {refusal}"));
        assert_eq!(first, second, "{method}");
        // And simulated without the plan.
        let scenario = Scenario::parse(&source.file, &source.text, &source.directory, &[]);
        assert_eq!(scenario.unwrap_or_else(|error| panic!("{error}")).runs().len(), 1);
    }
}

#[test]
fn budgets_survive() {
    let budget = "bandwidth.reserve=[\"101 MB/s\", \"77 MB/s\"]";
    let set = set(SCENARIO, &[budget, "plan.method=auto-refresh"]);
    let first = plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
    let text = document(&first);
    let source = Source::of_text("plan.json", text, Path::new("")).unwrap_or_else(|error| panic!("{error}"));
    let again =
        TaskSet::parse(&source.file, &source.text, &source.directory, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.bandwidth, set.bandwidth);
    assert_eq!(
        plan(&again).unwrap_or_else(|refusal| panic!("{refusal}")).method,
        Method::AutoRefresh
    );
}

/// Allocator and paging go through a plan and come back from it.
#[test]
fn allocator_and_paging_stay() {
    let text = SCENARIO.replace("phase = \"1 ms\"", "pages = \"on-touch\"").replace(
        "[policy]",
        "[policy]\nframes = \"tintmalloc\"\npage_tables = \"colored\"",
    );
    let made = plan(&set(&text, &[])).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(made.frames, PlannedFrames::Tintmalloc);
    assert_eq!(made.page_tables, PageTables::Colored);
    let pages: Vec<Paging> = made.tasks.iter().map(|task| task.pages).collect();
    assert!(
        pages.contains(&Paging::OnTouch) && pages.contains(&Paging::AtStart),
        "{pages:?}"
    );
    let source = Source::of_text("plan.json", document(&made), Path::new("")).unwrap_or_else(|error| panic!("{error}"));
    let again =
        TaskSet::parse(&source.file, &source.text, &source.directory, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((again.frames, again.page_tables), (made.frames, made.page_tables));
    assert_eq!(again.tasks.iter().map(|task| task.pages).collect::<Vec<_>>(), pages);
    // What is not said is not written.
    let plain = document(&plan(&set(SCENARIO, &[])).unwrap_or_else(|refusal| panic!("{refusal}")));
    assert!(!plain.contains("\"frames\"") && !plain.contains("\"pages\""));
}

/// What a plan would not heed is refused, at its line.
#[test]
fn what_plans_decide_is_refused() {
    for key in [
        "banks = 1",
        "llc = 1",
        "weight = 2",
        "node = 0",
        "placement = \"local\"",
        "memory_limit = \"1 MiB\"",
    ] {
        let text = SCENARIO.replace("phase = \"1 ms\"", key);
        let error = TaskSet::parse("both.toml", &text, Path::new(""), &[]).expect_err(key);
        assert!(
            error.field.starts_with("task.vision.") && error.line.is_some() && !error.help.is_empty(),
            "{error}"
        );
    }
    let spills = SCENARIO.replace("[policy]", "[policy]\nexhaustion = \"spill\"");
    let error = TaskSet::parse("both.toml", &spills, Path::new(""), &[]).expect_err("spill");
    assert_eq!(error.field, "policy.exhaustion", "{error}");
    let team = SCENARIO
        .replace("program = \"lms\"", "program = \"strides-parallel\"")
        .replace("parameters.samples = 2000\n", "");
    let error = TaskSet::parse("both.toml", &team, Path::new(""), &[]).expect_err("threads");
    assert_eq!(error.field, "task.control.cores", "{error}");
    let two = SCENARIO.replace("[policy]", "[sweep]\ncheck = [true, false]\n[policy]");
    let error = TaskSet::parse("both.toml", &two, Path::new(""), &[]).expect_err("two points");
    assert!(error.found.contains("a sweep of 2 points"), "{error}");
    let one = TaskSet::parse("both.toml", &two, Path::new(""), &["sweep.check=[true]".to_owned()]);
    assert_eq!(one.unwrap_or_else(|error| panic!("{error}")).tasks.len(), 3);
    let wrong = SCENARIO.replace("parameters.n = 100", "parameters.m = 100");
    let error = TaskSet::parse("both.toml", &wrong, Path::new(""), &[]).expect_err("no such parameter");
    assert_eq!(error.field, "task.vision.parameters.m", "{error}");
    let small = SCENARIO.replace("n = 100", "n = 1000");
    let error = TaskSet::parse("both.toml", &small, Path::new(""), &[]).expect_err("too large");
    assert_eq!(error.field, "task.vision.memory", "{error}");
}

/// Servers that are given want tasks with colors: a plan's tasks have those that it gave them.
#[test]
fn the_tasks_of_servers_are_planned_anew() {
    let text = "plan.method = \"crs\"\nmemory = { density = 8, density_scales_refresh_only = true }\n\
                [[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"2 ms\"\n[[task]]\nname = \"b\"\nperiod = \"32 ms\"\nwcet = \"8 ms\"\n";
    let first = plan(&set(text, &[])).unwrap_or_else(|refusal| panic!("{refusal}"));
    let source = Source::of_text("p.json", document(&first), Path::new("")).unwrap_or_else(|error| panic!("{error}"));
    let anew = TaskSet::of(&source, &[]).unwrap_or_else(|error| panic!("{error}"));
    let again = plan(&anew).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!((&again.schedule, &again.tasks), (&first.schedule, &first.tasks));
}
