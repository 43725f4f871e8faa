// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginning of a run as a Gantt chart: tasks per core, whose time it is, lock windows, refresh per rank.

use super::Simulated;
use crate::show::figures::Figure;
use fresco_plan::Plan;
use fresco_report::plot::{BarStyle, Gantt, GanttBar, Heading, Lane, Mark, MarkKind};
use fresco_report::{Provenance, ReportError};
use fresco_system::multitask::{Activity, MultitaskResult, TaskOutcome};

/// Picoseconds in a nanosecond.
const PS: u64 = 1000;

/// Charts of the first retention time and of its beginning, where single slots can be seen.
///
/// # Errors
/// None in practice: spans of a run end after they begin.
pub(super) fn figures(plan: &Plan, simulated: &Simulated, provenance: &Provenance) -> Result<Vec<Figure>, ReportError> {
    let whole = simulated.result.timeline.recorded_ps / PS;
    let windows = [("gantt", whole), ("gantt-start", whole / 8)];
    let mut figures = Vec::new();
    for (name, to_ns) in windows.into_iter().filter(|&(_, to_ns)| to_ns > 0) {
        let chart = Gantt {
            heading: Heading::new(
                format!("{}: who runs, who is refreshed", simulated.name),
                format!("{}, the first {} ms", simulated.method.name(), to_ns as f64 / 1e6),
            )
            .described(
                "Jobs of each task on each core, with releases, deadlines and ends; lock windows of colors; refreshes of ranks. \
                 A task never runs while a rank that it owns is refreshed, if the plan hides refresh.",
            ),
            from_ns: 0,
            to_ns,
            styles: vec![(BarStyle::Outline, "locked".to_owned())],
            lanes: lanes(plan, &simulated.result),
        };
        figures.push(Figure {
            name: format!(
                "{}-{name}",
                simulated
                    .name
                    .replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.', "-")
            ),
            svg: chart.to_svg(provenance)?,
            caption: "Arrows up: releases; arrows down: deadlines; T: end of a job; cross: a deadline missed."
                .to_owned(),
        });
    }
    Ok(figures)
}

fn bar(from_ps: u64, to_ps: u64, label: &str, key: &str, style: BarStyle) -> GanttBar {
    GanttBar {
        from_ns: from_ps / PS,
        to_ns: to_ps.div_ceil(PS),
        label: label.to_owned(),
        key: key.to_owned(),
        style,
    }
}

fn lanes(plan: &Plan, result: &MultitaskResult) -> Vec<Lane> {
    let mut lanes = Vec::new();
    for core in &result.cores {
        let group = format!("core {}", core.core);
        for (number, task) in result.tasks.iter().enumerate() {
            let own = result.timeline.runs.iter().filter(|run| {
                run.core == core.core && matches!(run.activity, Activity::Run { task, .. } if task == number)
            });
            let bars: Vec<GanttBar> = own
                .map(|run| bar(run.start_ps, run.end_ps, "", &task.name, BarStyle::Solid))
                .collect();
            if !bars.is_empty() || task.core == core.core {
                lanes.push(Lane {
                    group: group.clone(),
                    name: task.name.clone(),
                    bars,
                    marks: if task.core == core.core {
                        marks(task, result)
                    } else {
                        Vec::new()
                    },
                });
            }
        }
        let handlers = result.timeline.runs.iter().filter(|run| run.core == core.core);
        let handlers = handlers.filter(|run| matches!(run.activity, Activity::Handler(_)));
        let bars: Vec<GanttBar> = handlers
            .map(|run| bar(run.start_ps, run.end_ps, "", "", BarStyle::Solid))
            .collect();
        push(&mut lanes, &group, "handlers", bars);
        let owners = result.timeline.owners.iter().filter(|owner| owner.core == core.core);
        let bars: Vec<GanttBar> = owners
            .map(|owner| {
                let name = format!("color {}", owner.color);
                bar(
                    owner.start_ps,
                    owner.end_ps,
                    &owner.color.to_string(),
                    &name,
                    BarStyle::Solid,
                )
            })
            .collect();
        push(&mut lanes, &group, "time of", bars);
    }
    let locks = result.timeline.locks.iter();
    let bars: Vec<GanttBar> = locks
        .map(|lock| {
            let name = format!("color {}", lock.color);
            bar(
                lock.start_ps,
                lock.end_ps,
                &lock.color.to_string(),
                &name,
                BarStyle::Outline,
            )
        })
        .collect();
    push(&mut lanes, "memory", "locked", bars);
    for rank in &result.ranks {
        let own = result.timeline.refreshes.iter();
        let own = own.filter(|span| (span.channel, span.rank) == (rank.channel, rank.rank));
        let bars = own.map(|span| bar(span.start_ps, span.end_ps, "", "refresh", BarStyle::Hatched));
        let mut name = match result.ranks.iter().any(|other| other.channel > 0) {
            true => format!("ch {} rank {}", rank.channel, rank.rank),
            false => format!("rank {}", rank.rank),
        };
        let color = plan
            .colors
            .iter()
            .position(|color| color.bank.is_none() && color.ranks.contains(&rank.rank));
        if let Some(color) = color {
            name.push_str(&format!(" (color {color})"));
        }
        push(&mut lanes, "memory", &name, bars.collect());
    }
    lanes
}

fn push(lanes: &mut Vec<Lane>, group: &str, name: &str, bars: Vec<GanttBar>) {
    if !bars.is_empty() {
        lanes.push(Lane {
            group: group.to_owned(),
            name: name.to_owned(),
            bars,
            marks: Vec::new(),
        });
    }
}

fn marks(task: &TaskOutcome, result: &MultitaskResult) -> Vec<Mark> {
    let mut marks = Vec::new();
    for job in &task.jobs {
        let mut mark = |at_ps: u64, kind| {
            marks.push(Mark {
                at_ns: at_ps / PS,
                kind,
            });
        };
        mark(job.release_ps, MarkKind::Release);
        if let Some(end) = job.end_ps {
            mark(end, MarkKind::Completion);
        }
        if let Some(deadline) = job.deadline_ps {
            let missed = job.is_missed(result.horizon_ns * PS);
            mark(deadline, if missed { MarkKind::Miss } else { MarkKind::Deadline });
        }
    }
    marks
}
