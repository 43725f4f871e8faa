// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the model knows of a core.

use crate::{Prefetch, Tlb};
use serde::{Deserialize, Serialize};

/// How a core overlaps its memory accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoreKind {
    /// One access at a time; every access waits for the one before it.
    InOrder,
    /// A window of instructions; independent misses overlap, dependent loads wait.
    OutOfOrder,
}

impl CoreKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::InOrder, Self::OutOfOrder];

    /// As a machine file says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::InOrder => "in-order",
            Self::OutOfOrder => "out-of-order",
        }
    }

    /// Returns true if several instructions are in flight, so that a machine file says how many, and how many misses.
    pub fn overlaps(self) -> bool {
        match self {
            Self::InOrder => false,
            Self::OutOfOrder => true,
        }
    }
}

/// One core as the operating system counts them; all of a machine are alike. Where a core has several threads, each of
/// them is one, and this is its share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreConfig {
    /// Core clock in MHz.
    pub mhz: u32,
    /// In order or out of order.
    pub kind: CoreKind,
    /// Instructions issued per cycle at most.
    pub issue_width: u32,
    /// Instructions in flight at most (reorder buffer); 1 for an in-order core.
    pub window: u32,
    /// Cache-line misses in flight at most (miss status holding registers); 1 for an in-order core that prefetches nothing.
    pub mshrs: u32,
    /// Threads that run on a core at the same time; 1 without simultaneous multithreading.
    pub threads: u32,
    /// What it fetches before it is asked for; each thread has prefetchers of its own.
    pub prefetch: Prefetch,
    /// Translations that it remembers; without, addresses are translated in no time, and no page table is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tlb: Option<Tlb>,
}
