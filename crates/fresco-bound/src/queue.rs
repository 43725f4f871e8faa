// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the queues of the controller hold, and how long a read waits before it is in one.

use crate::{Crowd, Dram};
use fresco_dram::Cycle;
use fresco_machine::Queues;

/// The crowd that the scheduler sees at once.
pub(crate) fn inside(dram: &Dram<'_>, crowd: &Crowd) -> Crowd {
    match dram.controller.queues {
        Queues::Global { reads, .. } => Crowd {
            reads: crowd.reads.min(reads),
            ..*crowd
        },
        Queues::PerBank { reads_per_bank, .. } | Queues::FrontQueue { reads_per_bank, .. } => Crowd {
            of_bank: crowd.of_bank.min(reads_per_bank),
            ..*crowd
        },
    }
    .checked()
}

/// How long a read waits until it is in a queue that the scheduler sees, if one in it is done within `read` cycles and a drain takes `drain`.
///
/// Who waits comes in in order of arrival. A place becomes free whenever a read of the queue is done, so at least once in `read` cycles.
pub(crate) fn outside(dram: &Dram<'_>, crowd: &Crowd, read: Cycle, drain: Cycle) -> Cycle {
    let over = |most: u32, places: u32| u64::from(most.saturating_sub(places));
    match dram.controller.queues {
        Queues::Global { reads, .. } => over(crowd.reads, reads).saturating_mul(read),
        Queues::PerBank { reads_per_bank, .. } => over(crowd.of_bank, reads_per_bank).saturating_mul(read),
        Queues::FrontQueue {
            reads_per_bank, writes, ..
        } => {
            let before = u64::from(crowd.front);
            // Its head waits for a place in its bank's queue …
            let full = if crowd.front >= reads_per_bank { before } else { 0 };
            // … or, a write, for the drain that comes once the reads have been served that waited when the last one ended. A drain makes
            // room for so many at least:
            let drained = u64::from(writes - dram.controller.drain_low.min(writes - 1));
            let waiting = if crowd.writes() { before } else { 0 };
            let blocked = waiting.div_ceil(drained).saturating_mul(read.saturating_add(drain));
            full.saturating_mul(read).saturating_add(blocked).saturating_add(before)
        }
    }
}
