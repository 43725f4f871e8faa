// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a refresh that is due to its command: keep requests away, close the banks, refresh.

use super::Channel;
use crate::controller::pool::NIL;
use crate::controller::ready::Kind;
use crate::controller::refresh::{Load, Refresh};
use crate::controller::sink::Sink;
use fresco_dram::{CommandKind, Cycle, NEVER};

/// The command that a due refresh needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RefreshStep {
    PrechargeAll,
    Precharge(u32),
    Refresh,
}

impl Channel {
    fn banks_of(&self, refresh: &Refresh) -> impl Iterator<Item = u32> + use<> {
        let first = refresh.rank * self.org.banks_per_rank();
        let mut bits = refresh.banks;
        std::iter::from_fn(move || {
            (bits != 0).then(|| {
                let b = first + bits.trailing_zeros();
                bits &= bits - 1;
                b
            })
        })
    }

    pub(super) fn take_due(&mut self, now: Cycle) {
        while let Some(refresh) = self.engine.take_due(
            now,
            &Load::new(
                &self.banks,
                self.org.banks_per_rank(),
                self.bursts,
                &self.pool,
                &self.backlog,
            ),
        ) {
            let asked_for = refresh.kind.is_management();
            debug_assert!(
                (refresh.kind.is_refresh() || asked_for) && refresh.rank < self.org.ranks && refresh.banks != 0
            );
            for b in self.banks_of(&refresh) {
                let from = &mut self.banks[b as usize].refresh_from;
                *from = (*from).min(now);
                // A device that asks for time is not activated again: a request that has begun with PRE begins anew.
                if asked_for && self.banks[b as usize].row.is_none() {
                    self.banks[b as usize].begun = NIL;
                }
                if self.candidates.get(b as usize).is_some() {
                    self.bank_changed(b);
                }
            }
            self.pending.push(refresh);
            self.choice_valid = false;
        }
        self.next_due = self.engine.next_due();
        debug_assert!(self.next_due > now);
        if self.engine.is_waiting() != self.refresh_waits {
            self.refresh_waits = !self.refresh_waits;
            self.update_mode();
            self.choice_valid = false;
        }
    }

    /// Tells the refresh scheme that a request of bank `b` came or went, if it wants to know.
    #[inline]
    pub(super) fn load_changed(&mut self, now: Cycle, b: u32) {
        if self.engine_watches_load {
            self.tell_load(now, b);
        }
    }

    #[cold]
    fn tell_load(&mut self, now: Cycle, b: u32) {
        let load = Load::new(
            &self.banks,
            self.org.banks_per_rank(),
            self.bursts,
            &self.pool,
            &self.backlog,
        );
        self.engine.load_changed(b >> self.banks_per_rank_log2, &load, now);
        self.next_due = self.engine.next_due();
    }

    /// Tells the refresh scheme that rows were opened or closed.
    #[cold]
    pub(super) fn tell_rows(&mut self, now: Cycle, kind: CommandKind, b: u32, row: u32) {
        use CommandKind::{Act, Pre, PreAll, RdA, WrA};
        if matches!(kind, Act | Pre | PreAll | RdA | WrA) {
            self.engine.row_command(kind, b, row, now);
            self.next_due = self.engine.next_due();
        }
    }

    /// What a due refresh needs next, and when that is possible.
    pub(super) fn refresh_step(&self, i: usize) -> (Cycle, RefreshStep) {
        let refresh = &self.pending[i];
        // Of the open banks: when the first can be closed, and which; when all can be.
        let (mut first, mut all) = ((NEVER, 0), 0);
        // Precharged, and tRC and the refresh before are over.
        let mut idle = 0;
        for b in self.banks_of(refresh) {
            let index = b as usize;
            let waits_for_turn = self.bus != self.mode && self.is_open_for(&self.banks[index], self.mode);
            if self.candidates.get(index).is_some() || waits_for_turn {
                // Requests that have begun go first.
                return (NEVER, RefreshStep::Refresh);
            }
            if self.banks[index].row.is_some() {
                let closable = self.ready.of_bank(index, Kind::Pre);
                let closable = closable.max(self.candidates.others(index, Kind::Pre));
                first = first.min((closable, b));
                all = all.max(closable);
            }
            idle = idle.max(self.ready.of_bank(index, Kind::Act));
        }
        let (at, step) = match refresh.kind.is_of_rank() {
            true if first.0 != NEVER => (all, RefreshStep::PrechargeAll),
            true => (idle, RefreshStep::Refresh),
            false if first.0 != NEVER => (first.0, RefreshStep::Precharge(first.1)),
            false => (
                idle.max(self.ready.of_refresh(refresh.rank as usize)),
                RefreshStep::Refresh,
            ),
        };
        let at = if step == RefreshStep::Refresh {
            at.max(self.engine.not_before(refresh))
        } else {
            at
        };
        (at.max(self.bus_free).max(self.row_bus_free), step)
    }

    pub(super) fn issue_refresh(&mut self, now: Cycle, i: usize, step: RefreshStep, sink: &mut impl Sink) {
        let refresh = self.pending[i];
        let rank = refresh.rank;
        self.candidates.advance(now);
        self.occupy(now, self.timing.pre_slots, Kind::Pre);
        self.choice_valid = false;
        match step {
            RefreshStep::PrechargeAll => {
                self.ready.all_precharged(now, rank as usize, &mut self.candidates);
                for b in self.banks_of(&refresh) {
                    self.banks[b as usize].close();
                }
                self.record(now, CommandKind::PreAll, rank * self.org.banks_per_rank(), 0, 0, sink);
            }
            RefreshStep::Precharge(b) => {
                self.ready.precharged(now, b as usize, &mut self.candidates);
                self.banks[b as usize].close();
                self.record(now, CommandKind::Pre, b, 0, 0, sink);
            }
            RefreshStep::Refresh => {
                self.pending.remove(i);
                self.refreshed(now, &refresh);
                let first = self.banks_of(&refresh).next().unwrap_or(0);
                self.record(now, refresh.kind, first, 0, 0, sink);
                self.engine.issued(&refresh, now);
                self.next_due = self.engine.next_due();
            }
        }
    }

    /// The banks of an issued refresh are busy with it, then free for requests.
    fn refreshed(&mut self, now: Cycle, refresh: &Refresh) {
        self.ready.refreshed(now, refresh, &mut self.candidates);
        let still = self.pending.iter().filter(|p| p.rank == refresh.rank);
        let still = still.fold(0, |banks, p| banks | p.banks);
        let first = refresh.rank * self.org.banks_per_rank();
        for b in self.banks_of(refresh) {
            let bank = &mut self.banks[b as usize];
            // Refreshes without a gap keep requests away as one.
            let from = match bank.refreshed {
                (from, to) if to >= bank.refresh_from => from,
                _ => bank.refresh_from,
            };
            bank.refreshed = (from, now + refresh.cycles);
            bank.refresh_from = if still >> (b - first) & 1 == 1 { now } else { NEVER };
            if !(bank.reads.is_empty() && bank.writes.is_empty()) {
                self.bank_changed(b);
            }
        }
    }
}
