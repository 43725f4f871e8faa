// SPDX-License-Identifier: MIT OR Apache-2.0
//! Code that a process fetches, where its program says so.

use super::pages::Translation;
use super::process::{Failure, Process, Stop};
use crate::core::{Lookup, MicroOp, Step, Victims};
use fresco_dram::{PhysAddr, VirtAddr};
use fresco_memory::PrivateOutcome;

impl Process {
    /// The line of code at `line` is fetched after `gap` instructions; `None` if it is there and costs nothing.
    #[cold]
    #[inline(never)]
    pub(super) fn fetch(&mut self, line: VirtAddr, gap: u32) -> Option<Step> {
        if let Some(stop) = self.stop_here() {
            let gap = std::mem::take(&mut self.carried);
            return Some(self.stopped(stop, gap));
        }
        let addr = match self.translate_code(line) {
            Translation::Mapped(addr) => addr,
            Translation::Fault(page) => {
                let gap = self.gap_before(gap);
                return Some(self.stopped(Stop::Fault(page), gap));
            }
            Translation::Outside => return Some(self.stopped(Stop::Failed(Failure::Outside(line)), 0)),
        };
        let line = PhysAddr(addr.0 >> self.line_bits << self.line_bits);
        let gap = self.gap_left(gap);
        self.next += 1;
        self.fetches += 1;
        let (outcome, out) = self.caches.fetch_or_fill(line);
        let mut victims = Victims::default();
        out.as_slice().iter().for_each(|victim| victims.push(*victim));
        let lookup = match outcome {
            PrivateOutcome::Hit { level: 1, .. } => {
                return (gap > 0).then_some(Step::Work { instructions: gap });
            }
            PrivateOutcome::Hit { level, .. } => Lookup::Hit {
                slots: self.hit_slots[usize::from(level) - 1],
            },
            PrivateOutcome::Miss => Lookup::Miss,
        };
        Some(Step::Fetch(MicroOp {
            gap,
            dep: 0,
            write: false,
            line,
            lookup,
            victims,
        }))
    }

    /// Apart, so that the translation of each operation is compiled into its place.
    #[inline(never)]
    fn translate_code(&mut self, line: VirtAddr) -> Translation {
        self.pages.translate(line)
    }
}
