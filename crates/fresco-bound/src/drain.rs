// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a read waits for writes.
//!
//! A read meets one drain at most: one that is going on when it comes, or the next. When the bus turns back it is among the reads that wait,
//! and these are served before another drain begins.

use crate::distances::{Distances, until_precharge};
use crate::{Crowd, Dram};
use fresco_dram::Cycle;

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
        let begun_reads = t.rcd + (u64::from(crowd.reads) - 1).min(banks) * d.bursts * d.column;
        let begun_writes = t.rcd + (banks - 1).min(buffer) * d.bursts * d.write_column;
        let across = if crowd.ranks > 1 { t.rtrs } else { 0 };
        let to_writes = (t.cl + t.burst() + t.rtw_gap.max(across)).saturating_sub(t.cwl);
        let to_reads = t.cwl + t.burst() + t.wtr_l.max(across);
        // Banks were written: rows that had been closed for reads are open again.
        let again = until_precharge(t, true)
            + t.rp
            + d.precharge
            + u64::from(crowd.reads) * d.older_precharge
            + d.acts(1)
            + d.bursts * d.column;
        // The oldest write needs no longer from any other's column command to its own.
        let write = until_precharge(t, true).saturating_add(t.rp).max(t.rc - t.rcd)
            + d.precharge
            + d.acts(1)
            + t.rcd
            + d.bursts * d.write_column;
        Self {
            turns: begun_reads + to_writes + begun_writes + to_reads + again,
            write,
        }
    }
}
