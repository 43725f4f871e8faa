// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a run to the rows that claims are checked against.

use super::{Case, Rows};
use fresco_plan::plan::PlannedTask;
use fresco_report::claims::Row;
use fresco_system::experiment::{RunOutcome, TaskOutcome};

/// Bytes of a line.
const LINE: f64 = 64.0;

/// The rows of a run, for a density.
pub(super) fn of(case: &Case, density: u32, result: &RunOutcome) -> Rows {
    let tasks = case.plan.tasks.iter().zip(&result.tasks);
    let tasks = tasks
        .map(|(planned, outcome)| task(labelled(case, density), case, planned, outcome))
        .collect();
    Rows {
        tasks,
        set: set(labelled(case, density), case, result),
    }
}

fn labelled(case: &Case, density: u32) -> Row {
    let row = Row::new()
        .label("density", density.to_string())
        .label("method", case.method);
    match case.policy {
        Some(policy) => row.label("policy", policy),
        None => row,
    }
}

/// Execution times of the jobs that ended, in ms.
fn executions(outcome: &TaskOutcome) -> Vec<f64> {
    let ended = outcome.jobs.iter().filter(|job| job.end_ps.is_some());
    ended.map(|job| job.execution_ps as f64 / 1e9).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn task(row: Row, case: &Case, planned: &PlannedTask, outcome: &TaskOutcome) -> Row {
    let times = executions(outcome);
    let average = mean(&times);
    let variance = mean(&times.iter().map(|time| (time - average).powi(2)).collect::<Vec<_>>());
    let latency = &outcome.reads.latency;
    let mut row = row.label("task", &planned.name);
    if !times.is_empty() {
        row = row
            .value("exec_ms.mean", average)
            .value("exec_ms.min", times.iter().copied().fold(f64::INFINITY, f64::min))
            .value("exec_ms.max", times.iter().copied().fold(0.0, f64::max))
            .value("exec_ms.stddev", variance.sqrt());
    }
    let row = row
        .value("latency_ns.mean", latency.mean_ns)
        .value("latency_ns.median", latency.p50_ns)
        .value("latency_ns.min", latency.min_ns)
        .value("latency_ns.max", latency.max_ns)
        .value("latency_ns.stddev", latency.stddev_ns)
        .value("accesses", outcome.reads.count as f64)
        .value("interfered_accesses", outcome.met_refresh.accesses() as f64)
        .value("misses", outcome.misses as f64);
    match case.policy {
        Some(_) => row.value("period_ms", planned.period_ns as f64 / 1e6),
        None => row,
    }
}

fn set(row: Row, case: &Case, result: &RunOutcome) -> Row {
    let sum = |part: &dyn Fn(&TaskOutcome) -> f64| result.tasks.iter().map(part).sum::<f64>();
    let tasks = case.plan.tasks.iter().zip(&result.tasks);
    let utilization: f64 = tasks
        .map(|(planned, outcome)| mean(&executions(outcome)) / (planned.period_ns as f64 / 1e6))
        .sum();
    let accesses = sum(&|task| task.reads.count as f64);
    let interfered = sum(&|task| task.met_refresh.accesses() as f64);
    let executed_s = sum(&|task| executions(task).iter().sum::<f64>()) / 1e3;
    let row = row
        .value("utilization", utilization)
        .value("misses", sum(&|task| task.misses as f64))
        .value("interfered_accesses", interfered)
        .value("accesses", accesses)
        .value("interfered_pct", 100.0 * interfered / accesses.max(1.0))
        .value(
            "retention_violations",
            result.checker.as_ref().map_or(0.0, |checker| checker.late_rows as f64),
        )
        .value(
            "throughput_mb_s",
            accesses * LINE / executed_s.max(f64::MIN_POSITIVE) / 1e6,
        );
    if case.policy.is_some() {
        return row;
    }
    let (copies, longer_ms) = copying(result);
    row.value("copies", copies)
        .value(
            "overhead_us_per_s",
            longer_ms * 1e3 * copies / (result.horizon_ns as f64 / 1e9),
        )
        .value("switch_us", longer_ms * 1e3)
}

/// Number of jobs that began with a copy, and how much longer than the others of their task they took on average, in ms.
fn copying(result: &RunOutcome) -> (f64, f64) {
    let mut longer = Vec::new();
    for task in &result.tasks {
        let ended = |copied: bool| {
            let jobs = task
                .jobs
                .iter()
                .filter(move |job| job.end_ps.is_some() && (job.copied_bytes > 0) == copied);
            jobs.map(|job| job.execution_ps as f64 / 1e9).collect::<Vec<f64>>()
        };
        let (with, without) = (ended(true), ended(false));
        if !without.is_empty() {
            longer.extend(with.iter().map(|time| time - mean(&without)));
        }
    }
    (
        result.tasks.iter().map(|task| task.copies as f64).sum(),
        mean(&longer).max(0.0),
    )
}
