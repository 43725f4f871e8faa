// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses that a process has translated by the TLBs of its core.

use super::process::Process;
use crate::core::{Lookup, MicroOp, Step, Translation, Victims};
use fresco_dram::PhysAddr;
use fresco_load::Op;
use fresco_memory::Translated;

/// What a process needs if its core has TLBs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Translating {
    /// Slots to look the second level up; 0 if there is none.
    second: u32,
    /// Bits of an address within its page.
    page_bits: u32,
    /// The operation that comes when the reads of its walk have: with its physical address, and what its translation takes besides.
    op: Option<(Op, PhysAddr, u32)>,
    /// Levels that its walk has to read yet.
    left: usize,
    counts: Lookups,
}

/// What TLBs were asked, and how often a walk had to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lookups {
    /// Loads and stores.
    pub lookups: u64,
    /// Those that the second level answered.
    pub second: u64,
    /// Those for which tables were read.
    pub walks: u64,
}

impl Translating {
    /// `second` are the slots to look the second level up.
    pub fn new(second: u32, page_bytes: u64) -> Self {
        Self {
            second,
            page_bits: page_bytes.trailing_zeros(),
            ..Self::default()
        }
    }
}

impl Process {
    /// From now on its addresses are translated by TLBs.
    pub fn translate_by(&mut self, translating: Translating) {
        self.translating = Some(Box::new(translating));
    }

    /// What the TLBs were asked so far; nothing if there are none.
    pub fn lookups(&self) -> Lookups {
        self.translating
            .as_ref()
            .map_or_else(Lookups::default, |all| all.counts)
    }

    /// An operation whose page has the frame of `addr` and whose turn has come: first the reads of its walk, if it needs one.
    pub(super) fn look_up(&mut self, op: &Op, addr: PhysAddr) -> Option<Step> {
        let translating = self.translating.as_mut()?;
        let page = op.addr.0 >> translating.page_bits;
        let space = self.pages.space();
        let found = self.caches.translations().map(|known| known.look_up(space, page));
        translating.counts.lookups += 1;
        let slots = match found {
            None | Some(Translated::First) => 0,
            Some(Translated::Second) => {
                translating.counts.second += 1;
                translating.second
            }
            Some(Translated::Walk(levels)) => {
                translating.counts.walks += 1;
                translating.left = levels;
                translating.second
            }
        };
        translating.op = Some((*op, addr, slots));
        self.go_on_translating()
    }

    /// The next read of a walk that has begun, or the operation that needs it.
    pub(super) fn go_on_translating(&mut self) -> Option<Step> {
        let translating = self.translating.as_mut()?;
        let (op, addr, slots) = translating.op?;
        let page_bits = translating.page_bits;
        if translating.left > 0 {
            let level = translating.left;
            translating.left -= 1;
            let entry = self.pages.table_entry(level, op.addr.0 >> page_bits);
            return Some(Step::Walk(self.read_table(entry)));
        }
        translating.op = None;
        let gap = self.gap_left(op.gap);
        let op = self.operation(&op, addr, gap);
        Some(Step::Translated(op, Translation { slots, page_bits }))
    }

    /// Looks an entry of a page table up in the private caches.
    fn read_table(&mut self, entry: PhysAddr) -> MicroOp {
        let line = PhysAddr(entry.0 >> self.line_bits << self.line_bits);
        let read = self.caches.read_table(line);
        let mut victims = Victims::default();
        read.leaves.as_slice().iter().for_each(|victim| victims.push(*victim));
        MicroOp {
            gap: 0,
            dep: 0,
            write: false,
            line,
            lookup: match read.level {
                Some(level) => Lookup::Hit {
                    slots: self.hit_slots[usize::from(level) - 1],
                },
                None => Lookup::Miss,
            },
            victims,
        }
    }
}
