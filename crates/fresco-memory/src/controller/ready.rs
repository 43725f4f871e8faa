// SPDX-License-Identifier: MIT OR Apache-2.0
//! The earliest cycle of each command, kept per bank, bank group and rank: what a command forbids, and until when.
//!
//! Every issued command raises the earliest cycles of the commands that it constrains. What only its own bank must keep
//! stands here; what others must keep too goes to [`Shared`]. Names of the parameters as in [`Timing`].

use fresco_dram::{Cycle, Organisation, Timing};

/// The kinds of command that a request can need, as an index.
pub(super) const ACT: usize = 0;
pub(super) const PRE: usize = 1;
pub(super) const RD: usize = 2;
pub(super) const WR: usize = 3;

/// Earliest cycles of ACT, PRE, RD, WR.
type Earliest = [Cycle; 4];

/// Timing state of one channel.
#[derive(Debug)]
pub(super) struct Ready {
    bank: Vec<Earliest>,
    /// By bank: the write recovery (tWR) of its last write is over.
    recovered: Vec<Cycle>,
    /// Cycles at which each of the last four ACTs of a rank leaves the tFAW window, the earliest at `faw_next`.
    faw: Vec<[Cycle; 4]>,
    faw_next: Vec<u8>,
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

/// The earliest cycles that the banks of a bank group, a rank or a channel share.
pub(super) trait Shared {
    /// No `kind` in the rank before `to`.
    fn raise_rank(&mut self, rank: usize, kind: usize, to: Cycle);
    /// No `kind` in the bank group (counted within the channel) before `to`.
    fn raise_group(&mut self, group: usize, kind: usize, to: Cycle);
    /// No RD in the rank before `rd`, no WR before `wr`.
    fn raise_columns(&mut self, rank: usize, rd: Cycle, wr: Cycle);
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
        Self {
            bank: vec![[0; 4]; org.banks_per_channel() as usize],
            recovered: vec![0; org.banks_per_channel() as usize],
            faw: vec![[0; 4]; ranks],
            faw_next: vec![0; ranks],
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
    pub(super) fn of_bank(&self, bank: usize, kind: usize) -> Cycle {
        self.bank[bank][kind]
    }

    /// Earliest next REFpb or REFsb of the rank, as far as refreshes of other banks matter.
    pub(super) fn of_refresh(&self, rank: usize) -> Cycle {
        self.refresh[rank]
    }

    pub(super) fn activated(&mut self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        let (group, rank) = (self.group_of(bank), self.rank_of(bank));
        let t = &self.timing;
        let b = &mut self.bank[bank];
        raise(&mut b[RD], now + t.rcd);
        raise(&mut b[WR], now + t.rcd);
        raise(&mut b[PRE], now + t.ras);
        raise(&mut b[ACT], now + t.rc);
        // tFAW: the fifth ACT may come when the first of the last four leaves the window.
        let next = usize::from(self.faw_next[rank]) & 3;
        self.faw[rank][next] = now + t.faw;
        let next = (next + 1) & 3;
        self.faw_next[rank] = next as u8;
        let other_groups = (now + t.rrd_s).max(self.faw[rank][next]);
        let same_group = now + t.rrd_l;
        shared.raise_rank(rank, ACT, other_groups);
        shared.raise_group(group, ACT, same_group);
    }

    pub(super) fn read(&mut self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        let (group, rank) = (self.group_of(bank), self.rank_of(bank));
        raise(&mut self.bank[bank][PRE], now + self.timing.rtp);
        shared.raise_group(group, RD, now + self.timing.ccd_l);
        shared.raise_columns(rank, now + self.timing.ccd_s, now + self.read_to_write);
        for other in (0..self.refresh.len()).filter(|&r| r != rank) {
            let (rd, wr) = (self.other_rank_same_direction, self.other_rank_read_to_write);
            shared.raise_columns(other, now + rd, now + wr);
        }
    }

    pub(super) fn write(&mut self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        let (group, rank) = (self.group_of(bank), self.rank_of(bank));
        self.recovered[bank] = now + self.write_to_precharge;
        raise(&mut self.bank[bank][PRE], now + self.write_to_precharge);
        shared.raise_group(group, WR, now + self.timing.ccd_l_wr);
        shared.raise_group(group, RD, now + self.write_to_read_l);
        shared.raise_columns(rank, now + self.write_to_read_s, now + self.timing.ccd_s);
        for other in (0..self.refresh.len()).filter(|&r| r != rank) {
            let (rd, wr) = (self.other_rank_write_to_read, self.other_rank_same_direction);
            shared.raise_columns(other, now + rd, now + wr);
        }
    }

    /// May a read of this bank close it by itself? A device does not hold an automatic precharge back for the recovery
    /// of an earlier write (tWTRA of JESD79-5; the same follows from tWR in the older standards).
    pub(super) fn may_auto_precharge(&self, now: Cycle, bank: usize, is_read: bool) -> bool {
        !is_read || now + self.timing.rtp >= self.recovered[bank]
    }

    /// The bank closes itself once tRAS and tRTP, or the write recovery, allow: call after [`Self::read`] or
    /// [`Self::write`], which left that cycle in the bank's PRE entry.
    pub(super) fn auto_precharged(&mut self, bank: usize) {
        let closes = self.bank[bank][PRE];
        raise(&mut self.bank[bank][ACT], closes + self.timing.rp);
    }

    pub(super) fn precharged(&mut self, now: Cycle, bank: usize, shared: &mut impl Shared) {
        raise(&mut self.bank[bank][ACT], now + self.timing.rp);
        // A distance of one cycle is the command bus's own.
        if self.timing.ppd > 1 {
            shared.raise_rank(self.rank_of(bank), PRE, now + self.timing.ppd);
        }
    }

    pub(super) fn all_precharged(&mut self, now: Cycle, rank: usize, shared: &mut impl Shared) {
        let banks = 1 << self.banks_per_rank_log2;
        for bank in &mut self.bank[rank * banks..][..banks] {
            raise(&mut bank[ACT], now + self.timing.rp_ab);
        }
        shared.raise_rank(rank, PRE, now + self.timing.ppd);
    }

    /// A refresh of `banks` (a bit per bank of the rank) that keeps them busy for `cycles`.
    pub(super) fn refreshed(&mut self, now: Cycle, rank: usize, banks: u64, cycles: Cycle, shared: &mut impl Shared) {
        let per_rank = 1 << self.banks_per_rank_log2;
        for (i, bank) in self.bank[rank * per_rank..][..per_rank].iter_mut().enumerate() {
            if banks >> i & 1 == 1 {
                raise(&mut bank[ACT], now + cycles);
            }
        }
        if banks.count_ones() as usize != per_rank {
            shared.raise_rank(rank, ACT, now + self.timing.refresh_to_act_other);
            raise(&mut self.refresh[rank], now + self.timing.refresh_to_refresh_other);
        }
    }
}
