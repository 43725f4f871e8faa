// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a read waits for writes.
//!
//! A read meets one drain at most: one that is going on when it comes, or the next. When the bus turns back it is among the reads that wait,
//! and these are served before another drain begins.

use crate::columns::Columns;
use crate::distances::{Distances, row_cycle, until_precharge};
use crate::{Crowd, Dram};
use fresco_dram::Cycle;
use fresco_machine::Scheduler;

/// What a drain takes.
pub(crate) struct Drain {
    /// From the decision to drain until the reads are where they were before it, but for the writes themselves.
    pub turns: Cycle,
    /// Each write.
    pub write: Cycle,
}

/// Of a drain of a full buffer; nothing if nobody writes.
pub(crate) fn drain(dram: &Dram<'_>, crowd: &Crowd, d: &Distances) -> Cycle {
    if !crowd.writes() {
        return 0;
    }
    let Drain { turns, write } = Drain::of(dram, crowd, d);
    turns + u64::from(dram.controller.queues.writes()) * write
}

impl Drain {
    pub fn of(dram: &Dram<'_>, crowd: &Crowd, d: &Distances) -> Self {
        let t = dram.timing;
        let buffer = u64::from(dram.controller.queues.writes());
        let banks = u64::from(dram.organisation.banks_per_channel());
        // Rows that were opened for reads serve these before the bus turns; later those opened for writes.
        let begun_reads = t.rcd + (u64::from(crowd.reads) - 1).min(banks) * d.bursts * d.any_column;
        let begun_writes = t.rcd + (banks - 1).min(buffer) * d.bursts * d.any_write_column;
        let across = if crowd.ranks > 1 { t.rtrs } else { 0 };
        let to_writes = (t.cl + t.burst() + t.rtw_gap.max(across)).saturating_sub(t.cwl);
        let to_reads = t.cwl + t.burst() + t.wtr_l.max(across);
        // Banks were written: rows that had been closed for reads are open again.
        let again = until_precharge(t, true)
            + t.rp
            + d.precharge
            + u64::from(crowd.reads) * d.older_precharge
            + d.acts(1)
            + Columns::of(dram, crowd, false).wait(1, 0, 0);
        let row = row_cycle(t, true);
        let write = match dram.controller.scheduler {
            // The oldest write needs no longer from any other's column command to its own.
            Scheduler::Fcfs => row + d.precharge + d.acts(1) + d.bursts * d.write_column,
            // Of the bank that is done last: a row cycle for each of its own writes, and the commands of each other one once.
            Scheduler::FrFcfs { .. } => {
                let own = row + (d.bursts - 1) * t.ccd_l_wr + d.idle_precharge;
                let other = d.older_precharge + d.act_more().max(d.older_act) + d.bursts * d.any_write_column;
                own.max(other)
            }
        };
        // What went before the first of its commands.
        let before = d.precharge + d.acts(1) + d.any_write_column;
        Self {
            turns: begun_reads + to_writes + begun_writes + before + to_reads + again,
            write,
        }
    }
}
