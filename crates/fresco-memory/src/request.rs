// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes into a controller, and what comes out.

use fresco_dram::{Cycle, Location};
use serde::{Deserialize, Serialize};

/// Direction of a memory request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Access {
    /// Fetch a line.
    Read,
    /// Store a line; posted, done when the controller has taken it.
    Write,
}

/// One line to read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The caller's name for it; comes back in the [`Completion`].
    pub id: u64,
    /// Who asked (core or task number), for the statistics per source.
    pub source: u16,
    /// Direction.
    pub access: Access,
    /// Physical line address, for forwarding from the write buffer.
    pub line: u64,
    /// Where it lies.
    pub location: Location,
}

/// What a request found in its bank when its first command was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowOutcome {
    /// Its row was open.
    Hit,
    /// No row was open.
    Miss,
    /// Another row was open and had to be closed.
    Conflict,
    /// Served from the write buffer, without the DRAM.
    Forwarded,
    /// A write: taken into the write buffer; what it will find in its bank is not known yet.
    Buffered,
}

/// Where the time of a request went, in cycles of the controller. The parts and `service` add up to `done - arrived`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Before it was visible to the scheduler (front queue, full queues), or not chosen although ready.
    pub queue: Cycle,
    /// For its bank, busy with other rows.
    pub bank: Cycle,
    /// For the rank, the bank group or the data bus.
    pub bus: Cycle,
    /// For a refresh of its bank.
    pub refresh: Cycle,
    /// Its own commands and data.
    pub service: Cycle,
}

/// A request that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// As in the request.
    pub id: u64,
    /// As in the request.
    pub source: u16,
    /// As in the request.
    pub access: Access,
    /// When it came to the controller.
    pub arrived: Cycle,
    /// When the last beat of data was over (reads) or the request was accepted (writes).
    pub done: Cycle,
    /// Row buffer outcome.
    pub outcome: RowOutcome,
    /// Where the time went.
    pub wait: Wait,
}
