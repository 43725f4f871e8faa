// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lanes of a Gantt chart: tasks per core, when it is stalled, whose time it is, lock windows, refresh per rank.

use fresco_report::plot::{BarStyle, GanttBar, Lane, Mark, MarkKind};
use fresco_system::multitask::{Activity, JobRecord, Timeline};

/// Picoseconds in a nanosecond.
pub const PS: u64 = 1000;

/// What a chart shows.
pub struct GanttContent<'r> {
    /// Cores, each with lanes of its own.
    pub cores: Vec<u32>,
    /// Tasks, in the order in which the timeline numbers them.
    pub tasks: Vec<TaskLane<'r>>,
    /// Ranks that have a lane.
    pub ranks: Vec<RankLane>,
    /// Who ran when.
    pub timeline: &'r Timeline,
    /// End of the run: a job that has not ended by then has missed a deadline before.
    pub horizon_ps: u64,
}

/// A task.
pub struct TaskLane<'r> {
    /// Name.
    pub name: &'r str,
    /// The core it is pinned to.
    pub core: u32,
    /// Its jobs.
    pub jobs: &'r [JobRecord],
}

/// A rank whose refreshes are shown.
pub struct RankLane {
    /// Channel, numbered through the nodes.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// What the lane is called.
    pub name: String,
}

impl RankLane {
    /// The lane of a rank, which names its channel too if there are `several`.
    pub fn new(channel: u32, rank: u32, several: bool) -> Self {
        let name = match several {
            true => format!("ch {channel} rank {rank}"),
            false => format!("rank {rank}"),
        };
        Self { channel, rank, name }
    }
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

/// The lanes of a chart: of each core its tasks, handlers, stalls and whose time it is; then locks and refreshes.
pub fn of(content: &GanttContent<'_>) -> Vec<Lane> {
    let mut lanes = Vec::new();
    let timeline = content.timeline;
    for &core in &content.cores {
        let group = format!("core {core}");
        for (number, task) in content.tasks.iter().enumerate() {
            let own = timeline
                .runs
                .iter()
                .filter(|run| run.core == core && matches!(run.activity, Activity::Run { task, .. } if task == number));
            let bars: Vec<GanttBar> = own
                .map(|run| bar(run.start_ps, run.end_ps, "", task.name, BarStyle::Solid))
                .collect();
            if !bars.is_empty() || task.core == core {
                lanes.push(Lane {
                    group: group.clone(),
                    name: task.name.to_owned(),
                    bars,
                    marks: if task.core == core {
                        marks(task, content.horizon_ps)
                    } else {
                        Vec::new()
                    },
                });
            }
        }
        let handlers = timeline.runs.iter().filter(|run| run.core == core);
        let handlers = handlers.filter(|run| matches!(run.activity, Activity::Handler(_)));
        let bars: Vec<GanttBar> = handlers
            .map(|run| bar(run.start_ps, run.end_ps, "", "", BarStyle::Solid))
            .collect();
        push(&mut lanes, &group, "handlers", bars);
        let stalls = timeline.stalls.iter().filter(|stall| stall.core == core);
        let bars = stalls.map(|stall| bar(stall.start_ps, stall.end_ps, "", "stalled", BarStyle::Hatched));
        push(&mut lanes, &group, "stalled", bars.collect());
        let owners = timeline.owners.iter().filter(|owner| owner.core == core);
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
    let locks = timeline.locks.iter();
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
    for rank in &content.ranks {
        let own = timeline.refreshes.iter();
        let own = own.filter(|span| (span.channel, span.rank) == (rank.channel, rank.rank));
        let bars = own.map(|span| bar(span.start_ps, span.end_ps, "", "refresh", BarStyle::Hatched));
        push(&mut lanes, "memory", &rank.name, bars.collect());
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

fn marks(task: &TaskLane<'_>, horizon: u64) -> Vec<Mark> {
    let mut marks = Vec::new();
    for job in task.jobs {
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
            let missed = job.is_missed(horizon);
            mark(deadline, if missed { MarkKind::Miss } else { MarkKind::Deadline });
        }
    }
    marks
}
