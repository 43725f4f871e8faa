// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a host chooses, and why a request is not taken.

use fresco_dram::{Cycle, LONGEST_GAP};
use std::fmt;
use std::num::NonZeroU32;

/// When a request is not taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// While the queue that it would go into is full: the machine's read queues, write buffers, or front queue.
    #[default]
    Queues,
    /// While so many requests are not yet done. Fewer than the queues hold, they never push back; more, requests wait for places, and the wait counts.
    Outstanding(NonZeroU32),
}

/// How a [`Memory`](super::Memory) is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// When a request is not taken.
    pub limit: Limit,
    /// The independent checker sees every command: timing, refresh, rows refreshed in time.
    pub check: bool,
    /// Every command is kept until it is taken ([`Memory::take_commands`](super::Memory::take_commands)): 40 bytes each.
    pub keep_commands: bool,
}

/// Why a request is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// There is no memory at this address.
    NoMemory {
        /// As it was sent.
        address: u64,
    },
    /// The limit is reached: to be sent again when time stands at [`Memory::next_event`](super::Memory::next_event), and so on. Nothing need be done by
    /// then: write buffers are emptied with nothing outstanding.
    Full,
    /// Its cycle lies behind [`Memory::LAST`](super::Memory::LAST).
    Late {
        /// As it was sent.
        cycle: Cycle,
    },
    /// Of many requests at once, its cycle lies more than [`LONGEST_GAP`] behind what came before.
    Far {
        /// As it was sent.
        cycle: Cycle,
        /// The first cycle in which it could have been sent.
        from: Cycle,
    },
}

impl SendError {
    /// Of a request of many that is to arrive in `cycle`, and can from cycle `from` on: one of the two is too much.
    #[cold]
    pub(super) fn out_of_time(cycle: Cycle, from: Cycle) -> Self {
        match cycle > super::Memory::LAST {
            true => Self::Late { cycle },
            false => Self::Far { cycle, from },
        }
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMemory { address } => write!(f, "found address {address:#x}, where the machine has no memory"),
            Self::Full => f.write_str("the queue is full; send it again in the cycle of next_event"),
            Self::Far { cycle, from } => write!(
                f,
                "found cycle {cycle}, where time stands at {from}, allowed: at most {LONGEST_GAP} cycles from one request to the next; shorten \
                 the pause, or move time on before"
            ),
            Self::Late { cycle } => write!(f, "found cycle {cycle}, allowed: up to {}", super::Memory::LAST),
        }
    }
}

impl std::error::Error for SendError {}
