// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a command does to the bank, the queues and the counts.

use super::Channel;
use super::choice::What;
use crate::controller::candidates::Candidate;
use crate::controller::pool::{Entry, NIL};
use crate::controller::ready::{Kind, Shared, Until};
use crate::controller::sink::Sink;
use crate::request::RowOutcome;
use fresco_dram::{CommandKind, Cycle};
use fresco_machine::{PagePolicy, Scheduler};

impl Channel {
    /// What happens in cycle `now` by itself: due refreshes, and at most one command.
    pub(in crate::controller) fn step(&mut self, now: Cycle, sink: &mut impl Sink) {
        if self.next_due <= now {
            self.take_due(now);
            self.bus_free = self.bus_free.max(now);
            self.choose();
        }
        debug_assert!(self.choice_valid);
        if self.choice.at > now {
            return;
        }
        debug_assert_eq!(self.choice.at, now, "a command was passed over");
        match self.choice.what {
            What::Bank(b) => self.issue(now, b, sink),
            What::Refresh(i, step) => self.issue_refresh(now, i, step, sink),
        }
    }

    fn issue(&mut self, now: Cycle, b: u32, sink: &mut impl Sink) {
        let Some(candidate) = self.candidates.get(b as usize) else {
            return;
        };
        self.choice_valid = false;
        if candidate.entry != NIL {
            self.account(now, b, &candidate);
        }
        self.candidates.advance(now);
        match candidate.kind {
            Kind::Act => {
                self.occupy(now, self.timing.act_slots, Kind::Act);
                let row = self.pool.get(candidate.entry).row;
                self.ready.activated(now, b as usize, &mut self.candidates);
                let bank = &mut self.banks[b as usize];
                bank.row = Some(row);
                bank.begun = candidate.entry;
                bank.overtakes = 0;
                bank.last_access = now;
                self.record(now, CommandKind::Act, b, row, 0, sink);
                self.row_command_issued(b, &candidate);
            }
            Kind::Pre => {
                self.occupy(now, self.timing.pre_slots, Kind::Pre);
                self.ready.precharged(now, b as usize, &mut self.candidates);
                let bank = &mut self.banks[b as usize];
                bank.row = None;
                bank.begun = candidate.entry;
                self.record(now, CommandKind::Pre, b, 0, 0, sink);
                self.row_command_issued(b, &candidate);
            }
            Kind::Rd | Kind::Wr => self.issue_column(now, b, &candidate, sink),
        }
    }

    /// A command of this kind, or a refresh as [`Kind::Pre`], takes the command bus.
    #[inline]
    pub(super) fn occupy(&mut self, now: Cycle, slots: Cycle, kind: Kind) {
        if self.timing.column_bus {
            self.occupy_one_of_two(now, now + slots, kind);
        } else {
            self.bus_free = now + slots;
        }
    }

    /// Commands of the other bus may still go in this cycle.
    #[cold]
    fn occupy_one_of_two(&mut self, now: Cycle, until: Cycle, kind: Kind) {
        self.bus_free = now;
        let kinds = match kind {
            Kind::Act | Kind::Pre => {
                self.row_bus_free = until;
                [Kind::Act, Kind::Pre]
            }
            Kind::Rd | Kind::Wr => [Kind::Rd, Kind::Wr],
        };
        for kind in kinds {
            let until = Until {
                group: until,
                rank: until,
                others: until,
            };
            self.candidates.raise(0, kind, until);
        }
    }

    fn issue_column(&mut self, now: Cycle, b: u32, candidate: &Candidate, sink: &mut impl Sink) {
        let is_read = candidate.kind == Kind::Rd;
        let i = candidate.entry;
        self.occupy(now, self.timing.column_slots, candidate.kind);
        self.stats.data_cycles += self.burst;
        self.bursts += 1;
        if self.line_bursts > 1 && self.issue_part(now, b, candidate, sink) {
            return;
        }
        let &Entry {
            row,
            column,
            seq,
            outcome,
            ..
        } = self.pool.get(i);
        if seq <= self.patient_for {
            self.patience = self.patience.saturating_sub(1);
        }
        let bank = &mut self.banks[b as usize];
        let list = if is_read { &mut bank.reads } else { &mut bank.writes };
        if self.pool.get(list.oldest()).seq < seq {
            bank.overtakes += 1;
        }
        list.remove(&mut self.pool, i);
        let finished = bank.begun == i;
        if finished {
            bank.begun = NIL;
        }
        bank.last_access = now;
        let close = self.page == PagePolicy::Closed
            && !self.is_wanted(&self.banks[b as usize], row)
            && self.ready.may_auto_precharge(now, b as usize, is_read);
        let outcome = outcome.unwrap_or(RowOutcome::Hit);
        match outcome {
            RowOutcome::Miss => self.stats.row_misses += 1,
            RowOutcome::Conflict => self.stats.row_conflicts += 1,
            _ => self.stats.row_hits += 1,
        }
        if is_read {
            self.ready.read(now, b as usize, &mut self.candidates);
            self.reads.take(now);
            self.stats.reads += 1;
            self.complete(i, now + self.read_data, outcome, sink);
        } else {
            let entry = self.pool.get(i);
            if entry.wait.refresh > 0 {
                sink.write_met_refresh(now, entry.line, entry.source, entry.wait.refresh);
            }
            self.ready.write(now, b as usize, &mut self.candidates);
            self.writes.take(now);
            self.stats.writes += 1;
            self.last_write = Some(now);
        }
        self.share_between_ranks(now, b, candidate.kind);
        if close {
            self.ready.auto_precharged(b as usize);
            self.banks[b as usize].close();
        }
        let kind = match (is_read, close) {
            (true, false) => CommandKind::Rd,
            (true, true) => CommandKind::RdA,
            (false, false) => CommandKind::Wr,
            (false, true) => CommandKind::WrA,
        };
        self.record(now, kind, b, row, column, sink);
        self.pool.release(i);
        self.load_changed(now, b);
        if self.scheduler == Scheduler::Fcfs {
            let order = &mut self.order[usize::from(!is_read)];
            debug_assert_eq!(order.front(), Some(&i), "FCFS serves in order");
            order.pop_front();
            if let Some(&head) = order.front() {
                self.bank_changed(self.pool.get(head).bank);
            }
        }
        if finished && self.unfinished > 0 {
            self.unfinished -= 1;
            if self.unfinished == 0 {
                self.turn_bus();
            }
        }
        if !self.update_mode() {
            self.bank_changed(b);
        }
        self.pull(now, b, sink);
    }

    /// A burst of a line that takes several, unless it is the last; returns true if it is not. The request stays in its queue, and as one
    /// that has begun it is finished before a refresh, another row and a turn of the bus.
    #[inline(never)]
    fn issue_part(&mut self, now: Cycle, b: u32, candidate: &Candidate, sink: &mut impl Sink) -> bool {
        let burst_length = self.timing.burst_length as u32;
        let last = self.line_bursts - 1;
        let entry = self.pool.get_mut(candidate.entry);
        let &mut Entry { row, column, .. } = entry;
        if entry.bursts == last {
            return false;
        }
        entry.bursts += 1;
        entry.column += burst_length;
        let bank = &mut self.banks[b as usize];
        bank.begun = candidate.entry;
        bank.last_access = now;
        let kind = match candidate.kind {
            Kind::Rd => {
                self.ready.read(now, b as usize, &mut self.candidates);
                CommandKind::Rd
            }
            _ => {
                self.ready.write(now, b as usize, &mut self.candidates);
                CommandKind::Wr
            }
        };
        self.record(now, kind, b, row, column, sink);
        self.bank_changed(b);
        true
    }

    /// Column commands of the rank that has the data bus can always go before those of another, which wait until it is handed over. After
    /// as many of them as may overtake within a bank those of all ranks may go in the same cycle, if the oldest of all is of another one.
    #[inline]
    fn share_between_ranks(&mut self, now: Cycle, b: u32, kind: Kind) {
        let (rank, left) = self.served;
        let own = b >> self.banks_per_rank_log2;
        let left = if own == rank { left } else { self.rank_cap } - 1;
        self.served = (own, left);
        if left == 0 {
            self.served.1 = self.rank_cap;
            self.hand_over(now, b, kind);
        }
    }

    #[cold]
    fn hand_over(&mut self, now: Cycle, b: u32, kind: Kind) {
        if self.scheduler == Scheduler::Fcfs {
            return;
        }
        let columns = (0..self.banks.len() as u32).filter_map(|bank| {
            let candidate = self.candidates.get(bank as usize).filter(|c| c.kind == kind)?;
            Some((candidate.key, bank))
        });
        if let Some((_, oldest)) = columns.min()
            && (oldest ^ b) >> self.banks_per_rank_log2 != 0
        {
            self.ready.hand_over(now, b as usize, kind, &mut self.candidates);
        }
    }
}
