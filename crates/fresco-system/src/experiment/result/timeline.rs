// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of a run in detail, for a Gantt chart or a trace viewer. Releases, deadlines and ends of jobs are with the tasks.

use crate::experiment::Activity;
use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// What happened from [`from_ps`](Self::from_ps) on, for [`recorded_ps`](Self::recorded_ps); spans are cut at both ends. Runs and
/// stalls of a core do not overlap; page faults and shootdowns lie within runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// Begin of the part recorded, in picoseconds since the start of the run.
    pub from_ps: Ps,
    /// Length of the part recorded, in picoseconds.
    pub recorded_ps: Ps,
    /// What cores did: jobs and handlers, by start. A handler begins when the job before has let its accesses end. A task without
    /// a period has one job, of number 0.
    pub runs: Vec<RunSpan>,
    /// Whose time it was: servers with budget in use and slots, by start.
    pub owners: Vec<OwnerSpan>,
    /// Lock windows, by start.
    pub locks: Vec<LockSpan>,
    /// When cores had used up their budgets of bandwidth, by start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stalls: Vec<StallSpan>,
    /// Page faults, by start; their time is their job's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultSpan>,
    /// Pages that went to other colors (BPM-7), by time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// When cores stood still because pages had moved, by start; the time is the job's that was on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shootdowns: Vec<ShootdownSpan>,
    /// When tasks without a period completed passes of their programs, by time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<Pass>,
    /// The change to high mode, if the run had one in the part that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModeSpan>,
    /// When ranks were refreshed, by channel and rank, then by start; commands back to back are one span.
    pub refreshes: Vec<RefreshSpan>,
}

/// The run changes to high mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeSpan {
    /// Tasks of low criticality are dropped.
    pub changes_ps: Ps,
    /// Schedule and refresh of high mode begin: then, or later.
    pub begins_ps: Ps,
}

/// A core does one thing during `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpan {
    /// The core.
    pub core: u32,
    /// First instant.
    pub start_ps: Ps,
    /// First instant after.
    pub end_ps: Ps,
    /// What it does; never nothing.
    pub activity: Activity,
}

/// A server or slot of a color has the core during `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerSpan {
    /// The core.
    pub core: u32,
    /// The color.
    pub color: usize,
    /// First instant.
    pub start_ps: Ps,
    /// First instant after.
    pub end_ps: Ps,
}

/// A core stands still during `[start, end)`: its budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallSpan {
    /// The core.
    pub core: u32,
    /// First instant.
    pub start_ps: Ps,
    /// First instant after.
    pub end_ps: Ps,
}

/// The operating system gives a page its frame during `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultSpan {
    /// The core.
    pub core: u32,
    /// The task, by number.
    pub task: usize,
    /// Bank color of the frame; `None` if frames of its address have none.
    pub bank_color: Option<u32>,
    /// The access that faulted.
    pub start_ps: Ps,
    /// The task goes on.
    pub end_ps: Ps,
}

/// Pages of a task go from one bank color to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// When the allocator moves them; what that costs follows on the cores.
    pub at_ps: Ps,
    /// The task, by number.
    pub task: usize,
    /// Bank color of the old frames; `None` if frames of their addresses have none.
    pub from_color: Option<u32>,
    /// Bank color of the new frames.
    pub to_color: Option<u32>,
    /// How many pages.
    pub pages: u64,
}

/// A core stands still during `[start, end)`: entries of its TLB are flushed, and the allocator works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShootdownSpan {
    /// The core.
    pub core: u32,
    /// The task on it, by number.
    pub task: usize,
    /// First instant.
    pub start_ps: Ps,
    /// First instant after.
    pub end_ps: Ps,
}

/// A task without a period completes a pass of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// When.
    pub at_ps: Ps,
    /// The task, by number.
    pub task: usize,
}

/// A lock window of a color, as planned: it may end after the part recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockSpan {
    /// The color.
    pub color: usize,
    /// Begin of the handler that locks it.
    pub start_ps: Ps,
    /// First refresh.
    pub burst_start_ps: Ps,
    /// End of the last refresh.
    pub burst_end_ps: Ps,
    /// The color is free from here on.
    pub end_ps: Ps,
}

/// A rank is refreshed during `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshSpan {
    /// Channel, numbered through the nodes.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// First command.
    pub start_ps: Ps,
    /// End of the last one.
    pub end_ps: Ps,
    /// Commands.
    pub commands: u64,
}
