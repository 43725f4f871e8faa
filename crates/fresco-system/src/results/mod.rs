// SPDX-License-Identifier: MIT OR Apache-2.0
//! What runs measured. Everything serialises in a fixed order; the same run gives the same bytes.

mod bound;
mod channel;
mod controller;
mod distribution;
mod jobs;
mod measured;
mod reads;
mod recorder;
mod regulation;
mod scenario;
mod slowdown;
mod spread;
mod task;
mod thread;
mod together;

pub use channel::{ChannelResult, EnergyResult};
pub use controller::ControllerResult;
pub use jobs::{JobsResult, JobsSummary};
pub(crate) use measured::Measured;
pub use reads::{Anatomy, Bucket, Latency, Reads, RowCounts};
pub(crate) use recorder::ReadRecorder;
pub use regulation::{CoreRegulation, NodeRegulation, RegulationResult};
pub use scenario::{PointResult, ScenarioResult, TaskSummary};
pub use spread::Spread;
pub(crate) use spread::{ns, ratio};
pub use task::{CacheCounts, Pages, TaskResult};
pub use thread::{TeamSummary, ThreadResult};
pub use together::Together;

use crate::multitask::Timeline;
use fresco_dram::Ps;
use serde::Serialize;

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    /// Number of its point in the sweep.
    pub point: usize,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Seed of page frames and programs.
    pub seed: u64,
    /// When all measured tasks had warmed up, in picoseconds since the start of the run.
    pub from_ps: Ps,
    /// When the last measured task ended its phase.
    pub to_ps: Ps,
    /// The tasks in the order of the scenario, a task's copies one after the other.
    pub tasks: Vec<TaskResult>,
    /// The controllers, by node, from `from_ps` to `to_ps`: longer than the phases of tasks, see [`ControllerResult`].
    pub controllers: Vec<ControllerResult>,
    /// What bandwidth regulation did, if there was any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regulation: Option<RegulationResult>,
    /// DRAM commands that the independent checker judged and passed; `None` if it was not asked to.
    pub commands_checked: Option<u64>,
    /// Who ran when in the part that was recorded: always where tasks are periodic, otherwise where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}
