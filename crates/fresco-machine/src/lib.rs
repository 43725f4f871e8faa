// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a machine is: cores, caches, interconnect, controllers and their queues, DRAM, address map.
//!
//! A machine is read from a TOML file ([`load`], [`Machine::parse`]); the machines of the papers are built in
//! ([`builtin`]).

mod builtin;
mod cache;
mod calibration;
mod coherence;
mod controller;
mod core;
mod digest;
mod fabric;
mod guaranteed;
mod llc;
mod machine;
mod prefetch;
mod read;
mod refresh;
mod tlb;
mod topology;

pub use builtin::{builtin, builtin_names, builtin_text, is_path, is_text, load, load_with, written_out};
pub use cache::{CacheConfig, Replacement};
pub use calibration::Calibration;
pub use coherence::{Coherence, Protocol};
pub use controller::{ControllerConfig, PagePolicy, Queues, Scheduler};
pub use core::{CoreConfig, CoreKind};
pub use digest::of as digest;
pub use fabric::{Fabric, Rates};
pub use guaranteed::Guaranteed;
pub use llc::{Inclusion, LlcConfig};
pub use machine::{Machine, MemoryConfig};
pub use prefetch::{Prefetch, Stream, Stride};
pub use refresh::RefreshPolicy;
pub use tlb::{SecondTlb, Tlb, TlbLevel};
pub use topology::Topology;
