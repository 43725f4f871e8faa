// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the experiments with periodic tasks: CAMC's two on a core (BEN-6), PALLOC's one (BEN-5).

use fresco_report::claims::Row;
use fresco_system::results::{Latency, PointResult, RunResult, ScenarioResult};

/// CAMC: execution times and misses of each periodic task, by policy and task. Of repetitions: the extremes of all, the mean of the others.
pub fn camc(result: &ScenarioResult) -> Vec<Row> {
    let mut rows = Vec::new();
    for point in &result.points {
        for (number, task) in point.tasks.iter().enumerate() {
            let Some(jobs) = &task.jobs else { continue };
            let Some(policy) = point.values.first() else { continue };
            let mut row = Row::new().label("policy", policy).label("task", &task.name);
            let runs = point.runs.iter().filter_map(|run| execution(run, number));
            let runs: Vec<&Latency> = runs.collect();
            if !runs.is_empty() {
                let mean = |of: fn(&Latency) -> f64| runs.iter().map(|run| of(run)).sum::<f64>() / runs.len() as f64;
                let min = runs.iter().map(|run| run.min_ns).fold(f64::INFINITY, f64::min);
                let max = runs.iter().map(|run| run.max_ns).fold(0.0, f64::max);
                row = row
                    .value("time_ms.mean", mean(|run| run.mean_ns) / 1e6)
                    .value("time_ms.min", min / 1e6)
                    .value("time_ms.max", max / 1e6)
                    .value("time_ms.stddev", mean(|run| run.stddev_ns) / 1e6);
            }
            rows.push(row.value("miss_pct", 100.0 * jobs.miss_rate));
        }
    }
    rows
}

/// PALLOC: run times (release to end: nothing else runs on the core) and misses of the periodic task, by policy.
pub fn palloc(result: &ScenarioResult) -> Vec<Row> {
    let row = |point: &PointResult| {
        let jobs = point.tasks.iter().find_map(|task| task.jobs.as_ref())?;
        let row = Row::new().label("policy", point.values.first()?);
        let row = row
            .value("time_ms.mean", jobs.response.mean_ns / 1e6)
            .value("time_ms.p99", jobs.response.p99_ns / 1e6)
            .value("time_ms.stddev", jobs.response.stddev_ns / 1e6);
        Some(row.value("miss_pct", 100.0 * jobs.miss_rate))
    };
    result.points.iter().filter_map(row).collect()
}

/// Execution times of the jobs of a task in a run; `None` if none has ended.
fn execution(run: &RunResult, task: usize) -> Option<&Latency> {
    let jobs = run.tasks[task].jobs.as_ref()?;
    (jobs.completed > 0).then_some(&jobs.execution)
}
