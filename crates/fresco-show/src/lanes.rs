// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lanes of a Gantt chart: tasks per core, its page faults, stalls and whose time it is, lock windows, refresh per rank.

use super::timelines::TRACE;
use fresco_report::plot::{BarStyle, GanttBar, Lane, Mark, MarkKind};
use fresco_system::experiment::{Activity, JobRecord, Timeline};
use std::collections::BTreeSet;

/// Picoseconds in a nanosecond.
pub const PS: u64 = 1000;

/// A chart has lanes of so many cores, and of so many ranks: what is beyond that is said below it, and in the trace.
const MOST_CORES: usize = 16;
const MOST_RANKS: usize = 16;

/// What a chart or a trace shows.
pub struct GanttContent<'r> {
    /// Cores that have tasks or execute some, by number.
    pub cores: Vec<u32>,
    /// Tasks, in the order in which the timeline numbers them.
    pub tasks: Vec<TaskLane<'r>>,
    /// Ranks that are refreshed, by channel and number.
    pub ranks: Vec<RankLane>,
    /// Who ran when.
    pub timeline: &'r Timeline,
    /// End of the run: a job that has not ended by then has missed a deadline before.
    pub horizon_ps: u64,
}

impl<'r> GanttContent<'r> {
    /// What a timeline has to show of these tasks, in a run that ended at `horizon_ps`. `what` says what stands behind the
    /// number of a rank.
    pub fn new(
        timeline: &'r Timeline,
        tasks: Vec<TaskLane<'r>>,
        horizon_ps: u64,
        what: impl Fn(u32) -> Option<String>,
    ) -> Self {
        let of_tasks = tasks.iter().map(|task| task.core);
        let cores: BTreeSet<u32> = of_tasks.chain(timeline.runs.iter().map(|run| run.core)).collect();
        let refreshes = timeline.refreshes.iter();
        let ranks: BTreeSet<(u32, u32)> = refreshes.map(|span| (span.channel, span.rank)).collect();
        let several = ranks.iter().any(|(channel, _)| *channel > 0);
        let lane = |(channel, rank): (u32, u32)| {
            let name = match several {
                true => format!("ch {channel} rank {rank}"),
                false => format!("rank {rank}"),
            };
            let name = what(rank).map_or_else(|| name.clone(), |what| format!("{name} ({what})"));
            RankLane { channel, rank, name }
        };
        Self {
            cores: Vec::from_iter(cores),
            tasks,
            ranks: ranks.into_iter().map(lane).collect(),
            timeline,
            horizon_ps,
        }
    }

    /// Up to when is recorded who ran when: the end of the run, or before it.
    pub fn recorded_to_ps(&self) -> u64 {
        self.timeline.from_ps + self.timeline.recorded_ps
    }

    /// What mode the recorded part is in: name, begin and end of each part, of which some may be empty. `None` if the mode does not change in it.
    pub fn mode(&self) -> Option<[(&'static str, u64, u64); 3]> {
        let mode = self.timeline.mode?;
        let end = self.recorded_to_ps();
        let begins = mode.begins_ps.min(end);
        Some([
            ("low mode", self.timeline.from_ps, mode.changes_ps),
            ("high mode, refresh of low mode", mode.changes_ps, begins),
            ("high mode", begins, end),
        ])
    }

    /// What the chart leaves out, in sentences; empty if nothing.
    pub fn left_out(&self) -> String {
        let beyond = |all: usize, most: usize, what: &str| match all > most {
            true => format!(" Of {all} {what} the first {most}; all of them are in {TRACE}."),
            false => String::new(),
        };
        beyond(self.cores.len(), MOST_CORES, "cores") + &beyond(self.ranks.len(), MOST_RANKS, "ranks")
    }
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

fn bar(from_ps: u64, to_ps: u64, label: &str, key: &str, style: BarStyle) -> GanttBar {
    GanttBar {
        from_ns: from_ps / PS,
        to_ns: to_ps.div_ceil(PS),
        label: label.to_owned(),
        key: key.to_owned(),
        style,
    }
}

/// The lanes of a chart: of each core its tasks, page faults, moved pages, handlers, stalls and whose time it is; then locks and
/// refreshes.
pub fn of(content: &GanttContent<'_>) -> Vec<Lane> {
    let mut lanes = Vec::new();
    let timeline = content.timeline;
    for &core in content.cores.iter().take(MOST_CORES) {
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
                        marks(task, number, content)
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
        let faults = timeline.faults.iter().filter(|fault| fault.core == core);
        let bars = faults.map(|fault| bar(fault.start_ps, fault.end_ps, "", "page fault", BarStyle::Solid));
        push(&mut lanes, &group, "page faults", bars.collect());
        let moves = timeline
            .moves
            .iter()
            .filter(|one| content.tasks.get(one.task).is_some_and(|task| task.core == core));
        let moves = moves.map(|one| (one.at_ps, one.at_ps));
        let shootdowns = timeline.shootdowns.iter().filter(|one| one.core == core);
        let bars = moves.chain(shootdowns.map(|one| (one.start_ps, one.end_ps)));
        let bars = bars.map(|(start, end)| bar(start, end, "", "pages move", BarStyle::Solid));
        push(&mut lanes, &group, "pages move", bars.collect());
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
    let modes = content.mode().into_iter().flatten().filter(|(_, from, to)| from < to);
    let bars = modes.map(|(name, from, to)| bar(from, to, name, name, BarStyle::Solid));
    push(&mut lanes, "all cores", "mode", bars.collect());
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
    for rank in content.ranks.iter().take(MOST_RANKS) {
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

fn marks(task: &TaskLane<'_>, number: usize, content: &GanttContent<'_>) -> Vec<Mark> {
    let passes = content.timeline.passes.iter().filter(|pass| pass.task == number);
    let mut marks: Vec<Mark> = passes
        .map(|pass| Mark {
            at_ns: pass.at_ps / PS,
            kind: MarkKind::Completion,
        })
        .collect();
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
        if let Some(deadline) = job.deadline_ps.filter(|_| !job.is_abandoned()) {
            let missed = job.is_missed(content.horizon_ps);
            mark(deadline, if missed { MarkKind::Miss } else { MarkKind::Deadline });
        }
    }
    marks
}
