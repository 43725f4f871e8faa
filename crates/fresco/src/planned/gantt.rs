// SPDX-License-Identifier: MIT OR Apache-2.0
//! The recorded part of a plan's run, as charts and as a trace: what `show` makes of any run, with the colors of ranks.

use super::Simulated;
use crate::show::figures::Figure;
use crate::show::gantt::{self, Titles};
use crate::show::lanes::{self, GanttContent, TaskLane};
use crate::show::trace;
use fresco_plan::Plan;
use fresco_report::perfetto::Trace;
use fresco_report::{Provenance, ReportError};
use fresco_system::multitask::TaskOutcome;

/// Charts of the recorded part and of its first eighth, where single slots can be seen.
///
/// # Errors
/// None in practice: spans of a run end after they begin.
pub(super) fn figures(plan: &Plan, simulated: &Simulated, provenance: &Provenance) -> Result<Vec<Figure>, ReportError> {
    let content = content(plan, simulated);
    let plain = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.';
    let name = simulated.name.replace(plain, "-");
    let charts = [("gantt", 1), ("gantt-start", 8)]
        .into_iter()
        .filter_map(|(end, share)| {
            let titles = Titles {
                name: format!("{name}-{end}"),
                title: format!("{}: who runs, who is refreshed", simulated.name),
                run: simulated.method.name().to_owned(),
            };
            gantt::figure(titles, &content, share, provenance).transpose()
        });
    charts.collect()
}

/// The recorded part of a run as a trace.
pub fn trace(plan: &Plan, simulated: &Simulated) -> Trace {
    Trace {
        processes: trace::of(&content(plan, simulated), ""),
    }
}

/// What is shown: ranks are named with the color that they belong to.
fn content<'s>(plan: &Plan, simulated: &'s Simulated) -> GanttContent<'s> {
    let result = &simulated.result;
    let color = |rank: u32| {
        let mut colors = plan.colors.iter();
        let color = colors.position(|color| color.bank.is_none() && color.ranks.contains(&rank));
        color.map(|color| format!("color {color}"))
    };
    let lane = |task: &'s TaskOutcome| TaskLane {
        name: &task.name,
        core: task.core,
        jobs: &task.jobs,
    };
    let tasks = result.tasks.iter().map(lane).collect();
    GanttContent::new(&result.timeline, tasks, result.horizon_ns * lanes::PS, color)
}
