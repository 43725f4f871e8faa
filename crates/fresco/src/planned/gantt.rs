// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginning of a run as a Gantt chart: tasks per core, whose time it is, lock windows, refresh per rank.

use super::Simulated;
use crate::show::figures::Figure;
use crate::show::lanes::{self, GanttContent, RankLane, TaskLane};
use fresco_plan::Plan;
use fresco_report::plot::{BarStyle, Gantt, Heading};
use fresco_report::{Provenance, ReportError};

/// Charts of the first retention time and of its beginning, where single slots can be seen.
///
/// # Errors
/// None in practice: spans of a run end after they begin.
pub(super) fn figures(plan: &Plan, simulated: &Simulated, provenance: &Provenance) -> Result<Vec<Figure>, ReportError> {
    let whole = simulated.result.timeline.recorded_ps / lanes::PS;
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
            lanes: lanes::of(&content(plan, simulated)),
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

/// What the chart shows: ranks are named with the color that they belong to.
fn content<'s>(plan: &Plan, simulated: &'s Simulated) -> GanttContent<'s> {
    let result = &simulated.result;
    let several = result.ranks.iter().any(|other| other.channel > 0);
    let rank_lane = |rank: &fresco_system::multitask::RankRefresh| {
        let mut name = match several {
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
        RankLane {
            channel: rank.channel,
            rank: rank.rank,
            name,
        }
    };
    let task_lane = |task: &'s fresco_system::multitask::TaskOutcome| TaskLane {
        name: &task.name,
        core: task.core,
        jobs: &task.jobs,
    };
    GanttContent {
        cores: result.cores.iter().map(|core| core.core).collect(),
        tasks: result.tasks.iter().map(task_lane).collect(),
        ranks: result.ranks.iter().map(rank_lane).collect(),
        timeline: &result.timeline,
        horizon_ps: result.horizon_ns * lanes::PS,
    }
}
