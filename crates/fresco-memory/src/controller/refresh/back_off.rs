// SPDX-License-Identifier: MIT OR Apache-2.0
//! The devices' side of per-row activation counting: counts of rows, and when the pin ALERT_n is pulled (JESD79-5C).
//!
//! A row's count rises by one when the row closes. The ranks of a channel share the pin. It is pulled with a precharge after which some row
//! has reached the threshold, and not again before the RFMab that this brings are over and as many rows have been opened. Each RFM lets
//! each of its banks look after the row with the most activations, whose count begins anew.

use fresco_dram::{Cycle, Organisation, Prac};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Counts of the rows of a channel.
pub(super) struct BackOff {
    prac: Prac,
    banks: Vec<Bank>,
    ranks: usize,
    /// Rows that have reached the threshold.
    hot: u32,
    state: State,
}

#[derive(Default)]
struct Bank {
    open: Option<u32>,
    counts: HashMap<u32, u32>,
}

enum State {
    Calm,
    /// From `end` on no row is opened in a rank before the RFMab that it lacks.
    Alert {
        end: Cycle,
        lacks: Vec<u32>,
    },
    /// So many rows have to be opened before the next alert.
    Delay(u32),
}

impl BackOff {
    pub(super) fn new(prac: Prac, org: &Organisation) -> Self {
        Self {
            prac,
            banks: (0..org.banks_per_channel()).map(|_| Bank::default()).collect(),
            ranks: org.ranks as usize,
            hot: 0,
            state: State::Calm,
        }
    }

    /// A row was opened.
    pub(super) fn activated(&mut self, bank: u32, row: u32) {
        self.banks[bank as usize].open = Some(row);
        if let State::Delay(left) = &mut self.state {
            *left -= 1;
            if *left == 0 {
                self.state = State::Calm;
            }
        }
    }

    /// The open rows of these banks close. Returns the RFMab that each rank is to have from `end` on, if this raises an alert.
    pub(super) fn closed(&mut self, banks: impl Iterator<Item = u32>, end: Cycle) -> Option<u32> {
        for bank in banks {
            let bank = &mut self.banks[bank as usize];
            let Some(row) = bank.open.take() else { continue };
            let count = bank.counts.entry(row).or_default();
            *count += 1;
            self.hot += u32::from(*count == self.prac.threshold);
        }
        if self.hot == 0 || !matches!(self.state, State::Calm) {
            return None;
        }
        self.state = State::Alert {
            end,
            lacks: vec![self.prac.level; self.ranks],
        };
        Some(self.prac.level)
    }

    /// An RFM lets the bank look after its row with the most activations, the first of several.
    pub(super) fn mitigated(&mut self, bank: u32) {
        let counts = &mut self.banks[bank as usize].counts;
        let most = counts.iter().max_by_key(|&(row, count)| (*count, Reverse(*row)));
        if let Some((&row, &count)) = most {
            counts.remove(&row);
            self.hot -= u32::from(count >= self.prac.threshold);
        }
    }

    /// An RFMab was issued to the rank.
    pub(super) fn managed(&mut self, rank: u32, now: Cycle) {
        if let State::Alert { end, lacks } = &mut self.state
            && now >= *end
        {
            lacks[rank as usize] = lacks[rank as usize].saturating_sub(1);
            if lacks.iter().all(|left| *left == 0) {
                self.state = State::Delay(self.prac.level);
            }
        }
    }
}
