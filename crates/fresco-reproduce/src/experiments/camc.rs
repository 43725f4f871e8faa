// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the CAMC experiments.

use super::row;
use fresco_report::claims::Row;
use fresco_system::Role;
use fresco_system::results::{PointResult, RunResult, ScenarioResult, Spread, TaskResult};

/// The paper's name for the program alone.
const SINGLE_RUN: &str = "single_run";
/// In the background a task runs as long as the measured one does. What is comparable is its time for the same work:
/// this many loads and stores.
const WORK: f64 = 1e6;

/// Table 2.1: time of a write, mean and deviation over the blocks of 524,288 writes.
pub fn by_controller(result: &ScenarioResult) -> Vec<Row> {
    let row = |node: &String, run: &RunResult| {
        let task = run.tasks.first()?;
        let (pass, writes) = (task.pass_time_ns?, task.operations as f64 / task.passes as f64);
        let row = Row::new()
            .label("node", node)
            .value("access_ns.mean", pass.mean / writes);
        Some(with_deviation(row, "access_ns.stddev", &pass, writes))
    };
    let of_point = |point: &PointResult| {
        let Some(node) = point.values.first() else {
            return Vec::new();
        };
        let of_run = |run| row(node, run).into_iter().collect();
        row::means(&point.runs.iter().map(of_run).collect::<Vec<Vec<Row>>>())
    };
    result.points.iter().flat_map(of_point).collect()
}

/// Table 2.2: time of a write, mean of the four tasks; mean and deviation over the repetitions.
pub fn by_allocator(result: &ScenarioResult) -> Vec<Row> {
    let row = |point: &PointResult| {
        let of_run = |tasks: &[TaskResult]| Spread::of(tasks.iter().map(|task| task.access_time_ns)).mean;
        let access = Spread::of(point.runs.iter().map(|run| of_run(&run.tasks)));
        let row = Row::new().label("policy", point.values.first()?);
        let row = row.value("access_ns.mean", access.mean);
        Some(with_deviation(row, "access_ns.stddev", &access, 1.0))
    };
    result.points.iter().filter_map(row).collect()
}

/// Figure 2.4: a program and three attackers.
pub fn beside_attackers(result: &ScenarioResult) -> Vec<Row> {
    let row = |point: &PointResult| {
        let [program, policy] = point.values.as_slice() else {
            return None;
        };
        let attackers = if policy == SINGLE_RUN { 0 } else { 3 };
        let row = Row::new()
            .label("program", program)
            .label("policy", policy)
            .label("attackers", attackers);
        Some(attacked(row, point))
    };
    result.points.iter().filter_map(row).collect()
}

/// Figure 2.5: integer sort and up to fifteen attackers. Without any, policies do not differ: one of them is the single
/// run.
pub fn beside_many_attackers(result: &ScenarioResult) -> Vec<Row> {
    let program = result
        .points
        .first()
        .and_then(|point| point.runs.first()?.tasks.first());
    let program = program.map_or("", |task| task.program.as_str());
    let of_policy = |policy: &str, point: &PointResult| {
        let row = Row::new().label("program", program).label("policy", policy);
        Some(attacked(row.label("attackers", point.values.get(1)?), point))
    };
    with_single_run(result, of_policy)
}

/// The deviation of values, in units of `unit`; a single one has none.
fn with_deviation(row: Row, name: &str, values: &Spread, unit: f64) -> Row {
    match values.count {
        0 | 1 => row,
        _ => row.value(name, values.stddev / unit),
    }
}

/// Run time of the program, and of the attackers for the same work.
fn attacked(row: Row, point: &PointResult) -> Row {
    let row = timed(row, point);
    let run_time = measured(point);
    let row = with_deviation(row, "time_ms.stddev", &run_time, 1.0);
    match background(point) {
        Some(stream) => row
            .value("stream_time_ms.mean", stream.mean)
            .value("stream_time_ms.min", stream.min)
            .value("stream_time_ms.max", stream.max),
        None => row,
    }
}

/// Figures 2.6 and 2.7: a program beside up to three more of it.
pub fn beside_its_like(result: &ScenarioResult) -> Vec<Row> {
    let of_policy = |policy: &str, point: &PointResult| {
        let row = Row::new()
            .label("policy", policy)
            .label("corunners", point.values.get(1)?);
        let row = timed(row, point);
        Some(match background(point) {
            Some(time) => row
                .value("background_ms.min", time.min)
                .value("background_ms.max", time.max),
            None => row,
        })
    };
    with_single_run(result, of_policy)
}

/// A row of each point under its policy, and one of the task alone.
fn with_single_run(result: &ScenarioResult, of_policy: impl Fn(&str, &PointResult) -> Option<Row>) -> Vec<Row> {
    let points = result
        .points
        .iter()
        .filter_map(|point| of_policy(point.values.first()?, point));
    let single = alone(result).and_then(|point| of_policy(SINGLE_RUN, point));
    points.chain(single).collect()
}

/// The last policy without any other task: all policies give a task alone the same bank.
fn alone(result: &ScenarioResult) -> Option<&PointResult> {
    result
        .points
        .iter()
        .rfind(|point| point.values.get(1).is_some_and(|value| value == "0"))
}

fn timed(row: Row, point: &PointResult) -> Row {
    let time = measured(point);
    row.value("time_ms.mean", time.mean)
        .value("time_ms.min", time.min)
        .value("time_ms.max", time.max)
}

/// Run time of the measured task, in milliseconds, over the repetitions.
fn measured(point: &PointResult) -> Spread {
    let tasks = point.runs.iter().flat_map(|run| &run.tasks);
    let measured = tasks.filter(|task| task.role == Role::Measured);
    Spread::of(measured.map(|task| task.run_time_ps as f64 / 1e9))
}

/// Time of [`WORK`] in the background, in milliseconds, over tasks and repetitions; `None` if there is no such task.
fn background(point: &PointResult) -> Option<Spread> {
    let tasks = point.runs.iter().flat_map(|run| &run.tasks);
    let tasks = tasks.filter(|task| task.role == Role::Background && task.operations > 0);
    let times = Spread::of(tasks.map(|task| task.access_time_ns * WORK / 1e6));
    (times.count > 0).then_some(times)
}
