// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a process can be stopped: before an operation, within a copy, among instructions without memory access.

use super::copying::{CopyAccess, CopyTo, Copying};
use super::pages::Translation;
use super::process::{Process, Stop};
use crate::core::Step;
use fresco_dram::PhysAddr;
use fresco_load::Event;

impl Process {
    /// Returns why the process has to stop here, if it has to. The request is used up.
    pub(super) fn stop_here(&mut self) -> Option<Stop> {
        if self.operations >= self.stop_at {
            self.stop_at = u64::MAX;
            return Some(Stop::Asked);
        }
        std::mem::take(&mut self.interrupted).then_some(Stop::Interrupt)
    }

    /// The next part of a copy, if one is under way.
    pub(super) fn copy_on(&mut self) -> Option<Step> {
        if self.copying.is_none() {
            None
        } else {
            self.go_on_copying()
        }
    }

    fn go_on_copying(&mut self) -> Option<Step> {
        if let Some(stop) = self.stop_here() {
            return Some(self.stopped(stop, 0));
        }
        let Some(access) = self.copying.as_mut().and_then(Copying::next) else {
            self.copying = None;
            return Some(self.stopped(Stop::Copied, 0));
        };
        let (addr, write, gap) = match access {
            CopyAccess::Load(addr, gap) => (addr, false, gap),
            CopyAccess::Store(CopyTo::Frame(addr)) => (addr, true, 0),
            CopyAccess::Store(to @ CopyTo::Page(addr)) => match self.pages.translate(addr) {
                Translation::Mapped(addr) => (addr, true, 0),
                Translation::Fault(page) => {
                    self.copying.as_mut()?.again(to);
                    return Some(self.stopped(Stop::Fault(page), 0));
                }
                Translation::Outside => unreachable!("what is copied lies in the areas of the program"),
            },
        };
        let line = PhysAddr(addr.0 >> self.line_bits << self.line_bits);
        // The store needs the load just before it.
        let op = match self.caches.are_coherent() {
            false => self.access(line, write, u32::from(write), gap),
            true => self.access_coherently(line, write, u32::from(write), gap),
        };
        Some(Step::Op(op))
    }

    /// A part of a gap that is longer than `room`: `None` if it is not.
    pub(super) fn work_within(&mut self, room: u64) -> Option<Step> {
        let gap = match self.batch.events().get(self.next)? {
            Event::Op(op) => op.gap,
            Event::Mark { gap, .. } | Event::Order { gap, .. } | Event::Fetch { gap, .. } => *gap,
        };
        if self.gap_done || u64::from(gap - self.cut) <= room {
            return None;
        }
        if let Some(stop) = self.stop_here() {
            return Some(self.stopped(stop, 0));
        }
        // No more than the gap, which fits.
        let instructions = room as u32;
        self.cut += instructions;
        Some(Step::Work { instructions })
    }
}
