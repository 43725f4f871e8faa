// SPDX-License-Identifier: MIT OR Apache-2.0
//! Distributions of latencies and response times as curves; those of reads where interference is strongest, a curve for each
//! compared value.

use super::lines::heading;
use super::subject::Subject;
use super::sweep::{CORUNNERS, Sweep, label};
use fresco_report::plot::{Axis, CdfChart, Distribution, Heading, Svg};
use fresco_report::{Provenance, ReportError};
use fresco_system::Role;
use fresco_system::results::TaskSummary;

/// One curve for each distribution; `None` without any. `what` is what has them, as `reads`.
///
/// # Errors
/// None in practice; see [`CdfChart::to_svg`].
pub fn curves(
    heading: Heading,
    x: Axis,
    what: &str,
    distributions: Vec<Distribution>,
    provenance: &Provenance,
) -> Result<Option<Svg>, ReportError> {
    if distributions.is_empty() {
        return Ok(None);
    }
    let chart = CdfChart {
        heading,
        x,
        y_label: format!("share of {what}"),
        distributions,
    };
    chart.to_svg(provenance).map(Some)
}

/// The axis of latencies of reads.
pub fn latency() -> Axis {
    Axis::new("latency", "ns").logarithmic()
}

/// The curves of a task. `None` if it read nothing from memory.
///
/// # Errors
/// None in practice; see [`CdfChart::to_svg`].
pub fn chart(
    sweep: &Sweep<'_>,
    panel: &[usize],
    task: &str,
    provenance: &Provenance,
) -> Result<Option<Svg>, ReportError> {
    let mut distributions = Vec::new();
    for compared in 0..sweep.count(sweep.compared) {
        let Some(subject) = Subject::at(sweep.point(panel, compared, sweep.most()), task) else {
            continue;
        };
        let buckets = subject.each_reads().flat_map(|reads| &reads.latency.histogram);
        let counts: Vec<(f64, u64)> = buckets.map(|bucket| (bucket.up_to_ns, bucket.count)).collect();
        if !counts.is_empty() {
            let name = match sweep.value(sweep.compared, compared) {
                "" => task,
                name => name,
            };
            distributions.push(Distribution::of_counts(name, counts)?);
        }
    }
    let mut heading = heading(sweep, panel, format!("latency of {task}'s memory reads"));
    if let Some(axis) = sweep.across {
        let value = sweep.value(sweep.across, sweep.most());
        let at = match sweep.result.axes[axis].name.as_str() {
            CORUNNERS => format!("{value} co-runners"),
            name => format!("{} {value}", label(name)),
        };
        heading.subtitle = format!("{at}; {}", heading.subtitle);
    }
    heading.description = format!("{}: share of reads that took at most so long.", heading.title);
    curves(heading, latency(), "reads", distributions, provenance)
}

/// A chart has curves of so many tasks.
const MOST_TASKS: usize = 8;

/// The curves of all measured tasks of the first point. `None` if nothing was read from memory.
///
/// # Errors
/// None in practice; see [`CdfChart::to_svg`].
pub fn by_task(sweep: &Sweep<'_>, provenance: &Provenance) -> Result<Option<Svg>, ReportError> {
    let tasks = sweep.result.points.first().map_or(&[][..], |point| &point.tasks);
    let read = tasks
        .iter()
        .filter(|task| task.role == Role::Measured && task.reads.count > 0);
    let curve = |task: &TaskSummary| {
        let buckets = task.reads.latency.histogram.iter();
        let counts: Vec<(f64, u64)> = buckets.map(|bucket| (bucket.up_to_ns, bucket.count)).collect();
        Distribution::of_counts(&task.name, counts)
    };
    let distributions = read.take(MOST_TASKS).map(curve).collect::<Result<_, _>>()?;
    let method = sweep.result.method.map_or("", |method| method.name());
    let heading = Heading::new(format!("{}: latency of memory reads", sweep.result.scenario), method)
        .described("Share of the reads of each task that took at most so long.");
    curves(heading, latency(), "reads", distributions, provenance)
}
