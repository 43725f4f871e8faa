// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timelines of a scenario: of the first run of each of the first points, as Gantt charts and as a trace (MET-2).

use super::figures::{self, Figure};
use super::gantt::{self, Titles};
use super::lanes::{GanttContent, TaskLane};
use super::lead;
use super::sweep::Sweep;
use super::trace;
use fresco_report::perfetto::{Trace, write_trace};
use fresco_report::{Provenance, ReportError};
use fresco_system::POINTS_SHOWN;
use fresco_system::results::{PointResult, ScenarioResult, TaskResult};
use std::io;

/// The file of the timelines of runs, for ui.perfetto.dev.
pub const TRACE: &str = "trace.json";

/// The values of the axes at a point: `samebank, 3`.
pub fn values(point: &PointResult) -> String {
    point.values.join(", ")
}

/// Gantt charts of the points that have a timeline. Without periodic tasks there is one, of the first point with most tasks: their
/// timelines look alike, and the others are in the trace.
///
/// # Errors
/// None in practice: spans of a run end after they begin.
pub fn figures(sweep: &Sweep<'_>, provenance: &Provenance) -> Result<Vec<Figure>, ReportError> {
    let points = sweep.result.points.iter().enumerate().take(POINTS_SHOWN);
    let mut recorded: Vec<(usize, &PointResult, GanttContent<'_>)> = points
        .filter_map(|(number, point)| Some((number, point, content(point)?)))
        .collect();
    let of_jobs = |content: &GanttContent<'_>| content.tasks.iter().any(|task| !task.jobs.is_empty());
    let most = recorded.iter().map(|(.., content)| content.tasks.len()).max();
    if !recorded.iter().any(|(.., content)| of_jobs(content)) {
        recorded.retain(|(.., content)| Some(content.tasks.len()) == most);
        recorded.truncate(1);
    }
    let mut all = Vec::new();
    for (number, point, content) in &recorded {
        let scenario = &sweep.result.scenario;
        // Of a schedule with locks or slots also the first eighth, where single ones can be seen.
        let is_divided = !content.timeline.owners.is_empty() || !content.timeline.locks.is_empty();
        let parts = [("gantt", 1), ("gantt-start", 8)];
        for (part, share) in parts.into_iter().take(if is_divided { 2 } else { 1 }) {
            let titles = Titles {
                name: figures::file_name(&[scenario, part, &number.to_string()]),
                title: format!("{scenario}: who runs when"),
                run: run_name(sweep.result, point),
            };
            all.extend(gantt::figure(titles, content, share, provenance)?);
        }
    }
    Ok(all)
}

/// What the runs of a point are: the values of its axes with their names, as `samebank, 3 co-runners`, or the method of the plan.
fn run_name(result: &ScenarioResult, point: &PointResult) -> String {
    if let Some(method) = result.method {
        return method.name().to_owned();
    }
    let values = std::iter::zip(&result.axes, &point.values);
    let values: Vec<String> = values.map(|(axis, value)| lead::setting(&axis.name, value)).collect();
    values.join(", ")
}

/// The file of the report that has the timelines of the first runs of points, for a trace viewer: its name and content;
/// `None` if nothing was recorded.
///
/// # Errors
/// None in practice: spans of a run do not overlap.
pub fn trace_file(results: &[ScenarioResult], provenance: &Provenance) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut processes = Vec::new();
    for result in results {
        for point in result.points.iter().take(POINTS_SHOWN) {
            let Some(content) = content(point) else { continue };
            let prefix = match (results.len(), point.values.is_empty()) {
                (1, true) => String::new(),
                (1, false) => format!("{}: ", values(point)),
                (_, true) => format!("{}: ", result.scenario),
                (_, false) => format!("{} {}: ", result.scenario, values(point)),
            };
            processes.extend(trace::of(&content, &prefix));
        }
    }
    if processes.is_empty() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    write_trace(&Trace { processes }, provenance, &mut bytes)?;
    Ok(Some((TRACE.to_owned(), bytes)))
}

/// Of how many runs who ran when is recorded in part only, and of the first of these up to when and when it ends, in picoseconds.
pub fn cut_short(results: &[ScenarioResult]) -> (usize, Option<(u64, u64)>) {
    let points = results
        .iter()
        .flat_map(|result| result.points.iter().take(POINTS_SHOWN));
    let ends = points.filter_map(content);
    let ends = ends.map(|content| (content.recorded_to_ps(), content.horizon_ps));
    let cut: Vec<(u64, u64)> = ends.filter(|(recorded, end)| recorded < end).collect();
    (cut.len(), cut.first().copied())
}

/// What is shown of the first run of a point; `None` if its course was not recorded.
fn content(point: &PointResult) -> Option<GanttContent<'_>> {
    let run = point.runs.first()?;
    let timeline = run.timeline.as_ref()?;
    let lane = |task| {
        let task: &TaskResult = task;
        TaskLane {
            name: &task.name,
            core: task.core,
            jobs: task.jobs.as_ref().map_or(&[], |jobs| jobs.jobs.as_slice()),
        }
    };
    let tasks = run.tasks.iter().map(lane).collect();
    let color = |rank| {
        let mut ranks = run.ranks.iter();
        let color = ranks.find(|other| other.rank == rank)?.color?;
        Some(format!("color {color}"))
    };
    Some(GanttContent::new(timeline, tasks, run.to_ps, color))
}
