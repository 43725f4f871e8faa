// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh management: the commands that devices ask for besides those of a refresh scheme (DDR5).
//!
//! It stands around the scheme and watches the commands of the channel. A bank that has been activated RAAIMT times, less what refreshes
//! took off, has an RFM in the next cycle, unless a command that takes off enough is on its way: so its count stays far below RAAMMT,
//! whatever the traffic. Alerts of activation counting ([`BackOff`]) bring RFMab when their window is over.

use super::back_off::BackOff;
use super::{Lateness, Load, Refresh, RefreshEngine};
use fresco_dram::{CommandKind, Cycle, Management, NEVER, Organisation, Rfm, Timing};

/// A refresh scheme with refresh management.
pub(in crate::controller) struct Managed {
    scheme: Box<dyn RefreshEngine>,
    management: Management,
    counts: Option<Counts>,
    back_off: Option<BackOff>,
    ranks: u32,
    banks_per_rank: u32,
    banks_per_group: u32,
    /// What the devices have asked for and the controller has not taken, and from when on.
    asked: Vec<(Cycle, Refresh)>,
    /// Commands, also of the scheme, that have been taken and not been issued.
    taken: Vec<Refresh>,
}

/// Rolling accumulated ACTs.
struct Counts {
    rfm: Rfm,
    /// By bank of the channel.
    of_bank: Vec<u32>,
}

impl Managed {
    /// The scheme with what the devices ask for, or as it is where they ask for nothing.
    pub(in crate::controller) fn around(
        scheme: Box<dyn RefreshEngine>,
        org: &Organisation,
        timing: &Timing,
    ) -> Box<dyn RefreshEngine> {
        let management = timing.management;
        if management.is_off() {
            return scheme;
        }
        let banks = org.banks_per_channel() as usize;
        Box::new(Self {
            scheme,
            management,
            counts: management.rfm.map(|rfm| Counts {
                rfm,
                of_bank: vec![0; banks],
            }),
            back_off: management.prac.map(|prac| BackOff::new(prac, org)),
            ranks: org.ranks,
            banks_per_rank: org.banks_per_rank(),
            banks_per_group: org.banks,
            asked: Vec::new(),
            taken: Vec::new(),
        })
    }

    /// RFMab of a rank.
    fn of_rank(&self, rank: u32) -> Refresh {
        Refresh {
            rank,
            kind: CommandKind::RfmAb,
            banks: u64::MAX >> (64 - self.banks_per_rank),
            cycles: self.management.rfm_ab,
        }
    }

    /// The RFM that a bank of the channel has by its count.
    fn of_bank(&self, bank: u32, rfm: Rfm) -> Refresh {
        let rank = bank / self.banks_per_rank;
        if !rfm.same_bank {
            return self.of_rank(rank);
        }
        let numbers = (bank % self.banks_per_group..self.banks_per_rank).step_by(self.banks_per_group as usize);
        Refresh {
            rank,
            kind: CommandKind::RfmSb,
            banks: numbers.fold(0, |mask, bank| mask | 1 << bank),
            cycles: self.management.rfm_sb,
        }
    }

    /// Asks for an RFM from the cycle after `now` on if the bank has too many activations and no command for it is on its way.
    fn ask(&mut self, bank: u32, now: Cycle) {
        let Some(Counts { rfm, of_bank }) = &self.counts else {
            return;
        };
        let (rfm, count) = (*rfm, of_bank[bank as usize]);
        let (rank, bit) = (bank / self.banks_per_rank, bank % self.banks_per_rank);
        let coming = self.taken.iter().chain(self.asked.iter().map(|(_, refresh)| refresh));
        let mut coming = coming.filter(|refresh| refresh.rank == rank && refresh.banks >> bit & 1 == 1);
        if count >= rfm.raaimt && coming.next().is_none() {
            self.asked.push((now + 1, self.of_bank(bank, rfm)));
        }
    }

    fn activated(&mut self, bank: u32, row: u32, now: Cycle) {
        if let Some(counts) = &mut self.counts {
            counts.of_bank[bank as usize] += 1;
            self.ask(bank, now);
        }
        if let Some(back_off) = &mut self.back_off {
            back_off.activated(bank, row);
        }
    }

    /// Rows of these banks of the channel close, if they are open.
    fn closed(&mut self, banks: impl Iterator<Item = u32>, now: Cycle) {
        let Some(back_off) = &mut self.back_off else {
            return;
        };
        let end = now + self.management.window;
        if let Some(commands) = back_off.closed(banks, end) {
            let ranks = (0..self.ranks).flat_map(|rank| (0..commands).map(move |_| rank));
            let asked: Vec<_> = ranks.map(|rank| (end.max(now + 1), self.of_rank(rank))).collect();
            self.asked.extend(asked);
        }
    }

    /// Takes off counts what the command is worth, and looks whether banks are still to have an RFM.
    fn credited(&mut self, refresh: &Refresh, now: Cycle) {
        let first = refresh.rank * self.banks_per_rank;
        let banks = (0..self.banks_per_rank).filter(|bank| refresh.banks >> bank & 1 == 1);
        for bank in banks.map(|bank| first + bank) {
            if let Some(Counts { rfm, of_bank }) = &mut self.counts {
                let worth = if refresh.kind.is_management() {
                    rfm.raaimt
                } else {
                    rfm.per_refresh
                };
                let count = &mut of_bank[bank as usize];
                *count = count.saturating_sub(worth);
                self.ask(bank, now);
            }
            if let Some(back_off) = &mut self.back_off
                && refresh.kind.is_management()
            {
                back_off.mitigated(bank);
            }
        }
        if let Some(back_off) = &mut self.back_off
            && refresh.kind == CommandKind::RfmAb
        {
            back_off.managed(refresh.rank, now);
        }
    }
}

impl RefreshEngine for Managed {
    fn next_due(&self) -> Cycle {
        let asked = self.asked.iter().map(|&(from, _)| from);
        asked.fold(self.scheme.next_due(), Cycle::min)
    }

    fn take_due(&mut self, now: Cycle, load: &Load<'_>) -> Option<Refresh> {
        let own = self.asked.iter().position(|&(from, _)| from <= now);
        let refresh = match self.scheme.take_due(now, load) {
            Some(refresh) => refresh,
            None => self.asked.remove(own?).1,
        };
        self.taken.push(refresh);
        Some(refresh)
    }

    fn not_before(&self, refresh: &Refresh) -> Cycle {
        match refresh.kind.is_management() {
            true => 0,
            false => self.scheme.not_before(refresh),
        }
    }

    fn is_waiting(&self) -> bool {
        self.scheme.is_waiting()
    }

    fn lateness(&self) -> Lateness {
        self.scheme.lateness()
    }

    fn issued(&mut self, refresh: &Refresh, now: Cycle) {
        if let Some(place) = self.taken.iter().position(|taken| taken == refresh) {
            self.taken.remove(place);
        }
        if !refresh.kind.is_management() {
            self.scheme.issued(refresh, now);
        }
        self.credited(refresh, now);
    }

    fn watches_load(&self) -> bool {
        self.scheme.watches_load()
    }

    fn load_changed(&mut self, rank: u32, load: &Load<'_>, now: Cycle) {
        self.scheme.load_changed(rank, load, now);
    }

    fn watches_rows(&self) -> bool {
        true
    }

    fn row_command(&mut self, kind: CommandKind, bank: u32, row: u32, now: Cycle) {
        match kind {
            CommandKind::Act => self.activated(bank, row, now),
            CommandKind::PreAll => {
                let first = bank / self.banks_per_rank * self.banks_per_rank;
                self.closed(first..first + self.banks_per_rank, now);
            }
            _ => self.closed(bank..bank + 1, now),
        }
        debug_assert!(self.asked.iter().all(|&(from, _)| from > now && from < NEVER));
    }
}
