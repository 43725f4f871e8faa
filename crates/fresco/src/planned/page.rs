// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report of a simulated plan.

use super::table::{measured, promises};
use super::{Simulated, assumptions, gantt};
use crate::show::cdf;
use crate::show::figures::Figure;
use crate::verbs::plan::tables as plan_tables;
use fresco_plan::Plan;
use fresco_report::plot::{Distribution, Heading};
use fresco_report::{HtmlReport, Provenance, ReportError, Section};

/// The page and its figures; `trace` is the name of the trace file beside it.
///
/// # Errors
/// None in practice: results hold no numbers that cannot be shown.
pub fn of(
    plan: &Plan,
    simulated: &Simulated,
    provenance: &Provenance,
    trace: &str,
) -> Result<(HtmlReport, Vec<Figure>), ReportError> {
    let mut figures = gantt::figures(plan, simulated, provenance)?;
    figures.extend(latencies(simulated, provenance)?);
    let broken = simulated.promises.iter().filter(|promise| !promise.kept).count();
    let (all, ms) = (simulated.promises.len(), simulated.result.horizon_ns as f64 / 1e6);
    let lead = match broken {
        0 => format!("All {all} promises of the plan held in {ms} ms of its simulation."),
        broken => format!("{broken} of {all} promises of the plan did not hold in {ms} ms of its simulation."),
    };
    let title = format!("Plan {}: {} on {}", plan.name, plan.method.name(), plan.machine.name);
    let mut page = HtmlReport::new(title, lead, provenance.clone());
    page.sections.push(promised(plan, simulated)?);
    let mut happened = Section::new("What happened");
    for figure in &figures {
        happened = happened.figure(figure.svg.clone(), figure.caption.clone());
    }
    for table in measured(simulated)? {
        happened = happened.table(table);
    }
    page.sections.push(happened);
    page.sections
        .push(Section::new("Why this plan").list(plan.reasons.clone()));
    page.sections.push(
        Section::new("How to read this").list(
            [
                format!("{trace}: the same timeline for ui.perfetto.dev, to zoom in."),
                "Met a refresh: reads that waited for a refresh of their bank or rank, and write-backs of the task that were in the \
                 controller meanwhile (REF-17)."
                    .to_owned(),
                "Execution: how long jobs had the core, waiting for memory included. Response: from release to end.".to_owned(),
                "Lines cleaned: dirty lines that lock handlers wrote back; writes into windows: dirty lines that left a cache for a \
                 rank in its refresh window all the same."
                    .to_owned(),
                "A task without a program accesses random lines of its memory for 97 % of its WCET, as measured alone without refresh."
                    .to_owned(),
            ]
            .to_vec(),
        ),
    );
    Ok((page, figures))
}

/// What is guaranteed: deadlines, tasks, colors and refresh, and under which assumptions.
fn promised(plan: &Plan, simulated: &Simulated) -> Result<Section, ReportError> {
    let mut section = Section::new("What is promised").table(promises(simulated)?);
    for table in [plan_tables::tasks(plan)?, plan_tables::schedule(plan)?] {
        section = section.table(table);
    }
    Ok(section
        .paragraph("This holds under these assumptions:")
        .list(assumptions::of(plan)))
}

/// Latency of reads, a curve for each task; none if nothing was read.
fn latencies(simulated: &Simulated, provenance: &Provenance) -> Result<Option<Figure>, ReportError> {
    let mut distributions = Vec::new();
    for task in simulated
        .result
        .tasks
        .iter()
        .filter(|task| task.reads.count > 0)
        .take(8)
    {
        let buckets = task.reads.latency.histogram.iter();
        let counts: Vec<(f64, u64)> = buckets.map(|bucket| (bucket.up_to_ns, bucket.count)).collect();
        distributions.push(Distribution::of_counts(&task.name, counts)?);
    }
    let title = format!("{}: latency of memory reads", simulated.name);
    let heading = Heading::new(title, simulated.method.name())
        .described("Share of the reads of each task that took at most so long.");
    let chart = cdf::curves(heading, cdf::latency(), "reads", distributions, provenance)?;
    Ok(chart.map(|svg| Figure {
        name: "latency".to_owned(),
        svg,
        caption: "Reads that missed all caches; of the first eight tasks.".to_owned(),
    }))
}
