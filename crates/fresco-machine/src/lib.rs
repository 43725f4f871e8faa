// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a machine is: cores, caches, interconnect, controllers and their queues, DRAM, address map.
//!
//! A machine is read from a TOML file; the machines of the papers are built in.

mod cache;
mod controller;
mod core;
mod llc;
mod machine;
mod topology;

pub use cache::{CacheConfig, Replacement};
pub use controller::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
pub use core::{CoreConfig, CoreKind};
pub use llc::LlcConfig;
pub use machine::{Machine, MemoryConfig};
pub use topology::Topology;
