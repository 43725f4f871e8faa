// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes back to a core: when its line is there, and where the time went.

use crate::request::RowOutcome;
use fresco_dram::{PhysAddr, Ps};

/// Names a read that is under way; counted up from 0 in the order of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// The answer to a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// The last-level cache had the line; its data are there at this time.
    Done {
        /// Picoseconds since the start of the run.
        at: Ps,
    },
    /// The line comes from memory, or the last-level cache accepts no access now; exactly one [`Done`] with this name will
    /// tell when it is there.
    Pending(RequestId),
}

/// A read whose data have reached the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The name that the read got.
    pub id: RequestId,
    /// The core that asked.
    pub core: u32,
    /// When the data were there, in picoseconds since the start of the run.
    pub at: Ps,
    /// Where the time went; `None` if the line did not come from memory: the last-level cache had it, but let the read wait
    /// while all its miss registers were taken.
    pub sample: Option<Sample>,
}

/// The anatomy of one read from memory. `path`, `remote`, `queue`, `bank`, `bus`, `refresh`, `service` and `merged` add
/// up to `latency`; all in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// From the access to its data at the core.
    pub latency: Ps,
    /// Looking up the caches, `ControllerConfig::frontend`, and the wait for the controller's next clock edge; where private caches are coherent,
    /// also the time by which invalidating other copies outlasts the rest.
    pub path: Ps,
    /// On the interconnect, both ways.
    pub remote: Ps,
    /// In queues of the controller ([`crate::Wait::queue`]), and before, for a miss register of the last-level cache and limits of the fabric.
    pub queue: Ps,
    /// For the bank, busy with other rows ([`crate::Wait::bank`]).
    pub bank: Ps,
    /// For rank, bank group or data bus ([`crate::Wait::bus`]).
    pub bus: Ps,
    /// For a refresh ([`crate::Wait::refresh`]).
    pub refresh: Ps,
    /// The read's own commands and data ([`crate::Wait::service`]).
    pub service: Ps,
    /// From its arrival at the controller to its last data: a part of `queue`, and `bank`, `bus`, `refresh` and `service`.
    pub in_memory: Ps,
    /// All of the latency, if the line was under way already for an earlier read of it; then the other parts are 0.
    pub merged: Ps,
    /// What the read (or the one it joined) found in its bank.
    pub outcome: RowOutcome,
    /// Memory node.
    pub node: u32,
    /// Interconnect hops to that node, one way.
    pub hops: u32,
}

/// A line that was in a controller's write buffer while its bank was refreshed (REF-17).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedWrite {
    /// When it was written, in picoseconds since the start of the run.
    pub at: Ps,
    /// The line.
    pub line: PhysAddr,
    /// The core that displaced it from its caches.
    pub core: u32,
    /// For how long both were so, in picoseconds.
    pub wait: Ps,
}

impl Sample {
    /// The sum of the parts.
    pub fn parts(&self) -> Ps {
        self.path + self.remote + self.queue + self.bank + self.bus + self.refresh + self.service + self.merged
    }
}
