// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each line of others costs a task, however its reads and theirs meet.
//!
//! A command of another request keeps a task's commands waiting for the distance between the two, once. So with as many lines as others may
//! move while the task works, each at its full cost, its work is bounded without counting which reads they meet.

use crate::distances::Distances;
use crate::drain::Drain;
use crate::{Crowd, Dram, ReadBound, TaskReads, refresh};
use fresco_dram::Cycle;

/// Costs, in cycles of the memory clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Costs {
    /// Of each read of the task: the last command of others before each of its own.
    pub own_read: Cycle,
    /// Its own commands and data, in a bank that has just been used for another row.
    pub service: Cycle,
    /// Lines that may wait for being written, in the write buffer and outside.
    pub waiting: u64,
    /// Of each line that others read …
    pub read: Cycle,
    /// … or write.
    pub write: Cycle,
    /// Of each drain, besides its writes.
    pub turns: Cycle,
    /// Of each refresh, and their interval; `None` without.
    pub refresh: Option<(Cycle, Cycle)>,
}

impl Costs {
    /// Of a task, whatever bank its reads are of.
    pub fn of_task(dram: &Dram<'_>, reads: &TaskReads, own: u32) -> Self {
        let all = reads.all.iter().map(|(crowd, bound)| Self::of(dram, crowd, bound, own));
        all.reduce(|a, b| Self {
            own_read: a.own_read.max(b.own_read),
            service: a.service.max(b.service),
            waiting: a.waiting.max(b.waiting),
            read: a.read.max(b.read),
            write: a.write.max(b.write),
            turns: a.turns.max(b.turns),
            refresh: a.refresh.zip(b.refresh).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))),
        })
        .unwrap_or_else(|| Self::of(dram, &reads.crowd, &reads.bound, own))
    }

    /// Of a task whose reads are among `crowd`, a core of which has `own` reads under way at most.
    pub fn of(dram: &Dram<'_>, crowd: &Crowd, bound: &ReadBound, own: u32) -> Self {
        let crowd = crowd.checked();
        let d = Distances::new(dram, &crowd);
        // Each line of others counts once, so it does not matter which rank has the bus.
        let line = d.bursts * d.any_column;
        let elsewhere = d.older_precharge + d.act_more().max(d.older_act) + line;
        // In a bank of the task a line takes a row cycle, and the row that the task had open is to be opened again.
        let row = dram.timing.read_row_cycle(dram.organisation);
        let shared = if crowd.of_bank > own { 2 * row } else { 0 };
        let Drain { turns, write } = Drain::of(dram, &crowd, &d);
        Self {
            own_read: d.precharge + d.acts(1) + line,
            service: bound.service,
            waiting: match crowd.writes() {
                true => u64::from(dram.controller.queues.writes()) + u64::from(crowd.waiting_writes),
                false => 0,
            },
            read: elsewhere + shared,
            write: write + shared,
            turns,
            refresh: refresh::share(dram, &crowd, &d),
        }
    }
}
