// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a bank does next: scheduling policy and page policy.

use super::Channel;
use super::admission::column;
use crate::controller::bank::Bank;
use crate::controller::candidates::Candidate;
use crate::controller::pool::{Entry, List, NIL};
use crate::controller::ready::Kind;
use crate::request::Access;
use fresco_dram::NEVER;
use fresco_machine::{PagePolicy, Scheduler};

/// Classes of commands that are ready in the same cycle, most urgent first; the age follows in the bits below.
pub(super) const CLASS_REFRESH: u64 = 0;
const CLASS_COLUMN: u64 = 1 << 60;
const CLASS_ROW: u64 = 2 << 60;
const CLASS_IDLE: u64 = 3 << 60;

impl Channel {
    /// The one command this bank would issue next, from its state alone.
    pub(super) fn candidate(&self, b: u32) -> Option<Candidate> {
        let bank = &self.banks[b as usize];
        if bank.refresh_from != NEVER {
            return self.candidate_before_refresh(b);
        }
        if self.unfinished > 0 && self.is_unfinished(bank) {
            return Some(self.serving(b, bank.begun, column(self.bus)));
        }
        let access = self.mode;
        let list = bank.list(access);
        let oldest = list.oldest();
        let Some(open) = bank.row else {
            return (oldest != NIL).then(|| self.serving(b, oldest, Kind::Act));
        };
        if oldest == NIL {
            return self.idle_precharge(b, open);
        }
        match self.scheduler {
            Scheduler::FrFcfs { hit_cap } => {
                let hit = self.first_hit(list, open);
                if hit != NIL && (hit == oldest || bank.overtakes < hit_cap) {
                    return (self.bus == access).then(|| self.serving(b, hit, column(access)));
                }
            }
            Scheduler::Fcfs if self.pool.get(oldest).row == open => {
                let first = self.order[access as usize].front() == Some(&oldest);
                return (first && self.bus == access).then(|| self.serving(b, oldest, column(access)));
            }
            Scheduler::Fcfs => {}
        }
        Some(self.serving(b, oldest, Kind::Pre))
    }

    /// Returns true if the bank's row was opened for a request of this direction that has not been served.
    pub(super) fn is_open_for(&self, bank: &Bank, access: Access) -> bool {
        bank.row.is_some() && bank.begun != NIL && self.pool.get(bank.begun).access == access
    }

    /// A command for a request.
    #[inline]
    pub(super) fn serving(&self, b: u32, entry: u32, kind: Kind) -> Candidate {
        let class = match kind {
            Kind::Act | Kind::Pre => CLASS_ROW,
            Kind::Rd | Kind::Wr => CLASS_COLUMN,
        };
        Candidate {
            ready: self.ready.of_bank(b as usize, kind),
            key: class | self.pool.get(entry).seq,
            entry,
            kind,
        }
    }

    /// The oldest request for the open row.
    fn first_hit(&self, list: &List, open: u32) -> u32 {
        list.find(&self.pool, |e| e.row == open)
    }

    /// Returns true if any request, of either direction, is for this row of the bank.
    pub(super) fn is_wanted(&self, bank: &Bank, row: u32) -> bool {
        self.first_hit(&bank.reads, row) != NIL || self.first_hit(&bank.writes, row) != NIL
    }

    /// The page policy closes a row that no request is for.
    fn idle_precharge(&self, b: u32, open: u32) -> Option<Candidate> {
        let bank = &self.banks[b as usize];
        let idle = match self.page {
            PagePolicy::Open => return None,
            PagePolicy::Closed => 0,
            PagePolicy::Adaptive { idle } => idle,
        };
        if self.is_wanted(bank, open) {
            return None;
        }
        Some(Candidate {
            ready: self.ready.of_bank(b as usize, Kind::Pre).max(bank.last_access + idle),
            key: CLASS_IDLE | u64::from(b),
            entry: NIL,
            kind: Kind::Pre,
        })
    }

    /// A due refresh keeps requests away from its banks, but a request whose first command has been issued is finished:
    /// at most one row cycle per bank, far below what the standards let a refresh be postponed.
    fn candidate_before_refresh(&self, b: u32) -> Option<Candidate> {
        let bank = &self.banks[b as usize];
        let begun = bank.begun;
        if begun == NIL {
            return None;
        }
        let access = self.pool.get(begun).access;
        let Some(open) = bank.row else {
            return (access == self.mode).then(|| self.serving(b, begun, Kind::Act));
        };
        if access != self.bus {
            return None;
        }
        let is_next = self.scheduler != Scheduler::Fcfs || self.order[access as usize].front() == Some(&begun);
        let Entry { row, .. } = *self.pool.get(begun);
        (row == open && is_next).then(|| self.serving(b, begun, column(access)))
    }

    /// The bank goes on with the same request after a row command: what [`Self::candidate`] would find, known without
    /// a search.
    pub(super) fn row_command_issued(&mut self, b: u32, issued: &Candidate) {
        if self.scheduler == Scheduler::Fcfs
            || issued.entry == NIL
            || self.banks[b as usize].refresh_from != NEVER
            || self.bus != self.mode
        {
            return self.bank_changed(b);
        }
        let (kind, class) = match issued.kind {
            Kind::Pre => (Kind::Act, CLASS_ROW),
            _ => (column(self.bus), CLASS_COLUMN),
        };
        let next = Candidate {
            ready: self.ready.of_bank(b as usize, kind),
            key: class | (issued.key % CLASS_COLUMN),
            entry: issued.entry,
            kind,
        };
        debug_assert_eq!(Some(next), self.candidate(b));
        self.candidates.put(b as usize, next);
    }

    /// The youngest request of a bank changes what the bank does next only if it is alone or hits the open row; one of
    /// the direction that is not being served may still keep the row open.
    pub(super) fn bank_joined(&mut self, b: u32, i: u32) {
        if let Some(candidate) = self.candidates.get(b as usize)
            && candidate.entry != NIL
            && (candidate.kind != Kind::Pre || self.banks[b as usize].row != Some(self.pool.get(i).row))
        {
            debug_assert_eq!(self.candidate(b), Some(candidate));
            return;
        }
        self.bank_changed(b);
    }
}

impl Bank {
    /// The admitted requests of one direction.
    #[inline]
    fn list(&self, access: Access) -> &List {
        match access {
            Access::Read => &self.reads,
            Access::Write => &self.writes,
        }
    }
}
