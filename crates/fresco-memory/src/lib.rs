// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches, interconnect, memory controllers and refresh, simulated at the level of DRAM commands; and, sharing no code
//! with them, the checker of timing and retention.

mod request;

pub use request::{Access, Completion, Request, RowOutcome, Wait};
