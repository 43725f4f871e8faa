// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operations of a core that has TLBs.

use super::aside::{Awaited, Delay};
use super::prefetch::Hit;
use super::{Lookup, MicroOp, Pipeline, Translation};

impl Pipeline {
    /// Dispatches an operation whose address has been looked up in the TLBs, and that needs the walk whose reads have come before it, if any have;
    /// false if the window is full.
    #[cold]
    #[inline(never)]
    pub(super) fn dispatch_translated(&mut self, op: &MicroOp, translation: Translation) -> bool {
        let Translation { slots, page_bits } = translation;
        let frame = op.line.0 >> page_bits;
        let is_coming = self.aside.walks.is_coming();
        let walk = self.aside.walks.to(frame, self.front);
        if slots == 0 && !is_coming && walk.is_none() {
            return self.dispatch_op(op);
        }
        let Some(entered) = self.enter(op) else {
            return false;
        };
        let walk = match is_coming {
            true => {
                let past = self.clock.from_ps(self.now).min(entered.slot);
                Some(self.aside.walks.add(frame, past))
            }
            false => walk,
        };
        let (latency, awaited, hit) = match op.lookup {
            Lookup::Miss => (1, Some(self.lines.insert(op.line, op.victims)), None),
            Lookup::Hit { slots } => (slots, self.lines.find(op.line), None),
            Lookup::Watched { slots, first_use } => {
                let hit = Hit {
                    line: op.line,
                    first_use,
                };
                (slots, self.lines.find(op.line), Some(hit))
            }
            Lookup::Upgrade { .. } => unreachable!("a machine with TLBs has no coherent caches"),
        };
        if !matches!(op.lookup, Lookup::Miss) {
            self.write_back(entered.slot, op.victims);
        }
        let translation = Some(Delay { slots, walk });
        self.aside
            .wait(self.window.next_sequence(), Awaited { translation, hit });
        self.push(&entered, op.write, latency, awaited);
        true
    }
}
