// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches, interconnect, memory controllers and refresh, simulated at the level of DRAM commands; and, sharing no code
//! with them, the checker of timing and retention.

mod cache;
pub mod checker;
mod command;
pub mod controller;
mod drive;
pub mod embedded;
mod feed;
mod interconnect;
mod line_index;
mod nearly_sorted;
mod request;
mod returns;
mod system;
mod translation;

pub use cache::{
    Cache, CoherenceCounts, Leaving, LeavingLines, Left, LineState, PrefetchCounts, Prefetched, PrivateCaches,
    PrivateOutcome, SourceStats, TableRead, Victim, Wanted, Watched,
};
pub use command::Command;
pub use controller::{Controller, Sink, Stepping};
pub use drive::{Driven, Driver, Observer, TraceRequest};
pub use interconnect::{Interconnect, Route};
pub use line_index::LineIndex;
pub use request::{Access, Completion, Request, RowOutcome, Wait};
pub use system::{
    Above, Answer, Arrival, Blocked, CommandSink, CoreStats, DelayedWrite, Demand, Done, Lines, MemorySystem,
    NodeStats, OrderCounts, Purpose, RequestId, Sample, Service, Upward,
};
pub use translation::{Translated, Translations};
