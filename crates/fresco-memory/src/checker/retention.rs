// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that every row is refreshed once in every refresh window, with a model of the refresh counter in the devices.
//!
//! The rows of a bank are split evenly into bins; a refresh command takes the next bin (or bins) in turn. REFab takes
//! 1/`refreshes` of the rows of each bank of the rank, REFab4 a quarter of that, REFpb and REFsb 1/`bank_refreshes` of the
//! rows of theirs. All commands of a bank move one counter, as a REFab may be replaced by four REFab4, or by a REFpb for
//! each bank.

use super::retention_report::{LateRows, Postponement, RetentionReport, Shortfall};
use super::rounds::Rounds;
use super::state::refpb_step;
use super::{CommandRecord, Options};
use fresco_dram::{CommandKind, Cycle, Organisation, Timing};

#[derive(Clone)]
struct Bank {
    channel: u32,
    rank: u32,
    bank_group: u32,
    bank: u32,
    /// Cycle of the last refresh of each bin.
    since: Vec<Cycle>,
    /// The refresh counter.
    next: usize,
    /// Bins refreshed.
    done: u64,
    /// Cycle of the last refresh of any bin.
    last: Cycle,
}

#[derive(Clone)]
pub(super) struct Retention {
    options: Options,
    banks: Vec<Bank>,
    rounds: Rounds,
    banks_per_rank: usize,
    banks_per_group: usize,
    refpb_step: usize,
    ranks: u32,
    rows: u64,
    /// Bins that one REFab, and one REFpb or REFsb, takes of each of its banks.
    bins_all: usize,
    /// The first REFab4 splits each bin in four; before it, there is no need to.
    split: bool,
    bins_bank: usize,
    refi: Cycle,
    refw: Cycle,
    /// Longest pause that a standard allows.
    pause: Cycle,
    report: RetentionReport,
}

impl Retention {
    pub fn new(org: &Organisation, timing: &Timing, options: Options) -> Self {
        let bins = timing.refreshes.max(timing.bank_refreshes).max(1);
        // `refreshes` divides `bank_refreshes` or the other way round (fresco_dram::standards).
        let per_command = |commands: u64| (bins / commands.max(1)) as usize;
        let mut banks = Vec::with_capacity(org.banks_total() as usize);
        for channel in 0..org.nodes * org.channels {
            for rank in 0..org.ranks {
                for bank_group in 0..org.bank_groups {
                    for bank in 0..org.banks {
                        let since = vec![0; bins as usize];
                        banks.push(Bank {
                            channel,
                            rank,
                            bank_group,
                            bank,
                            since,
                            next: 0,
                            done: 0,
                            last: 0,
                        });
                    }
                }
            }
        }
        Self {
            options,
            banks,
            rounds: Rounds::new(org, timing),
            refpb_step: refpb_step(org, timing),
            banks_per_rank: org.banks_per_rank() as usize,
            banks_per_group: org.banks as usize,
            ranks: org.ranks,
            rows: u64::from(org.rows),
            bins_all: per_command(timing.refreshes),
            bins_bank: per_command(timing.bank_refreshes),
            split: false,
            refi: timing.refi.max(1),
            refw: timing.refw,
            pause: timing.refi.saturating_mul(timing.postponable.saturating_add(1)),
            report: RetentionReport::default(),
        }
    }

    /// Takes a refresh command (of coordinates that exist) as executed.
    pub fn refresh(&mut self, c: &CommandRecord) {
        if c.kind == CommandKind::RefAb4 && !self.split {
            self.split_bins();
        }
        let first = (c.channel * self.ranks + c.rank) as usize * self.banks_per_rank;
        let end = first + self.banks_per_rank;
        let (from, step, bins) = match c.kind {
            CommandKind::RefAb => (first, 1, self.bins_all),
            CommandKind::RefAb4 => (first, 1, self.bins_all / 4),
            CommandKind::RefSb => (first + c.bank as usize, self.banks_per_group, self.bins_bank),
            _ => {
                let bank = c.bank_group as usize * self.banks_per_group + c.bank as usize;
                (first + bank % self.refpb_step, self.refpb_step, self.bins_bank)
            }
        };
        self.paused((from..end).step_by(step), c.cycle);
        if let Some(repeat) = self.rounds.refresh(c) {
            self.report.repeats += 1;
            if self.report.repeated.len() < self.options.keep {
                self.report.repeated.push(repeat);
            }
        }
        for bank in (from..end).step_by(step) {
            for _ in 0..bins {
                self.refresh_bin(bank, c.cycle);
            }
        }
    }

    /// Four bins in place of each, refreshed when it was.
    fn split_bins(&mut self) {
        self.split = true;
        self.bins_all *= 4;
        self.bins_bank *= 4;
        for bank in &mut self.banks {
            bank.since = bank.since.iter().flat_map(|&since| [since; 4]).collect();
            bank.next *= 4;
            bank.done *= 4;
        }
    }

    /// Warns if one of the banks has waited too long for its refresh at `now`: once, for the one that waited longest.
    fn paused(&mut self, banks: impl Iterator<Item = usize>, now: Cycle) {
        let Some(bank) = banks.map(|b| &self.banks[b]).min_by_key(|b| b.last) else {
            return;
        };
        if now.saturating_sub(bank.last) > self.pause {
            self.report.postponements += 1;
            if self.report.postponed.len() < self.options.keep {
                let Bank {
                    channel,
                    rank,
                    bank_group,
                    bank,
                    last,
                    ..
                } = *bank;
                self.report.postponed.push(Postponement {
                    channel,
                    rank,
                    bank_group,
                    bank,
                    from: last,
                    to: now,
                });
            }
        }
    }

    fn refresh_bin(&mut self, bank: usize, now: Cycle) {
        let bin = self.banks[bank].next;
        self.judge_bin(bank, bin, now);
        let bank = &mut self.banks[bank];
        bank.since[bin] = now;
        bank.next = (bin + 1) % bank.since.len();
        bank.done += 1;
        bank.last = now;
    }

    /// When a row refreshed at `since` has to be refreshed again at the latest.
    fn due(&self, since: Cycle) -> Cycle {
        let usual = since.saturating_add(self.refw);
        match self.options.hotter {
            None => usual,
            Some(hotter) if since >= hotter.from => since.saturating_add(hotter.refw),
            Some(hotter) => usual.min(hotter.settled),
        }
    }

    /// Reports the rows of a bin if they have not been refreshed in time at `now`.
    fn judge_bin(&mut self, bank: usize, bin: usize, now: Cycle) {
        let b = &self.banks[bank];
        let since = b.since[bin];
        if now <= self.due(since) {
            return;
        }
        // Every row lies in exactly one bin, also where there are fewer rows than bins.
        let bins = b.since.len() as u64;
        let row = |bin: usize| (bin as u64 * self.rows).div_ceil(bins);
        let (first_row, rows) = (row(bin), row(bin + 1) - row(bin));
        if rows == 0 {
            return;
        }
        self.report.late_rows += rows;
        let late = LateRows {
            channel: b.channel,
            rank: b.rank,
            bank_group: b.bank_group,
            bank: b.bank,
            first_row: first_row as u32,
            rows: rows as u32,
            since,
            until: now,
        };
        let full = self.report.late.len() >= self.options.keep;
        match self.report.late.last_mut() {
            Some(before) if continues(before, &late) => before.rows += late.rows,
            _ if full => {}
            _ => self.report.late.push(late),
        }
    }

    /// The verdict on a run that ends so. What was found before stays, and nothing is added to it.
    pub fn verdict(&mut self, end: Cycle) -> RetentionReport {
        let before = self.report.clone();
        self.judge_all(end);
        std::mem::replace(&mut self.report, before)
    }

    fn judge_all(&mut self, end: Cycle) {
        let banks = self.banks.len();
        for rank in (0..banks).step_by(self.banks_per_rank) {
            self.paused(rank..rank + self.banks_per_rank, end);
        }
        for bank in 0..banks {
            let b = &self.banks[bank];
            // Bins take turns: the next one has waited longest, and if it is in time, all are.
            if self.options.hotter.is_none() && end <= self.due(b.since[b.next]) {
                continue;
            }
            for bin in 0..b.since.len() {
                self.judge_bin(bank, bin, end);
            }
        }
        if self.options.pro_rata && end < self.refw {
            self.judge_pro_rata(end);
        }
    }

    fn judge_pro_rata(&mut self, end: Cycle) {
        let due = end / self.refi;
        // What may be postponed, in REFab.
        let allowance = (self.pause / self.refi).saturating_sub(1);
        for b in &self.banks {
            let done = b.done / self.bins_all.max(1) as u64;
            if done + allowance < due {
                self.report.shortfall_banks += 1;
                if self.report.shortfalls.len() < self.options.keep {
                    let Bank {
                        channel,
                        rank,
                        bank_group,
                        bank,
                        ..
                    } = *b;
                    self.report.shortfalls.push(Shortfall {
                        channel,
                        rank,
                        bank_group,
                        bank,
                        due,
                        done,
                    });
                }
            }
        }
    }
}

/// Returns true if the rows of `next` follow those of `before`, with the same fate.
fn continues(before: &LateRows, next: &LateRows) -> bool {
    let place = |l: &LateRows| (l.channel, l.rank, l.bank_group, l.bank, l.since, l.until);
    place(before) == place(next) && before.first_row + before.rows == next.first_row
}
