// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elastic refresh: put off while a rank is busy, done when it has been idle for a while, forced when no more may be owed
//! (REF-15; Stuecheli et al., MICRO 2010).

use super::all_bank::rank_refresh;
use super::{Load, Refresh, RefreshEngine};
use fresco_dram::{Cycle, NEVER, Organisation, Timing};

#[derive(Clone, Debug)]
struct Rank {
    /// When the rank owes one more.
    boundary: Cycle,
    /// Refreshes owed: due by the clock, not yet taken.
    owed: u64,
    /// Since when no request waits; [`NEVER`] while one does.
    idle_since: Cycle,
    /// A refresh has been taken and not been issued.
    taken: bool,
    /// End of the last refresh.
    free_from: Cycle,
}

/// All-bank refresh that waits for idle ranks.
///
/// The more refreshes a rank owes, the shorter the idle time that it takes for an opportunity: tRFC with one owed, down
/// to nothing. With as many as the standard lets a controller owe, a refresh goes before every request.
#[derive(Debug)]
pub struct Elastic {
    interval: Cycle,
    /// Most refreshes owed.
    limit: u64,
    refresh: Refresh,
    ranks: Vec<Rank>,
}

impl Elastic {
    /// Elastic refresh of `org.ranks` ranks.
    ///
    /// The interval is tREFI, or less where putting off by the limit would else make a row wait for longer than tREFW.
    pub fn new(org: &Organisation, timing: &Timing) -> Self {
        let limit = timing.postponable;
        let interval = timing.refi.min(timing.refw / (timing.refreshes + limit + 1));
        let ranks = u64::from(org.ranks);
        let rank = |r| Rank {
            boundary: interval * (r + 1) / ranks,
            owed: 0,
            idle_since: 0,
            taken: false,
            free_from: 0,
        };
        Self {
            interval,
            limit,
            refresh: rank_refresh(org, timing),
            ranks: (0..ranks).map(rank).collect(),
        }
    }

    /// Idle cycles after which one of `owed` refreshes is done.
    fn patience(&self, owed: u64) -> Cycle {
        let left = self.limit.saturating_sub(owed);
        (self.refresh.cycles * left / self.limit.max(1)).max(1)
    }

    /// When the rank's next refresh is due, if nothing changes before.
    fn due(&self, rank: &Rank) -> Cycle {
        if rank.taken || rank.owed == 0 {
            NEVER
        } else if rank.owed >= self.limit.max(1) {
            rank.free_from
        } else if rank.idle_since == NEVER {
            NEVER
        } else {
            (rank.idle_since + self.patience(rank.owed)).max(rank.free_from)
        }
    }
}

impl RefreshEngine for Elastic {
    fn next_due(&self) -> Cycle {
        let next = |rank: &Rank| rank.boundary.min(self.due(rank));
        self.ranks.iter().map(next).min().unwrap_or(NEVER)
    }

    fn take_due(&mut self, now: Cycle, _load: &Load<'_>) -> Option<Refresh> {
        for r in 0..self.ranks.len() {
            if self.ranks[r].boundary <= now {
                self.ranks[r].boundary += self.interval;
                self.ranks[r].owed += 1;
            }
            if self.due(&self.ranks[r]) <= now {
                self.ranks[r].owed -= 1;
                self.ranks[r].taken = true;
                return Some(Refresh {
                    rank: r as u32,
                    ..self.refresh
                });
            }
        }
        None
    }

    fn issued(&mut self, refresh: &Refresh, now: Cycle) {
        let rank = &mut self.ranks[refresh.rank as usize];
        rank.taken = false;
        rank.free_from = now + refresh.cycles;
    }

    fn watches_load(&self) -> bool {
        true
    }

    fn load_changed(&mut self, rank: u32, load: &Load<'_>, now: Cycle) {
        let idle = load.is_idle(rank);
        let rank = &mut self.ranks[rank as usize];
        if !idle {
            rank.idle_since = NEVER;
        } else if rank.idle_since == NEVER {
            rank.idle_since = now;
        }
    }
}
