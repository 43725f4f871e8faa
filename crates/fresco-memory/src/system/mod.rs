// SPDX-License-Identifier: MIT OR Apache-2.0
//! All that cores share: last-level caches, interconnect, one controller per memory node.
//!
//! A read that misses the last-level cache takes, from the access to its data at the core,
//!
//! ```text
//! LLC latency + frontend/2 + hop latency to the node         (rounded up to the controller's clock)
//!   + time in the controller and the DRAM
//!   + (frontend - frontend/2) + hop latency back
//! ```
//!
//! Writes to memory take the same way there, so that they stay in order with reads. Nobody waits for them, unless more of
//! a core's writes wait for a place in a controller than its write-back buffer has entries: then it stands still.

mod agents;
mod beside;
mod blocking;
mod coherence;
mod command_log;
mod fabric;
mod memory_system;
mod order;
mod pending;
mod plan;
mod port;
mod prefetch;
mod sample;
mod stats;
mod time;
mod upward;
mod write_backs;

#[cfg(test)]
mod tests;

pub use coherence::{Above, Answer, Arrival, Demand, Purpose};
pub use command_log::CommandSink;
pub use memory_system::MemorySystem;
pub use order::OrderCounts;
pub use sample::{DelayedWrite, Done, RequestId, Sample, Service};
pub use stats::{Blocked, CoreStats, Lines, NodeStats};
pub use upward::Upward;
