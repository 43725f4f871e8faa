// SPDX-License-Identifier: MIT OR Apache-2.0
//! The next command of the channel: the first of the banks' candidates and of what refreshes need.

use super::Channel;
use super::candidate::CLASS_REFRESH;
use super::refreshing::RefreshStep;
use fresco_dram::{Cycle, NEVER};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The candidate of this bank.
    Bank(u32),
    /// The refresh of this index in `pending`, or the precharge it still needs.
    Refresh(usize, RefreshStep),
}

/// The next command, and when: [`NEVER`] if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub at: Cycle,
    pub what: What,
}

impl Choice {
    pub const NOTHING: Self = Self {
        at: NEVER,
        what: What::Bank(0),
    };
}

impl Channel {
    /// Something happened to this bank's requests or row.
    pub(super) fn bank_changed(&mut self, b: u32) {
        let index = b as usize;
        let now = self.candidate(b);
        if self.candidates.get(index) == now {
            return;
        }
        let earliest = match now {
            Some(candidate) => self.candidates.put(index, candidate),
            None => {
                self.candidates.set(index, None);
                NEVER
            }
        };
        if !self.choice_valid {
            return;
        }
        if self.choice.what == What::Bank(b) || !self.pending.is_empty() {
            // A due refresh waits for the candidates of its banks.
            self.choice_valid = false;
        } else if let Some(candidate) = now {
            let at = earliest.max(self.bus_free);
            debug_assert_eq!(
                at,
                candidate
                    .ready
                    .max(self.candidates.others(index, candidate.kind))
                    .max(self.bus_free)
            );
            if at < self.choice.at || at == self.choice.at && candidate.key < self.key_of_choice() {
                self.choice = Choice {
                    at,
                    what: What::Bank(b),
                };
            }
        }
    }

    /// What decides among commands that are ready in the same cycle: the smaller goes first.
    fn key_of_choice(&self) -> u64 {
        match self.choice.what {
            What::Bank(b) => self.candidates.key(b),
            What::Refresh(i, _) => CLASS_REFRESH | i as u64,
        }
    }

    pub(super) fn all_changed(&mut self) {
        for b in 0..self.banks.len() as u32 {
            self.bank_changed(b);
        }
    }

    /// Recomputes everything that is otherwise kept from one command to the next.
    pub(in crate::controller) fn forget(&mut self) {
        self.all_changed();
        self.choice_valid = false;
    }

    /// Finds the next command, if nothing else happens before.
    pub(super) fn choose(&mut self) {
        let (at, b) = self.candidates.first(self.bus_free);
        self.choice.at = at;
        self.choice.what = What::Bank(b);
        self.choice_valid = true;
        if !self.pending.is_empty() {
            self.consider_refreshes();
        }
    }

    #[cold]
    fn consider_refreshes(&mut self) {
        for i in 0..self.pending.len() {
            let (at, step) = self.refresh_step(i);
            let key = CLASS_REFRESH | i as u64;
            if (at, key) < (self.choice.at, self.key_of_choice()) {
                self.choice = Choice {
                    at,
                    what: What::Refresh(i, step),
                };
            }
        }
    }
}
