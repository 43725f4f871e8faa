// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh management and per-row activation counting, as the devices of a channel see it: how often each bank and each row was activated
//! since something was done about it, and when the channel's ALERT_n was pulled.

use super::findings::Findings;
use super::state::Rank;
use super::{CommandRecord, Constraint};
use fresco_dram::{CommandKind, Cycle, Management, Organisation};
use std::collections::{BTreeMap, BTreeSet};

/// What the devices of a channel count.
#[derive(Clone)]
pub(super) struct Counts {
    rules: Management,
    banks_per_rank: usize,
    /// By bank of the channel: its activations less what was taken off, and those of its rows.
    banks: Vec<(u32, BTreeMap<u32, u32>)>,
    /// Bank and row of those that have reached the threshold.
    hot: BTreeSet<(usize, u32)>,
    alert: Option<Alert>,
    /// Activations before the next alert.
    pause: u32,
}

/// An alert that has not been answered in full.
#[derive(Clone)]
struct Alert {
    by: CommandRecord,
    /// By rank: RFMab that are to come.
    owed: Vec<u32>,
}

impl Counts {
    /// One for each channel of the machine; none where the devices count nothing.
    pub fn of_channels(org: &Organisation, rules: &Management) -> Vec<Self> {
        let channels = if rules.is_off() { 0 } else { org.nodes * org.channels };
        let new = |_| Self {
            rules: *rules,
            banks_per_rank: org.banks_per_rank() as usize,
            banks: vec![(0, BTreeMap::new()); org.banks_per_channel() as usize],
            hot: BTreeSet::new(),
            alert: None,
            pause: 0,
        };
        (0..channels).map(new).collect()
    }

    /// Takes a command, before its rank remembers it.
    pub fn observe(&mut self, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
        match c.kind {
            CommandKind::Act => self.activated(rank, c, found),
            CommandKind::Pre | CommandKind::PreAll | CommandKind::RdA | CommandKind::WrA => self.closed(rank, c),
            CommandKind::Rd | CommandKind::Wr => {}
            _ => self.relieved(rank, c),
        }
    }

    fn index(&self, c: &CommandRecord, of_rank: usize) -> usize {
        c.rank as usize * self.banks_per_rank + of_rank
    }

    fn activated(&mut self, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
        self.pause = self.pause.saturating_sub(1);
        if let Some(alert) = &self.alert
            && alert.owed[c.rank as usize] > 0
            && c.cycle >= self.end(alert)
        {
            found.fault(Constraint::BackOff, Some(alert.by), c);
        }
        for of_rank in rank.target_indices(c) {
            let index = self.index(c, of_rank);
            let (activations, _) = &mut self.banks[index];
            if let Some(rfm) = &self.rules.rfm
                && *activations >= rfm.raammt
            {
                found.fault(Constraint::Activations, rank.bank(c).act, c);
            }
            *activations += 1;
        }
    }

    /// The first cycle in which no row may be opened any more.
    fn end(&self, alert: &Alert) -> Cycle {
        alert.by.cycle.saturating_add(self.rules.window)
    }

    /// A row is counted as it closes, and the alert follows from all counts.
    fn closed(&mut self, rank: &Rank, c: &CommandRecord) {
        let Some(prac) = self.rules.prac else { return };
        for (of_rank, bank) in rank.target_indices(c).zip(rank.targets(c)) {
            if let Some(act) = bank.open {
                let index = self.index(c, of_rank);
                let count = self.banks[index].1.entry(act.row).or_default();
                *count += 1;
                if *count >= prac.threshold {
                    self.hot.insert((index, act.row));
                }
            }
        }
        if self.alert.is_none() && self.pause == 0 && !self.hot.is_empty() {
            let ranks = self.banks.len() / self.banks_per_rank;
            self.alert = Some(Alert {
                by: *c,
                owed: vec![prac.level; ranks],
            });
        }
    }

    /// REF and RFM take off activations; each RFM sets back the row with the most of each of its banks.
    fn relieved(&mut self, rank: &Rank, c: &CommandRecord) {
        let is_rfm = matches!(c.kind, CommandKind::RfmAb | CommandKind::RfmSb);
        for of_rank in rank.target_indices(c) {
            let index = self.index(c, of_rank);
            let (activations, rows) = &mut self.banks[index];
            if let Some(rfm) = &self.rules.rfm {
                *activations = activations.saturating_sub(if is_rfm { rfm.raaimt } else { rfm.per_refresh });
            }
            // The last of the greatest, going down, is the lowest row of them.
            let most = rows.iter().rev().max_by_key(|(_, count)| **count).map(|(row, _)| *row);
            if let Some(row) = most.filter(|_| is_rfm) {
                rows.remove(&row);
                self.hot.remove(&(index, row));
            }
        }
        if c.kind == CommandKind::RfmAb
            && let Some(mut alert) = self.alert.take_if(|_| self.rules.prac.is_some())
        {
            if c.cycle >= self.end(&alert) {
                let owed = &mut alert.owed[c.rank as usize];
                *owed = owed.saturating_sub(1);
            }
            match alert.owed.iter().any(|owed| *owed > 0) {
                true => self.alert = Some(alert),
                false => self.pause = self.rules.prac.map_or(0, |prac| prac.level),
            }
        }
    }
}
