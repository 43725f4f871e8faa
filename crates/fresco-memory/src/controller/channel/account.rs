// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a request goes.

use super::Channel;
use crate::controller::candidates::Candidate;
use crate::controller::ready::Kind;
use crate::controller::sink::Sink;
use crate::request::{Completion, RowOutcome};
use fresco_dram::Cycle;

impl Channel {
    /// Attributes the time since the request was last looked at, and the command's own time.
    // Always: for each command.
    #[inline(always)]
    pub(super) fn account(&mut self, now: Cycle, b: u32, candidate: &Candidate) {
        let (mut own, outcome) = match candidate.kind {
            Kind::Act => (self.timing.rcd, RowOutcome::Miss),
            Kind::Pre => (self.timing.rp, RowOutcome::Conflict),
            Kind::Rd => (self.read_data, RowOutcome::Hit),
            Kind::Wr => (self.write_data, RowOutcome::Hit),
        };
        if self.line_bursts > 1 {
            own = self.own_of_part(candidate).unwrap_or(own);
        }
        let entry = self.pool.get_mut(candidate.entry);
        entry.outcome.get_or_insert(outcome);
        let from = entry.accounted;
        if now > from {
            // The wait is cut in order: the refresh, then the bank, then what it shares, then other choices.
            let others = self.candidates.others(b as usize, candidate.kind);
            debug_assert!(
                candidate.ready.max(others) <= now,
                "a command is issued when it is ready"
            );
            let (from_refresh, to_refresh) = self.banks[b as usize].refreshed;
            let mut after_refresh = from;
            if to_refresh > from {
                after_refresh += to_refresh.min(now).saturating_sub(from_refresh.max(from));
                entry.wait.refresh += after_refresh - from;
            }
            let after_bank = candidate.ready.max(after_refresh);
            let after_others = others.max(after_bank);
            entry.wait.bank += after_bank - after_refresh;
            entry.wait.bus += after_others - after_bank;
            entry.wait.queue += now - after_others;
        }
        entry.wait.service += own;
        entry.accounted = now + own;
    }

    /// A column command whose line needs another one after it: the next follows so much later.
    #[inline(never)]
    fn own_of_part(&self, candidate: &Candidate) -> Option<Cycle> {
        let goes_on = self.line_bursts - self.pool.get(candidate.entry).bursts > 1;
        match candidate.kind {
            Kind::Rd if goes_on => Some(self.timing.ccd_l),
            Kind::Wr if goes_on => Some(self.timing.ccd_l_wr),
            _ => None,
        }
    }

    pub(super) fn complete(&mut self, i: u32, done: Cycle, outcome: RowOutcome, sink: &mut impl Sink) {
        let e = self.pool.get(i);
        debug_assert!(
            {
                let w = &e.wait;
                w.queue + w.bank + w.bus + w.refresh + w.service == done - e.arrived
            },
            "the parts of a latency add up: {e:?} done {done}"
        );
        sink.completed(&Completion {
            id: e.id,
            source: e.source,
            access: e.access,
            arrived: e.arrived,
            done,
            outcome,
            wait: e.wait,
        });
    }
}
