// SPDX-License-Identifier: MIT OR Apache-2.0
//! All-bank refresh, the ranks together or one after the other (REF-4).

use super::{Load, Refresh, RefreshEngine};
use fresco_dram::{CommandKind, Cycle, Organisation, Timing};

/// The mask of all banks of a rank.
fn all_banks(org: &Organisation) -> u64 {
    let n = org.banks_per_rank();
    debug_assert!((1..=64).contains(&n), "a rank has 1 to 64 banks");
    u64::MAX >> (64 - n)
}

/// One REFab per rank and tREFI; rank `r` of `R` at cycles `k tREFI + (r + 1) tREFI / R` for k = 0, 1, …, so that the
/// ranks follow one another evenly.
#[derive(Debug)]
pub struct AllBankIndependent {
    next: Vec<Cycle>,
    interval: Cycle,
    /// From a cycle on, a shorter interval.
    shorter: Option<(Cycle, Cycle)>,
    refresh: Refresh,
}

impl AllBankIndependent {
    /// Staggered refresh of `org.ranks` ranks.
    pub fn new(org: &Organisation, timing: &Timing) -> Self {
        let ranks = u64::from(org.ranks);
        Self {
            next: (0..ranks).map(|r| timing.refi * (r + 1) / ranks).collect(),
            interval: timing.refi,
            shorter: None,
            refresh: rank_refresh(org, timing),
        }
    }

    /// When the command after that of `due` is due. The first at the shorter interval is not before that has begun, and no closer to the one before.
    fn after(&self, due: Cycle) -> Cycle {
        let usual = due + self.interval;
        match self.shorter {
            None => usual,
            Some((from, interval)) if due >= from => due + interval,
            Some((from, interval)) => usual.min(from.max(due + interval)),
        }
    }
}

/// REFab of rank 0.
pub(super) fn rank_refresh(org: &Organisation, timing: &Timing) -> Refresh {
    Refresh {
        rank: 0,
        kind: CommandKind::RefAb,
        banks: all_banks(org),
        cycles: timing.rfc_ab,
    }
}

impl RefreshEngine for AllBankIndependent {
    fn next_due(&self) -> Cycle {
        self.next.iter().copied().min().unwrap_or(fresco_dram::NEVER)
    }

    fn take_due(&mut self, now: Cycle, _load: &Load<'_>) -> Option<Refresh> {
        let rank = self.next.iter().position(|&due| due <= now)?;
        self.next[rank] = self.after(self.next[rank]);
        Some(Refresh {
            rank: rank as u32,
            ..self.refresh
        })
    }
}

/// One REFab to every rank at the same tREFI boundary.
#[derive(Debug)]
pub struct AllBankSimultaneous(AllBankIndependent);

impl AllBankSimultaneous {
    /// Simultaneous refresh of `org.ranks` ranks.
    pub fn new(org: &Organisation, timing: &Timing) -> Self {
        let mut engine = AllBankIndependent::new(org, timing);
        engine.next.fill(timing.refi);
        Self(engine)
    }

    /// The same up to the cycle `from`, and every `interval` from there on: devices that have become hot, of which rows are refreshed more often.
    #[must_use]
    pub fn at_shorter_intervals(mut self, from: Cycle, interval: Cycle) -> Self {
        debug_assert!(interval > self.0.refresh.cycles && interval <= self.0.interval);
        self.0.shorter = Some((from, interval));
        self
    }
}

impl RefreshEngine for AllBankSimultaneous {
    fn next_due(&self) -> Cycle {
        self.0.next_due()
    }

    fn take_due(&mut self, now: Cycle, load: &Load<'_>) -> Option<Refresh> {
        self.0.take_due(now, load)
    }
}
