// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long column commands wait for those of other banks: the data bus, and handing it over between ranks. In cycles.

use crate::distances::{after, begun, column};
use crate::{Crowd, Dram};
use fresco_dram::Cycle;
use fresco_machine::Scheduler;

/// Waits of column commands of a bank, for one crowd.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// Column commands of an older line, or of the line itself: they are over so long after the one before, or after they could begin, at most.
    pub line: Cycle,
    /// The same of any line while the read itself can go, if nobody else is in its bank group.
    pub while_ready: Cycle,
    /// If it is known how often another rank has the bus.
    ranks: Option<Ranks>,
}

/// Ranks that hand the bus over (`docs/model.md`, section 5).
#[derive(Clone, Debug)]
struct Ranks {
    /// Older lines of other ranks at most.
    others: u64,
    /// Lines of one rank, one after the other: each.
    within: Cycle,
    /// Lines after which the bus is handed over.
    cap: u64,
    /// Lines of other ranks that go first, and the bus there and back.
    first: Cycle,
    /// A run of lines of other ranks ends by itself.
    ends: bool,
    /// What an older line of another rank adds, unless runs end.
    older: Cycle,
    /// What a cap full of older lines of the own rank adds.
    handed_over: Cycle,
}

impl Columns {
    /// Of reads.
    pub fn of(dram: &Dram<'_>, crowd: &Crowd, waits_inside: bool) -> Self {
        let t = dram.timing;
        let bursts = t.bursts_of_line(dram.organisation);
        let begun = begun(t);
        // Its own lines are of its group.
        let alone = crowd.of_bank == 1 && crowd.of_group == 1;
        let while_ready = if alone { t.ccd_s } else { after(t.ccd_l, t.ccd_s) };
        let across = t.burst() + t.rtrs;
        // The next of its rank can go before one of another, which so has to be handed the bus.
        let keeps = if alone { t.ccd_s } else { t.ccd_l } <= across;
        let ranks = match dram.controller.scheduler {
            Scheduler::FrFcfs { hit_cap } if crowd.ranks > 1 && keeps => Some(Ranks::of(
                crowd,
                u64::from(hit_cap.max(1)),
                bursts * (while_ready + begun),
                while_ready.max(across) + begun,
                t.rcd,
                // Lines follow each other before the read could go, so a core's next comes too late.
                waits_inside && u64::from(crowd.of_other_ranks) * (across + begun) <= t.cl + t.burst(),
            )),
            _ => None,
        };
        Self {
            line: bursts.saturating_mul(column(dram, crowd, t.ccd_l)),
            while_ready: bursts * (while_ready + begun),
            ranks,
        }
    }

    /// `own` lines of the bank, each of which may begin and then waits, with `older` lines elsewhere, of which so many at most are `of_rank`.
    pub fn wait(&self, own: u64, older: u64, of_rank: u64) -> Cycle {
        let any = (own + older).saturating_mul(self.line);
        match &self.ranks {
            Some(ranks) => any.min(ranks.wait(own, older, of_rank)),
            None => any,
        }
    }

    /// The same of one line that can go all the while; `None` if it is not known how often another rank has the bus.
    pub fn wait_while_ready(&self, older: u64, of_rank: u64) -> Option<Cycle> {
        Some(self.ranks.as_ref()?.wait(1, older, of_rank))
    }
}

impl Ranks {
    fn of(crowd: &Crowd, cap: u64, within: Cycle, turn: Cycle, rcd: Cycle, ends: bool) -> Self {
        let others = u64::from(crowd.of_other_ranks);
        let lines = if ends { cap.min(others) } else { cap };
        Self {
            others,
            within,
            cap,
            first: lines.saturating_mul(within) + 2 * turn,
            ends,
            // It may come when the bus was to be handed over, and keep it until it can go and for another cap of lines.
            older: rcd + (cap + 1).saturating_mul(within) + turn,
            handed_over: 2 * turn + if ends { lines * within } else { 0 },
        }
    }

    fn wait(&self, own: u64, older: u64, of_rank: u64) -> Cycle {
        let others = self.others.min(older);
        let (of_rank, of_others) = match self.ends {
            true => (of_rank.min(older), 0),
            false => (older - others, others.saturating_mul(self.older)),
        };
        own.saturating_mul(self.within.saturating_add(self.first))
            .saturating_add(of_rank.saturating_mul(self.within))
            .saturating_add(of_others)
            .saturating_add(((of_rank + own) / self.cap).saturating_mul(self.handed_over))
    }
}
