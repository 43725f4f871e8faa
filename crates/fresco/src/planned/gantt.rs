// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginning of a run as Gantt charts and as a trace: tasks per core, whose time it is, lock windows, refresh per rank.

use super::Simulated;
use crate::show::figures::Figure;
use crate::show::lanes::{self, GanttContent, RankLane, TaskLane};
use crate::show::{gantt, trace};
use fresco_plan::Plan;
use fresco_report::perfetto::Trace;
use fresco_report::{Provenance, ReportError};

/// Charts of the first retention time and of its beginning, where single slots can be seen.
///
/// # Errors
/// None in practice: spans of a run end after they begin.
pub(super) fn figures(plan: &Plan, simulated: &Simulated, provenance: &Provenance) -> Result<Vec<Figure>, ReportError> {
    let whole = simulated.result.timeline.recorded_ps / lanes::PS;
    let content = content(plan, simulated);
    let plain = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.';
    let name = simulated.name.replace(plain, "-");
    let windows = [("gantt", whole), ("gantt-start", whole / 8)];
    let charts = windows.into_iter().filter(|&(_, to_ns)| to_ns > 0).map(|(end, to_ns)| {
        let title = format!("{}: who runs, who is refreshed", simulated.name);
        let subtitle = format!("{}, the first {} ms", simulated.method.name(), to_ns as f64 / 1e6);
        gantt::figure(format!("{name}-{end}"), title, subtitle, &content, to_ns, provenance)
    });
    charts.collect()
}

/// The recorded beginning of a run as a trace.
pub fn trace(plan: &Plan, simulated: &Simulated) -> Trace {
    Trace {
        processes: trace::of(&content(plan, simulated), ""),
    }
}

/// What is shown: ranks are named with the color that they belong to.
fn content<'s>(plan: &Plan, simulated: &'s Simulated) -> GanttContent<'s> {
    let result = &simulated.result;
    let several = result.ranks.iter().any(|other| other.channel > 0);
    let rank_lane = |rank: &fresco_system::multitask::RankRefresh| {
        let mut lane = RankLane::new(rank.channel, rank.rank, several);
        let color = plan
            .colors
            .iter()
            .position(|color| color.bank.is_none() && color.ranks.contains(&rank.rank));
        if let Some(color) = color {
            lane.name.push_str(&format!(" (color {color})"));
        }
        lane
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
