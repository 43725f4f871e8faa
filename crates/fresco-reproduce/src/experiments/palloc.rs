// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the PALLOC experiments: Latency on core 0 beside its like, models of programs beside others.

use fresco_report::claims::Row;
use fresco_system::results::{PointResult, ScenarioResult, Spread};

/// A row for a point, labelled by the axes of the sweep.
fn labelled(result: &ScenarioResult, point: &PointResult) -> Row {
    let axes = std::iter::zip(&result.axes, &point.values);
    axes.fold(Row::new(), |row, (axis, value)| row.label(&axis.name, value))
}

/// Latency of the reads of the measured task, by policy and number of co-runners.
pub fn latency(result: &ScenarioResult) -> Vec<Row> {
    let rows = result.points.iter().filter_map(|point| {
        let task = point.tasks.first()?;
        let row = labelled(result, point);
        let latency = &task.reads.latency;
        Some(
            row.value("latency_ns.mean", latency.mean_ns)
                .value("latency_ns.p99", latency.p99_ns)
                .value("latency_ns.max", latency.max_ns)
                .value("latency_ns.stddev", latency.stddev_ns)
                .value("time_ms", task.run_time_ns.mean / 1e6),
        )
    });
    rows.collect()
}

/// Speed of the first task by the axes of the sweep, and how much slower it is beside the others.
pub fn by_axes(result: &ScenarioResult) -> Vec<Row> {
    let row = |point: &PointResult| {
        let task = point.tasks.first()?;
        let row = labelled(result, point);
        let row = row.value("ipc", task.instructions_per_cycle.mean);
        let slowdown = task.slowdown.as_ref().map_or(1.0, |slowdown: &Spread| slowdown.mean);
        Some(
            row.value("slowdown", slowdown)
                .value("traffic_mb_s", task.bandwidth_bytes_per_s.mean / 1e6),
        )
    };
    result.points.iter().filter_map(row).collect()
}
