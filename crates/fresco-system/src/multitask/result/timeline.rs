// SPDX-License-Identifier: MIT OR Apache-2.0
//! The beginning of a run, for a Gantt chart or a trace viewer. Releases, deadlines and ends of jobs are with the tasks.

use crate::multitask::Activity;
use fresco_dram::Ps;
use serde::Serialize;

/// What happened up to [`recorded_ps`](Self::recorded_ps); spans are cut there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// Length of the part recorded.
    pub recorded_ps: Ps,
    /// What cores did: jobs and handlers, by start. A handler begins when the job before has let its accesses end.
    pub runs: Vec<RunSpan>,
    /// Whose time it was: servers with budget in use and slots, by start.
    pub owners: Vec<OwnerSpan>,
    /// Lock windows, by start.
    pub locks: Vec<LockSpan>,
    /// When cores had used up their budgets of bandwidth, by start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stalls: Vec<StallSpan>,
    /// When ranks were refreshed, by channel and rank, then by start; commands back to back are one span.
    pub refreshes: Vec<RefreshSpan>,
}

/// A core does one thing during `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StallSpan {
    /// The core.
    pub core: u32,
    /// First instant.
    pub start_ps: Ps,
    /// First instant after.
    pub end_ps: Ps,
}

/// A lock window of a color, as planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
