// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adaptive refresh: whole commands while the channel is busy, quarters while it is not (REF-10; Mukundan et al., ISCA
//! 2013, "Adaptive Refresh" in the comparison of the co-design paper, sections 6.5 and 7).
//!
//! A quarter keeps a rank for tRFC4, more than a quarter of tRFC1: four of them cost more of the time of a busy channel,
//! but a single request waits for less.

use super::all_bank::rank_refresh;
use super::{Load, Refresh, RefreshEngine};
use fresco_dram::{CommandKind, Cycle, NEVER, Organisation, Timing};

/// The share of the cycles of the data bus, in percent, from which on a channel is busy. Assumed: the co-design paper says
/// that the choice goes by the channel's utilisation, and gives no number.
const BUSY_PERCENT: u64 = 50;
/// REFab4 in place of a REFab (DDR4's 4x mode).
const QUARTERS: u64 = 4;

#[derive(Clone, Debug)]
struct Rank {
    /// Where the running interval began; before the first, where the first will.
    start: Cycle,
    /// Quarters of it that have been taken; 0 at its beginning.
    quarters: u64,
    /// When the next command is due.
    due: Cycle,
    /// One has been taken and not been issued; they must not overtake each other.
    taken: bool,
    /// The bursts of the channel when the granularity was last chosen, and when that was.
    seen: (u64, Cycle),
}

/// All-bank refresh of each rank on its own, staggered over the interval, in one piece or in four.
///
/// The choice is made at the beginning of each interval of a rank, by what the channel's data bus carried during the last
/// one (assumed: the paper names no window). So the granularity changes only where a whole command's worth of rows is
/// done, as DDR4 demands on the fly.
#[derive(Debug)]
pub struct Adaptive {
    interval: Cycle,
    whole: Refresh,
    quarter: Refresh,
    /// Cycles of the data bus per burst.
    burst: Cycle,
    ranks: Vec<Rank>,
}

impl Adaptive {
    /// Adaptive refresh of `org.ranks` ranks.
    ///
    /// The interval is tREFI, or less where a row would else wait for longer than tREFW: one that was refreshed at the
    /// beginning of its interval, and the next time in the last quarter of it.
    pub fn new(org: &Organisation, timing: &Timing) -> Self {
        let interval = timing.refi.min(timing.refw / (timing.refreshes + 2));
        let ranks = u64::from(org.ranks);
        let rank = |r| {
            let first = interval * (r + 1) / ranks;
            Rank {
                start: first,
                quarters: 0,
                due: first,
                taken: false,
                seen: (0, 0),
            }
        };
        let whole = rank_refresh(org, timing);
        Self {
            interval,
            whole,
            quarter: Refresh {
                kind: CommandKind::RefAb4,
                cycles: timing.rfc_ab4,
                ..whole
            },
            burst: timing.burst(),
            ranks: (0..ranks).map(rank).collect(),
        }
    }

    /// Returns true if the data bus has been busy for at least `BUSY_PERCENT` of the time since the last choice for the
    /// rank.
    fn is_busy(&self, rank: &Rank, now: Cycle, load: &Load<'_>) -> bool {
        let (bursts, then) = rank.seen;
        (load.bursts() - bursts) * self.burst * 100 >= (now - then) * BUSY_PERCENT
    }
}

impl RefreshEngine for Adaptive {
    fn next_due(&self) -> Cycle {
        let free = self.ranks.iter().filter(|rank| !rank.taken);
        free.map(|rank| rank.due).min().unwrap_or(NEVER)
    }

    fn take_due(&mut self, now: Cycle, load: &Load<'_>) -> Option<Refresh> {
        let r = self.ranks.iter().position(|rank| !rank.taken && rank.due <= now)?;
        let mut rank = self.ranks[r].clone();
        rank.taken = true;
        let mut refresh = self.quarter;
        if rank.quarters == 0 {
            if self.is_busy(&rank, now, load) {
                refresh = self.whole;
                rank.quarters = QUARTERS;
            }
            rank.seen = (load.bursts(), now);
        }
        if refresh == self.quarter {
            rank.quarters += 1;
        }
        if rank.quarters == QUARTERS {
            (rank.start, rank.quarters) = (rank.start + self.interval, 0);
        }
        rank.due = rank.start + rank.quarters * self.interval / QUARTERS;
        self.ranks[r] = rank;
        Some(Refresh {
            rank: r as u32,
            ..refresh
        })
    }

    fn issued(&mut self, refresh: &Refresh, now: Cycle) {
        let rank = &mut self.ranks[refresh.rank as usize];
        rank.taken = false;
        rank.due = rank.due.max(now + refresh.cycles);
    }
}
