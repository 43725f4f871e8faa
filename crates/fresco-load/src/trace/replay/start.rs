// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a trace its first pass begins.

use crate::{Event, Op};

/// Accesses at the begin of the first pass that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Start {
    /// Those that are still to come.
    left: u64,
    /// How many came after them; `None` if none are left out, or the first pass is over.
    kept: Option<u64>,
}

impl Start {
    /// After so many accesses, of which the first `read` need not be read any more.
    pub fn after(accesses: u64, read: u64) -> Self {
        Self {
            left: accesses - read,
            kept: (accesses > 0).then_some(0),
        }
    }

    /// The next access of the trace as it is here, where nothing that was left out is waited for; `None` if it is left out itself.
    pub fn keep(&mut self, op: Op) -> Option<Op> {
        let Some(kept) = &mut self.kept else { return Some(op) };
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        let dep = if u64::from(op.dep) > *kept { 0 } else { op.dep };
        *kept += 1;
        Some(Op { dep, ..op })
    }

    /// Of the events from `from` on, the next ones of the trace, those that are not left out.
    #[inline]
    pub fn filter(&mut self, events: &mut Vec<Event>, from: usize) {
        if self.kept.is_none() {
            return;
        }
        let new: Vec<Event> = events.drain(from..).collect();
        for event in new {
            match event {
                Event::Op(op) => events.extend(self.keep(op).map(Event::Op)),
                Event::Fetch { .. } if self.left > 0 => {}
                other => events.push(other),
            }
        }
    }
}
