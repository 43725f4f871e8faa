// SPDX-License-Identifier: MIT OR Apache-2.0
//! The binary buddy system, as Linux keeps it: a list of free blocks per zone and order, last in, first out.
//!
//! A request takes the first block of the smallest order that serves; of a block that is too large the lower half is
//! split on and the upper half goes to the front of its list (`expand` in Linux' `mm/page_alloc.c`). A freed block joins
//! its buddy as long as that is free and whole, and goes to the front of its list (`__free_one_page`). What Linux has
//! beside this and the model leaves out: migrate types, watermarks, and placing a block at the back of the list when its
//! next merge looks likely.

use super::{BLOCK_FRAMES, NONE, Pool};
use crate::{MAX_ORDER, Work};

impl Pool {
    /// Takes a block of `order` out of the buddy lists of a zone.
    pub(crate) fn take_block(&mut self, zone: u32, order: u32, work: &mut Work) -> Option<u32> {
        for from in order..=MAX_ORDER {
            if let Some(frame) = self.take_exact(zone, from, work) {
                self.split(zone, frame, from, order, work);
                return Some(frame);
            }
        }
        None
    }

    /// Takes the first block of exactly `order`.
    pub(crate) fn take_exact(&mut self, zone: u32, order: u32, work: &mut Work) -> Option<u32> {
        work.lists_probed += 1;
        if self.is_shaded() {
            return self.take_any_shade(zone, order, work);
        }
        let frame = self.lists.pop_front(self.layout.free(zone, order, 0))?;
        work.list_ops += 1;
        Some(frame)
    }

    /// The buddy list that a block of a zone belongs on.
    pub(crate) fn free_list(&self, zone: u32, frame: u32, order: u32) -> u32 {
        let shade = match self.is_shaded() {
            true => self.keys.shade(order, self.keys.of_frame(frame)),
            false => 0,
        };
        self.layout.free(zone, order, shade)
    }

    /// Shrinks a loose block to its lowest `2^to` frames; the rest becomes free.
    fn split(&mut self, zone: u32, frame: u32, from: u32, to: u32, work: &mut Work) {
        if from == MAX_ORDER && to < MAX_ORDER {
            self.lists.table.open(frame);
        }
        for order in (to..from).rev() {
            let upper = frame + (1 << order);
            self.lists.push_front(self.free_list(zone, upper, order), upper);
            work.splits += 1;
            work.list_ops += 1;
        }
    }

    /// Returns a loose block to the buddy lists of its zone, joined with every buddy that is free.
    pub(crate) fn give_block(&mut self, frame: u32, order: u32, work: &mut Work) {
        let zone = self.zone_of(frame);
        let (mut head, mut size) = (frame, order);
        while size < MAX_ORDER {
            let buddy = head ^ (1 << size);
            work.lists_probed += 1;
            if !self.is_free(zone, buddy, size) {
                break;
            }
            self.lists.remove(buddy);
            head &= buddy;
            size += 1;
            work.merges += 1;
            work.list_ops += 1;
        }
        if size == MAX_ORDER && order < MAX_ORDER {
            self.lists.table.close(head);
        }
        self.lists.push_front(self.free_list(zone, head, size), head);
        work.list_ops += 1;
    }

    /// Returns true if a free block of exactly this order begins at a frame. The frame need not exist.
    pub(crate) fn is_free(&self, zone: u32, frame: u32, order: u32) -> bool {
        let list = self.lists.list_of(frame);
        // Only a frame on a list is sure to have a color.
        list != NONE && list == self.free_list(zone, frame, order)
    }

    /// Frees a loose, naturally aligned block where nothing can merge: its buddy is known not to be free. `front` puts it
    /// before the others of its order.
    pub(crate) fn give_alone(&mut self, zone: u32, frame: u32, order: u32, front: bool) {
        if order < MAX_ORDER {
            self.lists.table.open(frame);
        }
        let list = self.free_list(zone, frame, order);
        if front {
            self.lists.push_front(list, frame)
        } else {
            self.lists.push_back(list, frame)
        }
    }

    /// Lets the highest-order block around a loose frame hold smaller ones.
    pub(crate) fn open_block(&mut self, frame: u32) {
        self.lists.table.open(frame);
    }

    /// Free frames of a zone in the buddy lists.
    pub(crate) fn buddy_frames(&self, zone: u32) -> u64 {
        (0..=MAX_ORDER)
            .map(|order| u64::from(self.free_blocks(zone, order)) << order)
            .sum()
    }

    /// Free blocks of a zone and an order in the buddy lists.
    pub(crate) fn free_blocks(&self, zone: u32, order: u32) -> u32 {
        let group = self.layout.group(self.layout.free(zone, order, 0));
        group.map_or(0, |group| self.lists.in_group(group))
    }

    /// The aligned blocks of the highest order that overlap a zone's regions, by their first frame.
    pub(crate) fn blocks_of_zone(&self, zone: u32) -> Vec<u32> {
        let regions = self.memory.regions().iter().filter(|region| region.zone == zone);
        let blocks = regions.flat_map(|region| {
            let first = region.first.0 as u32 / BLOCK_FRAMES;
            let end = (region.first.0 as u32 + region.frames as u32).div_ceil(BLOCK_FRAMES);
            (first..end).map(|block| block * BLOCK_FRAMES)
        });
        let mut blocks: Vec<u32> = blocks.collect();
        blocks.dedup();
        blocks
    }
}

/// Cuts `first..end` into the largest naturally aligned blocks, by address: (first frame, order).
pub(crate) fn aligned_blocks(first: u32, end: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut at = first;
    std::iter::from_fn(move || {
        let left = end.checked_sub(at).filter(|&left| left > 0)?;
        let block = (at, at.trailing_zeros().min(left.ilog2()).min(MAX_ORDER));
        at += 1 << block.1;
        Some(block)
    })
}
