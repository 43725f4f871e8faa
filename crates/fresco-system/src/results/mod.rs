// SPDX-License-Identifier: MIT OR Apache-2.0
//! What runs measured. Everything serialises in a fixed order; the same run gives the same bytes.

mod agent;
mod bound;
mod chain;
mod channel;
mod controller;
mod distribution;
mod jobs;
mod measured;
mod reads;
mod recorder;
mod regulation;
mod reordered;
mod rows;
mod run;
mod scenario;
mod slowdown;
mod spread;
mod task;
mod thread;
mod tlb;
mod together;

pub use agent::AgentResult;
pub(crate) use chain::Chain;
pub use channel::{ChannelResult, EnergyResult};
pub use controller::ControllerResult;
pub(crate) use distribution::Distribution;
pub use jobs::{JobsResult, JobsSummary};
pub(crate) use measured::Measured;
pub use reads::{Anatomy, Bucket, Latency, Reads, RowCounts};
pub(crate) use recorder::ReadRecorder;
pub use regulation::{CoreRegulation, NodeRegulation, RegulationResult};
pub use reordered::MayBeRead;
pub(crate) use reordered::Reordered;
pub use rows::{DividedRows, RowsApart, RowsPart};
pub use run::RunResult;
pub use scenario::{PointResult, ScenarioResult, Stopped, TaskSummary};
pub use spread::Spread;
pub(crate) use spread::{ns, ratio};
pub use task::{CacheCounts, Memory, Pages, RefreshMet, TaskResult};
pub use thread::{TeamSummary, ThreadResult};
pub use tlb::{LevelReads, TableFrames, TlbResult};
pub use together::Together;
