// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the interconnect between last-level caches and controllers carries at most.

use serde::{Deserialize, Serialize};

/// Bytes per second of lines, and lines under way, each limit by itself; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rates {
    /// Lines read.
    pub reads: Option<u64>,
    /// Lines written.
    pub writes: Option<u64>,
    /// Both together.
    pub traffic: Option<u64>,
    /// What a written line takes of `traffic`, in percent of one that is read; `None` is as much.
    pub write_cost: Option<u32>,
    /// Lines under way at most, read or written; `None` is any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<u32>,
}

/// The limits of the way between the last-level caches and the controllers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fabric {
    /// Of each cluster: the cores that share a last-level cache, or a core where there is none.
    pub cluster: Rates,
    /// Of each memory node, whoever asks.
    pub node: Rates,
    /// Bytes per second of lines whose data go from one node to another, for each ordered pair of nodes; `None` is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<u64>,
}

impl Fabric {
    /// Returns true if nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }
}
