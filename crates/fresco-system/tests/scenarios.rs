// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenarios that come with Fresco are valid, and each runs from end to end when it is made short.

use fresco_system::{Scenario, run};
use std::path::{Path, PathBuf};

fn shipped() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = std::fs::read_dir(directory).expect("the scenarios are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    files
}

/// Needs traces that do not come with Fresco.
fn needs_traces(path: &Path) -> bool {
    path.ends_with("spec-four.toml") || path.ends_with("recorded.toml")
}

#[test]
fn every_shipped_scenario_is_valid_and_named_after_its_file() {
    for path in shipped().iter().filter(|path| !needs_traces(path)) {
        let scenario = Scenario::load(path, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            Some(scenario.name.as_str()),
            path.file_stem().and_then(|stem| stem.to_str())
        );
        assert!(!scenario.title.is_empty(), "{}", path.display());
    }
}

/// The last point, which is the one with the most tasks, under the checker.
#[test]
fn every_shipped_scenario_runs() {
    for path in shipped().iter().filter(|path| !needs_traces(path)) {
        let text = std::fs::read_to_string(path).expect("readable");
        let mut short = vec!["check=true".to_owned()];
        if text.contains("\n[fill]") {
            short.push("fill.operations=500".to_owned());
        }
        for phase in ["warm_up", "measure"] {
            let periodic = text.split("[[task]]").skip(1).any(|task| task.contains("\nperiod = "));
            let extent = match (phase, text.contains(&format!("[{phase}]\npasses"))) {
                ("warm_up", _) if periodic => "jobs = 0",
                (_, _) if periodic => "jobs = 1",
                (_, true) => "passes = 1",
                // Under budgets a task may wait for the next period.
                (_, false) if text.contains("\n[bandwidth]") => "operations = 2000",
                (_, false) => "operations = 500",
            };
            short.push(format!("{phase}={{{extent}}}"));
        }
        for task in text.split("[[task]]").skip(1).filter(|task| task.contains("writes = ")) {
            let name = task.split('"').nth(1).expect("a task has a name first");
            short.push(format!("task.{name}.parameters.writes=500"));
        }
        // A job of a millisecond has every value that one of tens has.
        if path.ends_with("palloc-tab3.toml") {
            short.extend(["task.hrt.parameters.elements=16384", "task.hrt.period=8 ms"].map(str::to_owned));
        }
        if path.ends_with("tint-serial.toml") {
            short.push("task.thread.parameters.n=32".to_owned());
        }
        let scenario = Scenario::load(path, &short).unwrap_or_else(|error| panic!("{error}"));
        let spec = scenario.runs().pop().expect("a scenario has runs");
        let result = run(&spec).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(
            result.tasks.iter().all(|task| task.operations > 0),
            "{}",
            path.display()
        );
        assert!(result.checker.is_some_and(|checker| checker.commands > 0));
    }
}

#[test]
fn a_scenario_of_traces_says_which_file_is_missing() {
    for (name, missing) in [("spec-four.toml", "403.gcc.gz"), ("recorded.toml", "victim.ftrace")] {
        let path = shipped().into_iter().find(|path| path.ends_with(name)).expect(name);
        assert!(needs_traces(&path));
        let error = Scenario::load(&path, &["trace_dir=/nowhere".to_owned()])
            .err()
            .expect("no traces there");
        assert!(error.to_string().contains(&format!("/nowhere/{missing}")), "{error}");
    }
}
