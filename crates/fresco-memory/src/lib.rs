// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches, interconnect, memory controllers and refresh, simulated at the level of DRAM commands; and, sharing no code
//! with them, the checker of timing and retention.

pub mod checker;
mod command;
pub mod controller;
mod cache;
mod request;

pub use command::Command;
pub use controller::{Controller, Sink, Stepping};
pub use cache::{Cache, PrivateCaches, PrivateOutcome, SourceStats, Victim, WriteBacks};
pub use request::{Access, Completion, Request, RowOutcome, Wait};
