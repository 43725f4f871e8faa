// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the experiments with periodic tasks: CAMC's two on a core (BEN-6), PALLOC's one (BEN-5).

use fresco_report::claims::Row;
use fresco_system::results::{Latency, PointResult, ScenarioResult};

/// CAMC: execution times and misses of each periodic task, by policy and task.
pub fn camc(result: &ScenarioResult) -> Vec<Row> {
    let mut rows = Vec::new();
    for point in &result.points {
        for (number, task) in point.tasks.iter().enumerate() {
            let Some(jobs) = &task.jobs else { continue };
            let Some(policy) = point.values.first() else { continue };
            let mut row = Row::new().label("policy", policy).label("task", &task.name);
            if let Some(execution) = execution(point, number) {
                row = row
                    .value("time_ms.mean", execution.mean_ns / 1e6)
                    .value("time_ms.min", execution.min_ns / 1e6)
                    .value("time_ms.max", execution.max_ns / 1e6)
                    .value("time_ms.stddev", execution.stddev_ns / 1e6);
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

/// Execution times of the jobs of a task; `None` if none has ended.
fn execution(point: &PointResult, task: usize) -> Option<&Latency> {
    let jobs = point.runs.first()?.tasks[task].jobs.as_ref()?;
    (jobs.completed > 0).then_some(&jobs.execution)
}
