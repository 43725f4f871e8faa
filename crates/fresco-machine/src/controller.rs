// SPDX-License-Identifier: MIT OR Apache-2.0
//! Policies and queues of a memory controller.

use crate::RefreshPolicy;
use serde::{Deserialize, Serialize};

/// Which request goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// First ready, first come, first served: row hits first, then the oldest. At most `hit_cap` row hits of one
    /// bank may overtake an older request to that bank.
    FrFcfs {
        /// Row hits that may overtake.
        hit_cap: u32,
    },
    /// Strictly in order of arrival: a request's column command waits for the column command of the one before it.
    Fcfs,
}

/// When an open row is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PagePolicy {
    /// Only when another row of the bank, or a refresh, needs it.
    Open,
    /// With the last queued access to the row (auto-precharge).
    Closed,
    /// After `idle` cycles without an access to the bank.
    Adaptive {
        /// Idle cycles.
        idle: u64,
    },
}

/// Where requests wait (SIM-8, SIM-9). Capacities in requests, per channel unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Queues {
    /// One queue for all banks of a channel, seen whole by the scheduler.
    Global {
        /// Reads it holds.
        reads: u32,
        /// Writes it holds.
        writes: u32,
    },
    /// A read queue for each bank, fed directly; writes in one buffer per channel.
    PerBank {
        /// Reads that each bank's queue holds.
        reads_per_bank: u32,
        /// Writes the channel's buffer holds.
        writes: u32,
    },
    /// A first-in-first-out queue shared by all cores and channels of the controller feeds per-bank queues in order,
    /// one request a cycle; its head waits while its bank queue is full.
    FrontQueue {
        /// Requests (reads and writes) the front queue holds, per controller.
        front: u32,
        /// Reads that each bank's queue holds.
        reads_per_bank: u32,
        /// Writes the channel's buffer holds.
        writes: u32,
    },
}

impl Queues {
    /// Writes that the buffer of a channel holds.
    pub fn writes(self) -> u32 {
        let (Self::Global { writes, .. } | Self::PerBank { writes, .. } | Self::FrontQueue { writes, .. }) = self;
        writes
    }
}

/// One controller; all controllers of a machine are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControllerConfig {
    /// Request order.
    pub scheduler: Scheduler,
    /// Row policy.
    pub page: PagePolicy,
    /// Queue structure.
    pub queues: Queues,
    /// Writes are drained from this fill of the write buffer (requests) on …
    pub drain_high: u32,
    /// … down to this one if a read waits. If none does, they are drained from one more on, and all of them.
    pub drain_low: u32,
    /// A read waits for one drain at most: those that wait when the bus turns back to reads are served before the next drain.
    pub drain_once: bool,
    /// Refresh.
    pub refresh: RefreshPolicy,
    /// Fixed time between the core's miss and the controller's queue and back again, in picoseconds, added once
    /// to each read; 0 for the bare memory core.
    pub frontend: u64,
}
