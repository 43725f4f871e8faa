// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mechanism under every policy: frames, lists, and the moves between them. Policies decide which move is made.

mod buddy;
mod colors;
mod keys;
mod layout;
mod lists;
mod per_cpu;
mod shaded;
mod shades;
mod table;

pub(crate) use keys::{KeySet, Keys, ZoneKeys};
pub(crate) use layout::Class;
use layout::Layout;
use lists::Lists;
pub use per_cpu::PerCpu;
pub(crate) use table::{BLOCK_FRAMES, NONE};

use crate::Memory;
use table::Table;

/// All frames of a machine.
pub(crate) struct Pool {
    /// Zones and fallback orders.
    pub(crate) memory: Memory,
    /// Colors.
    pub(crate) keys: Keys,
    /// Which list is which.
    pub(crate) layout: Layout,
    /// Every block of the machine.
    pub(crate) lists: Lists,
    /// Per-CPU lists, if there are any.
    pub(crate) per_cpu: Option<PerCpu>,
    /// Owner slots that have lists.
    slots: u32,
    /// Key at which the next search for a frame of any color begins.
    any_cursor: u32,
    /// Shade at which the next search for a block of any shade begins.
    shade_cursor: u32,
    /// Blocks of all zones that wait to be sorted into color lists.
    waiting: u32,
}

impl Pool {
    /// All memory free, in blocks as large as alignment allows, lower addresses first.
    pub(crate) fn new(memory: Memory, keys: Keys, per_cpu: Option<PerCpu>) -> Self {
        let regions = memory.regions();
        let first = regions.first().map_or(0, |region| region.first.0 as u32);
        let end = regions
            .last()
            .map_or(0, |region| (region.first.0 + region.frames) as u32);
        let layout = Layout::new(memory.zones(), keys.count(), keys.shades());
        let lists = Lists::new(Table::new(first, end), &layout, 1);
        let mut pool = Self {
            memory,
            keys,
            layout,
            lists,
            per_cpu,
            slots: 1,
            any_cursor: 0,
            shade_cursor: 0,
            waiting: 0,
        };
        for region in pool.memory.regions().to_vec() {
            let first = region.first.0 as u32;
            for (frame, order) in buddy::aligned_blocks(first, first + region.frames as u32) {
                pool.give_alone(region.zone, frame, order, false);
            }
        }
        pool
    }

    /// Makes sure that owner slot `slot` has its lists.
    pub(crate) fn add_slot(&mut self, slot: u32) {
        if slot >= self.slots {
            self.slots = slot + 1;
            self.lists.grow(&self.layout, self.slots);
        }
    }

    /// Owner slots that have lists.
    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    /// Notes that a block that was just taken belongs to an owner now.
    pub(crate) fn own(&mut self, slot: u32, frame: u32, order: u32) {
        self.lists.push_front(self.layout.owned(slot, order), frame);
    }

    /// The order of the block at `frame` if the owner holds it.
    pub(crate) fn owned_order(&self, slot: u32, frame: u32) -> Option<u32> {
        let list = self.lists.list_of(frame);
        let order = list.wrapping_sub(self.layout.owned(slot, 0));
        (list != NONE && order <= crate::MAX_ORDER).then_some(order)
    }

    /// The zone of a frame of the machine's memory.
    pub(crate) fn zone_of(&self, frame: u32) -> u32 {
        let frame = fresco_dram::FrameNumber(u64::from(frame));
        self.memory.zone_of(frame).expect("frames on lists lie in a region")
    }

    /// Bytes of the frame table.
    pub(crate) fn table_bytes(&self) -> usize {
        self.lists.table.bytes()
    }
}
