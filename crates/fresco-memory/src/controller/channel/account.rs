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
    #[inline]
    pub(super) fn account(&mut self, now: Cycle, b: u32, candidate: &Candidate) {
        let (own, outcome) = match candidate.kind {
            Kind::Act => (self.timing.rcd, RowOutcome::Miss),
            Kind::Pre => (self.timing.rp, RowOutcome::Conflict),
            // The next burst of the line follows.
            Kind::Rd if self.goes_on(candidate.entry) => (self.timing.ccd_l, RowOutcome::Hit),
            Kind::Wr if self.goes_on(candidate.entry) => (self.timing.ccd_l_wr, RowOutcome::Hit),
            Kind::Rd => (self.timing.cl + self.timing.burst(), RowOutcome::Hit),
            Kind::Wr => (self.timing.cwl + self.timing.burst(), RowOutcome::Hit),
        };
        let entry = self.pool.get_mut(candidate.entry);
        entry.outcome.get_or_insert(outcome);
        let from = entry.accounted;
        if now > from {
            // The wait is cut in order: the refresh, then the bank, then what it shares, then other choices.
            let others = self.candidates.others(b as usize, candidate.kind);
            let (from_refresh, to_refresh) = self.banks[b as usize].refreshed;
            let refreshed = to_refresh.min(now).saturating_sub(from_refresh.max(from));
            let after_refresh = from + refreshed;
            let after_bank = candidate.ready.clamp(after_refresh, now);
            let after_others = others.clamp(after_bank, now);
            entry.wait.refresh += refreshed;
            entry.wait.bank += after_bank - after_refresh;
            entry.wait.bus += after_others - after_bank;
            entry.wait.queue += now - after_others;
        }
        entry.wait.service += own;
        entry.accounted = now + own;
    }

    /// Returns true if the request needs another column command after this one.
    #[inline]
    fn goes_on(&self, i: u32) -> bool {
        self.line_bursts > 1 && self.line_bursts - self.pool.get(i).bursts > 1
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
