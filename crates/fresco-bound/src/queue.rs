// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the queues of the controller hold, and how long a read waits before it is in one.

use crate::columns::Columns;
use crate::distances::{Distances, row_cycle};
use crate::drain::Drain;
use crate::{Crowd, Dram};
use fresco_dram::Cycle;
use fresco_machine::{Queues, Scheduler};

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

/// How long a read waits until it is in a queue that the scheduler sees, if a drain of a full buffer takes `drain`.
///
/// Who waits comes in in order of arrival. So of the reads that keep it outside none is younger than it; and those in a full queue when a drain ends
/// are served before the next begins.
pub(crate) fn outside(dram: &Dram<'_>, crowd: &Crowd, d: &Distances, drain: Cycle) -> Cycle {
    let with_drains = |reads: u32, each: Cycle, places: u32| {
        let drains = u64::from(reads.div_ceil(places.max(1)));
        u64::from(reads).saturating_mul(each) + drains.saturating_mul(drain)
    };
    match dram.controller.queues {
        Queues::Global { reads, .. } => with_drains(crowd.reads.saturating_sub(reads), any_read(dram, crowd, d), reads),
        Queues::PerBank { reads_per_bank, .. } => {
            let outside = crowd.of_bank.saturating_sub(reads_per_bank);
            with_drains(outside, of_bank(dram, crowd, d, reads_per_bank), reads_per_bank)
        }
        Queues::FrontQueue {
            reads_per_bank, writes, ..
        } => {
            let before = crowd.front.saturating_sub(crowd.waiting_writes + 1);
            // Its head waits for a place in its bank's queue: when the last one comes in, all other places are taken …
            let served = before.saturating_sub(reads_per_bank - 1);
            let reads = u64::from(served).saturating_mul(any_read(dram, crowd, d));
            let moves = u64::from(crowd.front);
            if !crowd.writes() {
                return reads + moves;
            }
            // … or, a write, for a drain, which makes room for so many at least. No other writes come in.
            let room = writes - dram.controller.drain_low.min(writes - 1);
            let channels = dram.organisation.channels;
            let drains = served / reads_per_bank + crowd.waiting_writes.div_ceil(room) + channels;
            let written = u64::from(channels) * u64::from(writes) + u64::from(crowd.waiting_writes);
            let Drain { turns, write } = Drain::of(dram, crowd, d);
            reads + moves + u64::from(drains) * turns + written * write
        }
    }
}

/// While any read can be served, the next one is, whichever it is, so long after the one before it at most.
fn any_read(dram: &Dram<'_>, crowd: &Crowd, d: &Distances) -> Cycle {
    row_cycle(dram.timing, crowd.writes()) + d.precharge + d.acts(1) + d.bursts * d.any_column
}

/// From the last column command for a bank whose queue of so many `places` is full to the next: its own, and the commands of all that are older elsewhere.
fn of_bank(dram: &Dram<'_>, crowd: &Crowd, d: &Distances, places: u32) -> Cycle {
    let elsewhere = u64::from(crowd.reads.saturating_sub(places + 1));
    match dram.controller.scheduler {
        Scheduler::Fcfs => (elsewhere + 1) * any_read(dram, crowd, d),
        Scheduler::FrFcfs { .. } => {
            let columns = Columns::of(dram, crowd, false).wait(1, elsewhere, elsewhere);
            let other = d.older_precharge + d.act_more().max(d.older_act);
            row_cycle(dram.timing, crowd.writes()) + d.precharge + d.acts(1) + columns + elsewhere * other
        }
    }
}
