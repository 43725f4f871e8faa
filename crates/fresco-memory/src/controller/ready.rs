// SPDX-License-Identifier: MIT OR Apache-2.0
//! The earliest cycle of each command: what a command forbids, and until when.
//!
//! Every issued command raises the earliest cycles of the commands that it constrains. What only its own bank must keep
//! stands here; what others must keep too goes to [`Shared`]. What a column command forbids to those of the other
//! direction is worked out when the direction turns, which is seldom. Names of the parameters as in [`Timing`].

use super::refresh::Refresh;
use fresco_dram::{CommandKind, Cycle, Organisation, Timing};

/// The commands that a request can need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Act,
    Pre,
    Rd,
    Wr,
}

/// Timing state of one channel.
#[derive(Debug)]
pub(super) struct Ready {
    /// Earliest cycles by bank and [`Kind`].
    bank: Vec<[Cycle; 4]>,
    /// By bank: the write recovery (tWR) of its last write is over.
    recovered: Vec<Cycle>,
    /// Cycles at which each of the last four ACTs of a rank leaves the tFAW window, the earliest at `faw_next`.
    faw: Vec<[Cycle; 4]>,
    faw_next: Vec<u8>,
    /// The last RD of each rank.
    last_read: Vec<Option<Cycle>>,
    /// The last WR of each bank group.
    last_write: Vec<Option<Cycle>>,
    /// Earliest next REFpb or REFsb of each rank.
    refresh: Vec<Cycle>,
    /// Powers of two, as shifts: a division for each command would be felt.
    banks_per_group_log2: u32,
    banks_per_rank_log2: u32,
    timing: Timing,
    read_to_write: Cycle,
    write_to_read_l: Cycle,
    write_to_read_s: Cycle,
    write_to_precharge: Cycle,
    other_rank_same_direction: Cycle,
    other_rank_read_to_write: Cycle,
    other_rank_write_to_read: Cycle,
}

/// The earliest cycles that the banks of a channel share, seen from one bank group.
pub(super) struct Until {
    /// In the bank group.
    pub group: Cycle,
    /// In the other bank groups of the rank.
    pub rank: Cycle,
    /// In other ranks.
    pub others: Cycle,
}

/// Keeps the earliest cycles that the banks of a channel share.
pub(super) trait Shared {
    /// No `kind` before these cycles. Bank groups are counted within the channel.
    fn raise(&mut self, group: usize, kind: Kind, until: Until);
}

#[inline]
fn raise(slot: &mut Cycle, to: Cycle) {
    *slot = to.max(*slot);
}

impl Ready {
    pub(super) fn new(org: &Organisation, timing: &Timing) -> Self {
        let t = timing;
        let burst = t.burst();
        debug_assert!(org.banks.is_power_of_two() && org.bank_groups.is_power_of_two());
        let ranks = org.ranks as usize;
        let banks = org.banks_per_channel() as usize;
        Self {
            bank: vec![[0; 4]; banks],
            recovered: vec![0; banks],
            faw: vec![[0; 4]; ranks],
            faw_next: vec![0; ranks],
            last_read: vec![None; ranks],
            last_write: vec![None; ranks * org.bank_groups as usize],
            refresh: vec![0; ranks],
            banks_per_group_log2: org.banks.ilog2(),
            banks_per_rank_log2: org.banks_per_rank().ilog2(),
            // The write burst starts `rtw_gap` idle bus cycles after the read burst of the same rank ends.
            read_to_write: (t.cl + burst + t.rtw_gap).saturating_sub(t.cwl),
            write_to_read_l: t.cwl + burst + t.wtr_l,
            write_to_read_s: t.cwl + burst + t.wtr_s,
            write_to_precharge: t.cwl + burst + t.wr,
            other_rank_same_direction: burst + t.rtrs,
            other_rank_read_to_write: (t.cl + burst + t.rtrs).saturating_sub(t.cwl),
            other_rank_write_to_read: (t.cwl + burst + t.rtrs).saturating_sub(t.cl),
            timing: timing.clone(),
        }
    }

    /// The longest distance that goes to [`Shared`].
    pub(super) fn longest_shared(&self) -> Cycle {
        let t = &self.timing;
        let within = [
            t.rrd_s,
            t.rrd_l,
            t.faw,
            t.ccd_s,
            t.ccd_l,
            t.ccd_l_wr,
            t.ppd,
            t.refresh_to_act_other,
        ];
        let turnarounds = [
            self.read_to_write,
            self.write_to_read_l,
            self.write_to_read_s,
            self.other_rank_same_direction,
            self.other_rank_read_to_write,
            self.other_rank_write_to_read,
        ];
        within.into_iter().chain(turnarounds).fold(0, Cycle::max)
    }

    #[inline]
    fn group_of(&self, bank: usize) -> usize {
        bank >> self.banks_per_group_log2
    }

    #[inline]
    fn rank_of(&self, bank: usize) -> usize {
        bank >> self.banks_per_rank_log2
    }

    /// What the bank alone allows.
    #[inline]
    pub(super) fn of_bank(&self, bank: usize, kind: Kind) -> Cycle {
        self.bank[bank][kind as usize]
    }

    /// Earliest next REFpb or REFsb of the rank, as far as other banks matter: their refreshes, and their ACTs, for a
    /// bank refresh activates a row.
    pub(super) fn of_refresh(&self, rank: usize) -> Cycle {
        let last = self.faw[rank][usize::from(self.faw_next[rank].wrapping_sub(1)) & 3];
        self.refresh[rank].max((last + self.timing.act_to_bank_refresh()).saturating_sub(self.timing.faw))
    }

    // Always: for each row.
    #[inline(always)]
    pub(super) fn activated(&mut self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        let (group, rank) = (self.group_of(bank), self.rank_of(bank));
        let t = &self.timing;
        let b = &mut self.bank[bank];
        raise(&mut b[Kind::Rd as usize], now + t.rcd);
        raise(&mut b[Kind::Wr as usize], now + t.rcd);
        raise(&mut b[Kind::Pre as usize], now + t.ras);
        raise(&mut b[Kind::Act as usize], now + t.rc);
        // tFAW: the fifth ACT may come when the first of the last four leaves the window.
        let next = usize::from(self.faw_next[rank]) & 3;
        self.faw[rank][next] = now + t.faw;
        let next = (next + 1) & 3;
        self.faw_next[rank] = next as u8;
        let window = self.faw[rank][next];
        let until = Until {
            group: window.max(now + t.rrd_l),
            rank: window.max(now + t.rrd_s),
            others: 0,
        };
        shared.raise(group, Kind::Act, until);
    }

    pub(super) fn read(&mut self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        let rank = self.rank_of(bank);
        raise(&mut self.bank[bank][Kind::Pre as usize], now + self.timing.rtp);
        self.last_read[rank] = Some(now);
        let until = Until {
            group: now + self.timing.ccd_l,
            rank: now + self.timing.ccd_s,
            others: now + self.other_rank_same_direction,
        };
        shared.raise(self.group_of(bank), Kind::Rd, until);
    }

    pub(super) fn write(&mut self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        let group = self.group_of(bank);
        self.recovered[bank] = now + self.write_to_precharge;
        raise(&mut self.bank[bank][Kind::Pre as usize], now + self.write_to_precharge);
        self.last_write[group] = Some(now);
        let until = Until {
            group: now + self.timing.ccd_l_wr,
            rank: now + self.timing.ccd_s,
            others: now + self.other_rank_same_direction,
        };
        shared.raise(group, Kind::Wr, until);
    }

    /// After a column command of the bank those of its rank wait as long as those of other ranks.
    pub(super) fn hand_over(&self, now: Cycle, bank: usize, kind: Kind, shared: &mut impl Shared) {
        let until = now + self.other_rank_same_direction;
        let until = Until {
            group: until,
            rank: until,
            others: 0,
        };
        shared.raise(self.group_of(bank), kind, until);
    }

    /// From here on column commands are of kind `to`, after those of the other direction.
    pub(super) fn turn(&self, to: Kind, shared: &mut impl Shared) {
        for group in 0..self.last_write.len() {
            let until = match to {
                Kind::Wr => self.writable(group),
                _ => self.readable(group),
            };
            let until = Until {
                group: until,
                rank: 0,
                others: 0,
            };
            shared.raise(group, to, until);
        }
    }

    fn rank_of_group(&self, group: usize) -> usize {
        group >> (self.banks_per_rank_log2 - self.banks_per_group_log2)
    }

    /// When the reads so far let the bank group be written.
    fn writable(&self, group: usize) -> Cycle {
        let own = self.rank_of_group(group);
        let reads = self.last_read.iter().enumerate();
        let until = reads.map(|(rank, read)| match read {
            Some(at) if rank == own => at + self.read_to_write,
            Some(at) => at + self.other_rank_read_to_write,
            None => 0,
        });
        until.fold(0, Cycle::max)
    }

    /// When the writes so far let the bank group be read.
    fn readable(&self, group: usize) -> Cycle {
        let rank = self.rank_of_group(group);
        let writes = self.last_write.iter().enumerate();
        let until = writes.map(|(other, write)| match write {
            Some(at) if other == group => at + self.write_to_read_l,
            Some(at) if self.rank_of_group(other) == rank => at + self.write_to_read_s,
            Some(at) => at + self.other_rank_write_to_read,
            None => 0,
        });
        until.fold(0, Cycle::max)
    }

    /// Returns true if the access may close this bank by itself (automatic precharge). A device does not hold the
    /// precharge of a read back for the recovery of an earlier write (tWTRA of JESD79-5; the same follows from tWR in
    /// the older standards).
    pub(super) fn may_auto_precharge(&self, now: Cycle, bank: usize, is_read: bool) -> bool {
        !is_read || now + self.timing.rtp >= self.recovered[bank]
    }

    /// The bank closes itself once tRAS and tRTP, or the write recovery, allow: call after [`Self::read`] or
    /// [`Self::write`], which left that cycle in the bank's PRE entry.
    pub(super) fn auto_precharged(&mut self, bank: usize) {
        let closes = self.bank[bank][Kind::Pre as usize];
        raise(&mut self.bank[bank][Kind::Act as usize], closes + self.timing.rp);
    }

    pub(super) fn precharged(&mut self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        raise(&mut self.bank[bank][Kind::Act as usize], now + self.timing.rp);
        self.keep_precharges_apart(now, bank, shared);
    }

    fn keep_precharges_apart(&self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        // A distance of one cycle is the command bus's own.
        if self.timing.ppd > 1 {
            let until = now + self.timing.ppd;
            let until = Until {
                group: until,
                rank: until,
                others: 0,
            };
            shared.raise(self.group_of(bank), Kind::Pre, until);
        }
    }

    pub(super) fn all_precharged(&mut self, now: Cycle, rank: usize, shared: &mut impl Shared) {
        let banks = 1 << self.banks_per_rank_log2;
        for bank in &mut self.bank[rank * banks..][..banks] {
            raise(&mut bank[Kind::Act as usize], now + self.timing.rp_ab);
        }
        self.keep_precharges_apart(now, rank * banks, shared);
    }

    /// A refresh of `banks` (a bit per bank of the rank).
    pub(super) fn refreshed(&mut self, now: Cycle, refresh: &Refresh, shared: &mut impl Shared) {
        let &Refresh {
            rank, banks, cycles, ..
        } = refresh;
        let rank = rank as usize;
        let per_rank = 1 << self.banks_per_rank_log2;
        for (i, bank) in self.bank[rank * per_rank..][..per_rank].iter_mut().enumerate() {
            if banks >> i & 1 == 1 {
                raise(&mut bank[Kind::Act as usize], now + cycles);
            }
        }
        if banks.count_ones() as usize != per_rank {
            let until = now + self.timing.refresh_to_act_other;
            let until = Until {
                group: until,
                rank: until,
                others: 0,
            };
            shared.raise(self.group_of(rank * per_rank), Kind::Act, until);
            let next = match refresh.kind {
                CommandKind::RfmSb => cycles,
                _ => self.timing.refresh_to_refresh_other,
            };
            raise(&mut self.refresh[rank], now + next);
        }
    }
}
