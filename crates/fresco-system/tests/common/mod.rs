// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests share.
#![allow(dead_code, reason = "each test uses its part")]

pub mod threads;

use fresco_input::InputError;
use fresco_system::results::{PointResult, ScenarioResult, TaskSummary};
use fresco_system::{Scenario, run_all};
use std::path::Path;

/// Directory of the machine `small.toml`.
pub fn data() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
}

/// Reads a scenario from its text.
pub fn parse(text: &str) -> Result<Scenario, InputError> {
    Scenario::parse("test.toml", text, data(), &[])
}

/// Runs a scenario on `threads` threads, with every DRAM command judged by the checker.
pub fn results_on(threads: usize, text: &str) -> ScenarioResult {
    let scenario = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let result = run_all(&scenario, threads, &|_| {}).unwrap_or_else(|error| panic!("{error}"));
    for run in result.points.iter().flat_map(|point| &point.runs) {
        let commands = run.checker.as_ref().expect("tests set check = true").commands;
        assert!(commands > 0);
    }
    result
}

/// Runs a scenario.
pub fn results(text: &str) -> ScenarioResult {
    results_on(2, text)
}

/// The point with these values.
pub fn point<'r>(result: &'r ScenarioResult, values: &[&str]) -> &'r PointResult {
    result
        .points
        .iter()
        .find(|point| point.values == values)
        .expect("there is such a point")
}

/// The summary of a task at a point.
pub fn task<'p>(point: &'p PointResult, name: &str) -> &'p TaskSummary {
    point
        .tasks
        .iter()
        .find(|task| task.name == name)
        .expect("there is such a task")
}
