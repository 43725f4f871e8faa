// SPDX-License-Identifier: MIT OR Apache-2.0
//! The earliest cycle of each command, kept per bank, bank group and rank: what a command forbids, and until when.
//!
//! Every issued command raises the earliest cycles of the commands that it constrains; a command is legal from the
//! largest of the three entries of its bank, bank group and rank on. Names of the parameters as in [`Timing`].

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
    group: Vec<Earliest>,
    rank: Vec<Earliest>,
    /// Cycles of the last four ACTs of each rank, oldest at `faw_next`.
    faw: Vec<[Cycle; 4]>,
    faw_next: Vec<u8>,
    /// Earliest next REFpb or REFsb of each rank.
    refresh: Vec<Cycle>,
    banks_per_group: usize,
    banks_per_rank: usize,
    groups_per_rank: usize,
    timing: Timing,
    read_to_write: Cycle,
    write_to_read_l: Cycle,
    write_to_read_s: Cycle,
    write_to_precharge: Cycle,
    other_rank_same_direction: Cycle,
    other_rank_read_to_write: Cycle,
    other_rank_write_to_read: Cycle,
}

fn raise(slot: &mut Cycle, to: Cycle) {
    if *slot < to {
        *slot = to;
    }
}

impl Ready {
    pub(super) fn new(org: &Organisation, timing: &Timing) -> Self {
        let t = timing;
        let burst = t.burst();
        let banks = org.banks_per_channel() as usize;
        Self {
            bank: vec![[0; 4]; banks],
            group: vec![[0; 4]; (org.ranks * org.bank_groups) as usize],
            rank: vec![[0; 4]; org.ranks as usize],
            faw: vec![[0; 4]; org.ranks as usize],
            faw_next: vec![0; org.ranks as usize],
            refresh: vec![0; org.ranks as usize],
            banks_per_group: org.banks as usize,
            banks_per_rank: org.banks_per_rank() as usize,
            groups_per_rank: org.bank_groups as usize,
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
        bank / self.banks_per_group
    }

    #[inline]
    fn rank_of(&self, bank: usize) -> usize {
        bank / self.banks_per_rank
    }

    /// What the bank alone allows.
    #[inline]
    pub(super) fn of_bank(&self, bank: usize, kind: usize) -> Cycle {
        self.bank[bank][kind]
    }

    /// What bank group, rank and data bus allow.
    #[inline]
    pub(super) fn of_group(&self, group: usize, rank: usize, kind: usize) -> Cycle {
        self.group[group][kind].max(self.rank[rank][kind])
    }

    /// Earliest next REFpb or REFsb of the rank, as far as refreshes of other banks matter.
    pub(super) fn of_refresh(&self, rank: usize) -> Cycle {
        self.refresh[rank]
    }

    /// Earliest PRE of the rank, as far as other precharges matter.
    pub(super) fn of_rank_precharge(&self, rank: usize) -> Cycle {
        self.rank[rank][PRE]
    }

    pub(super) fn activated(&mut self, now: Cycle, bank: usize) {
        let t = &self.timing;
        let (group, rank) = (self.group_of(bank), self.rank_of(bank));
        let b = &mut self.bank[bank];
        raise(&mut b[RD], now + t.rcd);
        raise(&mut b[WR], now + t.rcd);
        raise(&mut b[PRE], now + t.ras);
        raise(&mut b[ACT], now + t.rc);
        raise(&mut self.group[group][ACT], now + t.rrd_l);
        // tFAW: the fifth ACT may come when the first of the last four leaves the window.
        let next = usize::from(self.faw_next[rank]);
        self.faw[rank][next] = now + t.faw;
        let next = (next + 1) & 3;
        self.faw_next[rank] = next as u8;
        let window = self.faw[rank][next];
        raise(&mut self.rank[rank][ACT], (now + t.rrd_s).max(window));
    }

    pub(super) fn read(&mut self, now: Cycle, bank: usize) {
        let t = &self.timing;
        let (group, rank) = (self.group_of(bank), self.rank_of(bank));
        raise(&mut self.bank[bank][PRE], now + t.rtp);
        raise(&mut self.group[group][RD], now + t.ccd_l);
        raise(&mut self.rank[rank][RD], now + t.ccd_s);
        raise(&mut self.rank[rank][WR], now + self.read_to_write);
        for other in (0..self.rank.len()).filter(|&r| r != rank) {
            raise(&mut self.rank[other][RD], now + self.other_rank_same_direction);
            raise(&mut self.rank[other][WR], now + self.other_rank_read_to_write);
        }
    }

    pub(super) fn write(&mut self, now: Cycle, bank: usize) {
        let t = &self.timing;
        let (group, rank) = (self.group_of(bank), self.rank_of(bank));
        raise(&mut self.bank[bank][PRE], now + self.write_to_precharge);
        raise(&mut self.group[group][WR], now + t.ccd_l_wr);
        raise(&mut self.group[group][RD], now + self.write_to_read_l);
        raise(&mut self.rank[rank][WR], now + t.ccd_s);
        raise(&mut self.rank[rank][RD], now + self.write_to_read_s);
        for other in (0..self.rank.len()).filter(|&r| r != rank) {
            raise(&mut self.rank[other][WR], now + self.other_rank_same_direction);
            raise(&mut self.rank[other][RD], now + self.other_rank_write_to_read);
        }
    }

    /// The bank closes itself once tRAS and tRTP, or the write recovery, allow: call after [`Self::read`] or
    /// [`Self::write`], which left that cycle in the bank's PRE entry.
    pub(super) fn auto_precharged(&mut self, bank: usize) {
        let b = &mut self.bank[bank];
        let closes = b[PRE];
        raise(&mut b[ACT], closes + self.timing.rp);
    }

    pub(super) fn precharged(&mut self, now: Cycle, bank: usize) {
        let rank = self.rank_of(bank);
        raise(&mut self.bank[bank][ACT], now + self.timing.rp);
        raise(&mut self.rank[rank][PRE], now + self.timing.ppd);
    }

    pub(super) fn all_precharged(&mut self, now: Cycle, rank: usize) {
        for bank in &mut self.bank[rank * self.banks_per_rank..][..self.banks_per_rank] {
            raise(&mut bank[ACT], now + self.timing.rp_ab);
        }
        raise(&mut self.rank[rank][PRE], now + self.timing.ppd);
    }

    /// A refresh of `banks` (a bit per bank of the rank) that keeps them busy for `cycles`.
    pub(super) fn refreshed(&mut self, now: Cycle, rank: usize, banks: u64, cycles: Cycle) {
        let first = rank * self.banks_per_rank;
        let all = banks.count_ones() as usize == self.banks_per_rank;
        for i in 0..self.banks_per_rank {
            if banks >> i & 1 == 1 {
                raise(&mut self.bank[first + i][ACT], now + cycles);
            }
        }
        if !all {
            raise(&mut self.rank[rank][ACT], now + self.timing.refresh_to_act_other);
            raise(&mut self.refresh[rank], now + self.timing.refresh_to_refresh_other);
        }
    }

    /// Bank groups of a rank, for index arithmetic of the channel.
    pub(super) fn groups_per_rank(&self) -> usize {
        self.groups_per_rank
    }
}
