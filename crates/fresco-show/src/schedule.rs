// SPDX-License-Identifier: MIT OR Apache-2.0
//! Periodic tasks of a scenario: deadlines missed, response times (MET-2). Who ran when is in `timelines.rs`.

use super::cdf;
use super::figures::Figure;
use super::sweep::Sweep;
use super::timelines::values;
use super::words;
use fresco_report::plot::{Axis, Distribution, Heading};
use fresco_report::{Cell, Column, Provenance, ReportError, Table};
use fresco_system::POINTS_SHOWN;
use fresco_system::results::{JobsSummary, PointResult, ScenarioResult, TaskResult, TaskSummary};

/// Returns true if tasks of the scenario are periodic.
pub fn is_periodic(result: &ScenarioResult) -> bool {
    let mut tasks = result.points.iter().flat_map(|point| &point.tasks);
    tasks.any(|task| task.jobs.is_some())
}

/// Returns true if its runs ended at a horizon, not when tasks had been measured.
pub fn has_horizon(result: &ScenarioResult) -> bool {
    let mut tasks = result
        .points
        .iter()
        .flat_map(|point| &point.runs)
        .flat_map(|run| &run.tasks);
    tasks.any(|task| task.met_refresh.is_some())
}

/// The jobs of each periodic task at each point; `None` without periodic tasks.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn table(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    if !is_periodic(result) {
        return Ok(None);
    }
    let mut columns = sweep.columns();
    columns.push(Column::text("task"));
    let ms = |name: &str| Column::number(name, "ms", 3);
    columns.extend([ms("period"), ms("deadline"), Column::number("jobs", "", 0)]);
    columns.extend([Column::number("missed", "", 0), Column::number("missed", "%", 2)]);
    columns.extend(["response mean", "p99", "max", "jitter"].map(ms));
    let mut table = Table::new(format!("{}: jobs and deadlines", result.scenario), columns);
    for point in &result.points {
        for (number, task) in point.tasks.iter().enumerate() {
            let Some(jobs) = &task.jobs else { continue };
            let mut cells = sweep.cells(point);
            cells.push(task.name.as_str().into());
            cells.extend(numbers(point, number, jobs));
            table.push(cells)?;
        }
    }
    Ok(Some(table))
}

fn numbers(point: &PointResult, number: usize, jobs: &JobsSummary) -> Vec<Cell> {
    let timing = point.runs.iter().find_map(|run| run.tasks[number].jobs.as_ref());
    let (period, deadline) = timing.map_or((0, 0), |jobs| (jobs.period_ns, jobs.deadline_ns));
    let response = &jobs.response;
    let in_ms = |ns: f64| Cell::from(ns / 1e6);
    vec![
        in_ms(period as f64),
        in_ms(deadline as f64),
        (jobs.released as f64).into(),
        (jobs.misses as f64).into(),
        (100.0 * jobs.miss_rate).into(),
        in_ms(response.mean_ns),
        in_ms(response.p99_ns),
        in_ms(response.max_ns),
        in_ms(response.max_ns - response.min_ns),
    ]
}

/// Tasks of a core of which only the names say which goes first, in a sentence; `None` if there are none. The slots of a plan's table
/// and fair shares ask for no priorities; a plan itself says what decides.
pub fn ties(result: &ScenarioResult) -> Option<String> {
    if result.method.is_some() {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for point in &result.points {
        let tasks = point.runs.first().map_or(&[][..], |run| run.tasks.as_slice());
        let timing = |task: &TaskResult| {
            let jobs = task.jobs.as_ref()?;
            Some((task.core, jobs.period_ns, jobs.deadline_ns))
        };
        for task in tasks {
            let is_tied = |other: &&TaskResult| timing(other).is_some() && timing(other) == timing(task);
            if tasks.iter().filter(is_tied).count() > 1 && !names.contains(&task.name) {
                names.push(task.name.clone());
            }
        }
    }
    names.sort_unstable();
    (!names.is_empty()).then(|| {
        format!(
            "Tasks of one core among {} have equal periods and deadlines: the one whose name comes first in the alphabet goes first.",
            words::list(&names)
        )
    })
}

/// The distribution of response times of each periodic task.
///
/// # Errors
/// None in practice: spans of a run end after they begin.
pub fn figures(sweep: &Sweep<'_>, provenance: &Provenance) -> Result<Vec<Figure>, ReportError> {
    let mut figures = Vec::new();
    let mut tasks: Vec<&str> = Vec::new();
    let periodic = sweep.result.points.iter().flat_map(|point| &point.tasks);
    for task in periodic.filter(|task| task.jobs.is_some()) {
        if !tasks.contains(&task.name.as_str()) {
            tasks.push(&task.name);
        }
    }
    for task in tasks {
        figures.extend(responses(sweep, task, provenance)?);
    }
    Ok(figures)
}

/// Response times of one task, a curve for each point.
fn responses(sweep: &Sweep<'_>, task: &str, provenance: &Provenance) -> Result<Option<Figure>, ReportError> {
    let mut distributions = Vec::new();
    let of_point = |point| {
        let point: &PointResult = point;
        let task: &TaskSummary = point.tasks.iter().find(|other| other.name == task)?;
        Some((point, task.jobs.as_ref()?))
    };
    for (point, jobs) in sweep.result.points.iter().filter_map(of_point).take(POINTS_SHOWN) {
        let buckets = jobs.response.histogram.iter();
        let counts: Vec<(f64, u64)> = buckets.map(|bucket| (bucket.up_to_ns / 1e6, bucket.count)).collect();
        if !counts.is_empty() {
            let name = if point.values.is_empty() {
                task.to_owned()
            } else {
                values(point)
            };
            distributions.push(Distribution::of_counts(name, counts)?);
        }
    }
    let heading = Heading::new(
        format!("{}: response times of {task}", sweep.result.scenario),
        "from release to end",
    )
    .described("Share of the jobs that took at most so long.");
    let x = Axis::new("response time", "ms");
    let chart = cdf::curves(heading, x, "jobs", distributions, provenance)?;
    Ok(chart.map(|svg| Figure {
        name: format!("{}-response-{task}", sweep.result.scenario),
        svg,
        caption: "Jobs of all repetitions after the warm-up.".to_owned(),
    }))
}
