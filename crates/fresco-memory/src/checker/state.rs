// SPDX-License-Identifier: MIT OR Apache-2.0
//! The earlier commands that a later one is measured against: the last of each sort per bank, group, rank and channel.
//!
//! The last is enough: cycles do not decrease, so whoever keeps the distance to the last of a sort keeps it to all.

use super::CommandRecord;
use fresco_dram::{CommandKind, Cycle, Organisation, Timing};
use std::collections::VecDeque;

/// A precharge: of PRE or PREA, or implied by RDA or WRA.
#[derive(Clone, Copy)]
pub(super) struct Precharge {
    /// The command.
    pub by: CommandRecord,
    /// When the precharge itself begins.
    pub start: Cycle,
}

#[derive(Clone, Default)]
pub(super) struct Bank {
    /// The ACT of the open row, while there is one.
    pub open: Option<CommandRecord>,
    /// The last ACT.
    pub act: Option<CommandRecord>,
    /// The last RD or RDA since the last ACT.
    pub read: Option<CommandRecord>,
    /// The last WR or WRA since the last ACT.
    pub write: Option<CommandRecord>,
    /// The last precharge.
    pub precharge: Option<Precharge>,
}

impl Bank {
    /// When RDA or WRA precharges the bank: as PRE would be allowed, but never before tRAS is over.
    pub fn auto_precharge_start(&self, t: &Timing, c: &CommandRecord) -> Cycle {
        let own = c
            .cycle
            .saturating_add(if c.is_read() { t.rtp } else { t.cwl + t.burst() + t.wr });
        self.act.map_or(own, |act| own.max(act.cycle.saturating_add(t.ras)))
    }

    /// The bank is closed by `by`, precharging from `start`. Of two precharges of a closed bank the later one counts.
    fn close(&mut self, by: CommandRecord, start: Cycle) {
        self.open = None;
        if self.precharge.is_none_or(|before| before.start <= start) {
            self.precharge = Some(Precharge { by, start });
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct Group {
    pub act: Option<CommandRecord>,
    pub read: Option<CommandRecord>,
    pub write: Option<CommandRecord>,
}

/// How far apart in a rank the banks lie that one REFpb refreshes: half of all (BG1 of LPDDR5 is ignored), or no two of them.
pub(super) fn refpb_step(org: &Organisation, timing: &Timing) -> usize {
    let banks = org.banks_per_rank() as usize;
    if timing.paired_refresh && banks > 1 {
        banks / 2
    } else {
        banks
    }
}

#[derive(Clone)]
pub(super) struct Rank {
    banks_per_group: usize,
    /// Banks that lie so far apart are refreshed by one REFpb.
    refpb_step: usize,
    /// By `bank_group * banks + bank`.
    pub banks: Vec<Bank>,
    pub groups: Vec<Group>,
    /// The last four ACTs, oldest first.
    pub acts: VecDeque<CommandRecord>,
    pub read: Option<CommandRecord>,
    pub write: Option<CommandRecord>,
    /// The last PRE or PREA.
    pub precharge: Option<CommandRecord>,
    /// The last REFab, REFab4 or RFMab.
    pub refresh_all: Option<CommandRecord>,
    /// REFab4 since their last group of four was complete.
    pub quarters: u32,
    /// The last REFpb of each bank and the last REFsb and RFMsb of each bank number, of those that had one.
    pub bank_refreshes: Vec<CommandRecord>,
}

impl Rank {
    fn new(org: &Organisation, timing: &Timing) -> Self {
        Self {
            banks_per_group: org.banks as usize,
            refpb_step: refpb_step(org, timing),
            banks: vec![Bank::default(); org.banks_per_rank() as usize],
            groups: vec![Group::default(); org.bank_groups as usize],
            acts: VecDeque::with_capacity(4),
            read: None,
            write: None,
            precharge: None,
            refresh_all: None,
            quarters: 0,
            bank_refreshes: Vec::new(),
        }
    }

    fn index(&self, c: &CommandRecord) -> usize {
        c.bank_group as usize * self.banks_per_group + c.bank as usize
    }

    /// The first of the banks that a REFpb of the bank of `c` refreshes.
    pub fn refreshed_by(&self, c: &CommandRecord) -> usize {
        self.index(c) % self.refpb_step
    }

    /// The bank of a command that has one.
    pub fn bank(&self, c: &CommandRecord) -> &Bank {
        &self.banks[self.index(c)]
    }

    /// The indices of the banks that a command works on: one, a pair (REFpb of some), one of each group (REFsb), or all (PREA, REFab).
    pub fn target_indices(&self, c: &CommandRecord) -> impl Iterator<Item = usize> + use<> {
        let (first, step) = match c.kind {
            CommandKind::PreAll | CommandKind::RefAb | CommandKind::RefAb4 | CommandKind::RfmAb => (0, 1),
            CommandKind::RefSb | CommandKind::RfmSb => (c.bank as usize, self.banks_per_group),
            CommandKind::RefPb => (self.refreshed_by(c), self.refpb_step),
            _ => (self.index(c), self.banks.len()),
        };
        (first..self.banks.len()).step_by(step)
    }

    /// The banks that a command works on.
    pub fn targets(&self, c: &CommandRecord) -> impl Iterator<Item = &Bank> {
        self.target_indices(c).map(|i| &self.banks[i])
    }
}

/// A burst on the data bus, in the cycles `from..to`.
#[derive(Clone, Copy)]
pub(super) struct Burst {
    pub by: CommandRecord,
    pub from: Cycle,
    pub to: Cycle,
}

impl Burst {
    /// The data of a column command.
    pub fn of(t: &Timing, c: &CommandRecord) -> Self {
        let from = c.cycle.saturating_add(if c.is_read() { t.cl } else { t.cwl });
        Self {
            by: *c,
            from,
            to: from.saturating_add(t.burst()),
        }
    }
}

#[derive(Clone)]
pub(super) struct Channel {
    pub ranks: Vec<Rank>,
    /// The last command.
    pub last: Option<CommandRecord>,
    /// The last command of rows, refreshes among them, and of columns.
    pub last_on: [Option<CommandRecord>; 2],
    /// The bursts that a later one could still overlap.
    pub bursts: VecDeque<Burst>,
}

impl Channel {
    /// More bursts than ever overlap a column command's latency; only a trace of nonsense has more.
    const MAX_BURSTS: usize = 64;

    pub fn new(org: &Organisation, timing: &Timing) -> Self {
        Self {
            ranks: vec![Rank::new(org, timing); org.ranks as usize],
            last: None,
            last_on: [None; 2],
            bursts: VecDeque::new(),
        }
    }

    /// Takes a checked command as executed.
    pub fn remember(&mut self, t: &Timing, c: &CommandRecord) {
        self.last = Some(*c);
        self.last_on[usize::from(c.kind.is_column())] = Some(*c);
        let rank = &mut self.ranks[c.rank as usize];
        match c.kind {
            CommandKind::Act => {
                let i = rank.index(c);
                let bank = &mut rank.banks[i];
                (bank.open, bank.act, bank.read, bank.write) = (Some(*c), Some(*c), None, None);
                rank.groups[c.bank_group as usize].act = Some(*c);
                if rank.acts.len() == 4 {
                    rank.acts.pop_front();
                }
                rank.acts.push_back(*c);
            }
            CommandKind::Pre | CommandKind::PreAll => {
                for i in rank.target_indices(c) {
                    rank.banks[i].close(*c, c.cycle);
                }
                rank.precharge = Some(*c);
            }
            CommandKind::Rd | CommandKind::RdA | CommandKind::Wr | CommandKind::WrA => {
                self.remember_column(t, c);
            }
            CommandKind::RefAb | CommandKind::RfmAb => rank.refresh_all = Some(*c),
            CommandKind::RefAb4 => {
                rank.refresh_all = Some(*c);
                rank.quarters = (rank.quarters + 1) % 4;
            }
            CommandKind::RefPb | CommandKind::RefSb | CommandKind::RfmSb => {
                let same = |r: &CommandRecord| {
                    r.kind == c.kind
                        && match c.kind {
                            CommandKind::RefSb | CommandKind::RfmSb => r.bank == c.bank,
                            _ => rank.refreshed_by(r) == rank.refreshed_by(c),
                        }
                };
                match rank.bank_refreshes.iter().position(same) {
                    Some(before) => rank.bank_refreshes[before] = *c,
                    None => rank.bank_refreshes.push(*c),
                }
            }
        }
    }

    fn remember_column(&mut self, t: &Timing, c: &CommandRecord) {
        let rank = &mut self.ranks[c.rank as usize];
        let i = rank.index(c);
        let bank = &mut rank.banks[i];
        let group = &mut rank.groups[c.bank_group as usize];
        if c.is_read() {
            (bank.read, group.read, rank.read) = (Some(*c), Some(*c), Some(*c));
        } else {
            (bank.write, group.write, rank.write) = (Some(*c), Some(*c), Some(*c));
        }
        if c.is_auto_precharge() && bank.open.is_some() {
            let start = bank.auto_precharge_start(t, c);
            bank.close(*c, start);
        }
        // No later command's data can come before this.
        let earliest = c.cycle.saturating_add(t.cl.min(t.cwl));
        self.bursts.retain(|b| b.to > earliest);
        if self.bursts.len() == Self::MAX_BURSTS {
            self.bursts.pop_front();
        }
        self.bursts.push_back(Burst::of(t, c));
    }
}
