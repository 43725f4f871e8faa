// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of several threads under the policies: run and idle times (MET-3). Times are milliseconds of the measured
//! passes.

use fresco_report::claims::Row;
use fresco_system::results::{PointResult, RunResult, ScenarioResult, Spread, TaskResult, TeamSummary, ThreadResult};

/// The coloring whose gains the paper reports, and what they are relative to.
const COLORED: &str = "mem+llc";
const UNCOLORED: &str = "buddy";
/// Rows of the best of several colorings: the paper shows the better one of the partly colored, and ranks programs by what the best one gains.
const BEST_OF: [(&str, &[&str]); 2] = [
    ("part", &["mem+llc-part", "llc+mem-part"]),
    ("best", &["llc", "mem", "mem+llc", "mem+llc-part", "llc+mem-part"]),
];

/// Figure 3.10: the synthetic benchmark by placement and policy.
pub fn by_threads(result: &ScenarioResult) -> Vec<Row> {
    rows(result, ["threads", "policy"])
}

/// Placements of TINT-15 beside that of [`by_policy`].
pub fn by_placement(result: &ScenarioResult) -> Vec<Row> {
    let row = |point: &PointResult| {
        let [program, threads, policy] = point.values.as_slice() else {
            return None;
        };
        let row = Row::new().label("program", program).label("threads", threads);
        Some(run_time(row.label("policy", policy), point.teams.first()?))
    };
    result.points.iter().filter_map(row).collect()
}

/// A share of the work done by the master alone.
pub fn by_serial_share(result: &ScenarioResult) -> Vec<Row> {
    let row = |point: &PointResult| {
        let [serial, policy] = point.values.as_slice() else {
            return None;
        };
        let row = Row::new().label("serial_pct", serial).label("policy", policy);
        Some(run_time(row, point.teams.first()?))
    };
    result.points.iter().filter_map(row).collect()
}

/// Figures 3.11 to 3.14: programs by policy; the better of the partly colored ones as `part`, the best of all colored ones as
/// `best`; and how far the gains in idle time go with those in run time.
pub fn by_policy(result: &ScenarioResult) -> Vec<Row> {
    let mut rows = rows(result, ["program", "policy"]);
    let programs = &result.axes[0].values;
    let run_ms =
        |program: &str, policy: &str| of_point(result, program, policy).map(|team| team.run_time_ns.mean / 1e6);
    for program in programs {
        for (name, policies) in BEST_OF {
            let times = policies.iter().filter_map(|policy| run_ms(program, policy));
            if let Some(best) = times.reduce(f64::min) {
                let row = Row::new().label("program", program).label("policy", name);
                rows.push(row.value("run_ms.mean", best));
            }
        }
    }
    let gains: Vec<(f64, f64)> = programs.iter().filter_map(|program| gains(result, program)).collect();
    if let Some(correlation) = correlation(&gains) {
        let more_idle = gains.iter().filter(|(run, idle)| idle > run).count();
        for row in rows
            .iter_mut()
            .filter(|row| row.labels.get("policy").is_some_and(|policy| policy == COLORED))
        {
            row.values.insert("correlation".to_owned(), correlation);
            row.values.insert("idle_gains_more".to_owned(), more_idle as f64);
        }
    }
    rows
}

/// What `mem+llc` takes off a program's run time and off its total idle time, as shares of those under buddy.
fn gains(result: &ScenarioResult, program: &str) -> Option<(f64, f64)> {
    let (colored, uncolored) = (
        of_point(result, program, COLORED)?,
        of_point(result, program, UNCOLORED)?,
    );
    let gain = |value: fn(&TeamSummary) -> f64| 1.0 - value(colored) / value(uncolored);
    let (run, idle) = (gain(|team| team.run_time_ns.mean), gain(|team| team.total_idle_ns.mean));
    (run.is_finite() && idle.is_finite()).then_some((run, idle))
}

fn of_point<'a>(result: &'a ScenarioResult, program: &str, policy: &str) -> Option<&'a TeamSummary> {
    let point = result.points.iter().find(|point| point.values == [program, policy])?;
    point.teams.first()
}

/// Pearson's coefficient; `None` for less than two pairs, or where one of the two is constant.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|pair| of(pair.0 - x, pair.1 - y)).sum::<f64>();
    let found = sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    found.is_finite().then_some(found)
}

fn rows(result: &ScenarioResult, labels: [&str; 2]) -> Vec<Row> {
    let row = |point: &PointResult| {
        let [first, policy] = point.values.as_slice() else {
            return None;
        };
        let row = Row::new().label(labels[0], first).label(labels[1], policy);
        Some(measured(row, point, point.teams.first()?))
    };
    result.points.iter().filter_map(row).collect()
}

fn run_time(row: Row, team: &TeamSummary) -> Row {
    row.value("run_ms.mean", team.run_time_ns.mean / 1e6)
}

/// The range of repetitions; a single one has none.
fn with_range(row: Row, name: &str, values: &Spread) -> Row {
    match values.count {
        0 | 1 => row,
        _ => row.value(name, (values.max - values.min) / 1e6),
    }
}

/// Everything measured at a point.
fn measured(row: Row, point: &PointResult, team: &TeamSummary) -> Row {
    let row = with_range(run_time(row, team), "run_ms.range", &team.run_time_ns)
        .value("idle_ms.mean", team.total_idle_ns.mean / 1e6);
    let row = with_range(row, "idle_ms.range", &team.total_idle_ns)
        .value("thread_ms.spread", team.busy_spread_ns.mean / 1e6)
        .value("thread_idle_ms.spread", team.idle_spread_ns.mean / 1e6);
    let busy = |thread: &ThreadResult| thread.busy_ps;
    let idle = |thread: &ThreadResult| thread.idle_ps;
    let row = row
        .value("thread_ms.mean", over(point, &|run| threads(run, busy).mean))
        .value("thread_ms.max", over(point, &|run| threads(run, busy).max))
        .value("thread_idle_ms.mean", over(point, &|run| threads(run, idle).mean))
        .value("thread_idle_ms.max", over(point, &|run| threads(run, idle).max));
    let misses = sum(point, |task| task.reads.count);
    let row = row
        .value("llc_misses", misses)
        .value("remote_reads", sum(point, |task| task.reads.remote))
        .value("remote_pages", sum(point, |task| task.pages.remote))
        .value("row_conflicts", sum(point, |task| task.reads.rows.conflicts))
        .value(
            "forced_evictions",
            sum(point, |task| task.caches.llc.map_or(0, |llc| llc.evictions_by_others)),
        );
    match misses > 0.0 {
        true => row.value("latency_ns.mean", over(point, &latency)),
        false => row,
    }
}

/// Mean over the repetitions.
fn over(point: &PointResult, value: &dyn Fn(&RunResult) -> f64) -> f64 {
    Spread::of(point.runs.iter().map(value)).mean
}

/// A count of all threads together, mean over the repetitions.
fn sum(point: &PointResult, count: fn(&TaskResult) -> u64) -> f64 {
    over(point, &|run| run.tasks.iter().map(count).sum::<u64>() as f64)
}

/// A time of the threads of a run, in milliseconds.
fn threads(run: &RunResult, of: fn(&ThreadResult) -> u64) -> Spread {
    let threads = run.tasks.iter().filter_map(|task| task.thread.as_ref());
    Spread::of(threads.map(|thread| of(thread) as f64 / 1e9))
}

/// Mean latency of all reads of a run, in nanoseconds.
fn latency(run: &RunResult) -> f64 {
    let reads = run.tasks.iter().map(|task| &task.reads);
    let sum: f64 = reads
        .clone()
        .map(|reads| reads.count as f64 * reads.latency.mean_ns)
        .sum();
    sum / reads.map(|reads| reads.count).sum::<u64>().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::correlation;

    #[test]
    fn correlation_is_pearsons() {
        assert_eq!(correlation(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), Some(1.0));
        assert_eq!(correlation(&[(1.0, 2.0), (2.0, 1.0)]), Some(-1.0));
        assert_eq!(correlation(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(correlation(&[]), None);
    }
}
