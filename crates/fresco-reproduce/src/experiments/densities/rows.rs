// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a run to the rows that claims are checked against.

use super::{Case, Rows};
use fresco_plan::plan::{PlannedTask, Schedule};
use fresco_report::claims::Row;
use fresco_system::experiment::{RunOutcome, TaskOutcome};

/// Bytes of a line.
const LINE: f64 = 64.0;

/// The rows of a run, for a density.
pub(super) fn of(case: &Case, density: u32, result: &RunOutcome) -> Rows {
    let reads: u64 = result.tasks.iter().map(|task| task.reads.count).sum();
    let stopped = stopped_s(case, result);
    let each = stopped * 1e9 / reads.max(1) as f64;
    let tasks = case.plan.tasks.iter().zip(&result.tasks);
    let tasks = tasks
        .map(|(planned, outcome)| task(labelled(case, density), case, planned, outcome, each))
        .collect();
    Rows {
        tasks,
        set: set(labelled(case, density), case, result, stopped),
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

/// How long bursts stop all tasks, in seconds: those of all ranks at once, at the start of each retention time. No read is under way
/// meanwhile.
fn stopped_s(case: &Case, result: &RunOutcome) -> f64 {
    match &case.plan.schedule {
        Schedule::Locked { locks } if case.method == "burst" => {
            let burst_ns: u64 = locks.burst_ns.iter().sum();
            let starts = (0..result.horizon_ns).step_by(case.plan.memory.retention_ns as usize);
            let stops = starts.map(|start| burst_ns.min(result.horizon_ns - start));
            stops.sum::<u64>() as f64 / 1e9
        }
        _ => 0.0,
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

fn task(row: Row, case: &Case, planned: &PlannedTask, outcome: &TaskOutcome, stop_ns_per_read: f64) -> Row {
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
    // Of a task that never had the core there is none.
    if outcome.reads.count > 0 {
        row = row
            .value("latency_ns.mean", latency.mean_ns)
            .value("latency_ns.median", latency.p50_ns)
            .value("latency_ns.min", latency.min_ns)
            .value("latency_ns.max", latency.max_ns)
            .value("latency_ns.stddev", latency.stddev_ns)
            .value("latency_with_stops_ns", latency.mean_ns + stop_ns_per_read);
    }
    let row = row
        .value("accesses", outcome.reads.count as f64)
        .value("interfered_accesses", outcome.met_refresh.accesses() as f64)
        .value("misses", outcome.misses as f64);
    match case.policy {
        Some(_) => row.value("period_ms", planned.period_ns as f64 / 1e6),
        None => row,
    }
}

fn set(row: Row, case: &Case, result: &RunOutcome, stopped_s: f64) -> Row {
    let sum = |part: &dyn Fn(&TaskOutcome) -> f64| result.tasks.iter().map(part).sum::<f64>();
    let tasks = case.plan.tasks.iter().zip(&result.tasks);
    // Not known of a task of which no job ended.
    let share = |(planned, outcome): (&PlannedTask, &TaskOutcome)| {
        let times = executions(outcome);
        (!times.is_empty()).then(|| mean(&times) / (planned.period_ns as f64 / 1e6))
    };
    let utilization: Option<f64> = tasks.map(share).sum();
    let accesses = sum(&|task| task.reads.count as f64);
    let interfered = sum(&|task| task.met_refresh.accesses() as f64);
    let executed_s = sum(&|task| task.jobs.iter().map(|job| job.execution_ps as f64).sum()) / 1e12;
    let row = match utilization {
        Some(utilization) => row.value("utilization", utilization),
        None => row,
    };
    let row = row
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
            accesses * LINE / (executed_s + stopped_s).max(f64::MIN_POSITIVE) / 1e6,
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

#[cfg(test)]
mod tests {
    use super::super::{Run, planned, plans};
    use super::*;

    fn rows(density: u32, method: &'static str) -> (Rows, f64) {
        let case = plans::table_4_4(density, method)
            .expect("a case")
            .expect("there is one");
        let run = Run {
            horizon_ns: Some(10_000_000),
            record_ns: 0,
            ..Run::default()
        };
        let outcome = planned::outcome(&case.plan, &case.machine, run).expect("it runs");
        (of(&case, density, &outcome), stopped_s(&case, &outcome))
    }

    /// Whatever stops tasks: on one core the time that bytes are moved in is no more than there is.
    #[test]
    fn what_a_burst_stops_counts_as_time() {
        for method in ["none", "auto-refresh", "burst"] {
            let (rows, _) = rows(8, method);
            let values = &rows.set.values;
            let bytes = values["accesses"] * LINE;
            assert!(values["throughput_mb_s"] * 1e6 * 0.010 >= bytes, "{method}: {values:?}");
        }
        // 8192 commands of 350 ns.
        let (rows, stopped) = rows(8, "burst");
        assert!((stopped - 0.002_867_2).abs() < 1e-9, "{stopped}");
        let reads: f64 = rows.tasks.iter().map(|row| row.values["accesses"]).sum();
        for row in rows.tasks.iter().filter(|row| row.values["accesses"] > 0.0) {
            let longer = row.values["latency_with_stops_ns"] - row.values["latency_ns.mean"];
            assert!((longer - stopped * 1e9 / reads).abs() < 1e-6, "{row:?}");
        }
    }

    /// At 64 Gb a burst is longer than these 10 ms.
    #[test]
    fn what_never_ran_has_no_latency() {
        let (rows, stopped) = rows(64, "burst");
        assert_eq!(stopped, 0.010);
        for row in &rows.tasks {
            assert_eq!(row.values["accesses"], 0.0);
            assert!(!row.values.contains_key("latency_ns.mean"), "{row:?}");
        }
        assert!(!rows.set.values.contains_key("utilization"));
    }
}
