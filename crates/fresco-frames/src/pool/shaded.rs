// SPDX-License-Identifier: MIT OR Apache-2.0
//! A frame of one color straight from buddy lists by color: no search, and frees merge (BPM-2).

use super::Pool;
use crate::{MAX_ORDER, Work};

impl Pool {
    /// Takes a frame of a key out of the buddy lists of a zone: of the smallest block that holds one. The block is halved
    /// down to it, the half that keeps the key going on each time (the lower one if both do).
    pub(crate) fn take_shaded(&mut self, zone: u32, key: u32, work: &mut Work) -> Option<u32> {
        for from in 0..=MAX_ORDER {
            work.lists_probed += 1;
            let shade = self.keys.shade(from, key);
            let Some(block) = self.lists.pop_front(self.layout.free(zone, from, shade)) else {
                continue;
            };
            work.list_ops += 1;
            return Some(self.halve_towards(zone, block, from, key, work));
        }
        None
    }

    fn halve_towards(&mut self, zone: u32, block: u32, from: u32, key: u32, work: &mut Work) -> u32 {
        if from == MAX_ORDER {
            self.lists.table.open(block);
        }
        let mut kept = block;
        for order in (0..from).rev() {
            work.frames_visited += 1;
            let upper = kept + (1 << order);
            let lower_has_it = self.keys.shade(order, self.keys.of_frame(kept)) == self.keys.shade(order, key);
            let other = if lower_has_it {
                upper
            } else {
                std::mem::replace(&mut kept, upper)
            };
            self.lists.push_front(self.free_list(zone, other, order), other);
            work.splits += 1;
            work.list_ops += 1;
        }
        debug_assert_eq!(self.keys.of_frame(kept), key, "a block of the shade holds the key");
        kept
    }

    /// Takes the first block of exactly `order` of any shade. The next search begins one shade further, so that such
    /// requests spread over the colors.
    pub(super) fn take_any_shade(&mut self, zone: u32, order: u32, work: &mut Work) -> Option<u32> {
        if self.free_blocks(zone, order) == 0 {
            return None;
        }
        let shades = self.layout.shades();
        let cursor = self.shade_cursor;
        for shade in (cursor..shades).chain(0..cursor) {
            let list = self.layout.free(zone, order, shade);
            if let Some(frame) = self.lists.pop_front(list) {
                work.list_ops += 1;
                self.shade_cursor = (shade + 1) % shades;
                return Some(frame);
            }
        }
        None
    }

    /// Takes a frame of a zone whose bank color `allowed` lets pass, going on where the last such search stopped.
    pub(crate) fn take_any_shaded(&mut self, zone: u32, allowed: impl Fn(u32) -> bool, work: &mut Work) -> Option<u32> {
        let count = self.keys.count();
        for key in (self.any_cursor..count).chain(0..self.any_cursor) {
            if self.keys.zone(key) != zone || !allowed(self.keys.bank(key)) {
                continue;
            }
            if let Some(frame) = self.take_shaded(zone, key, work) {
                self.any_cursor = (key + 1) % count;
                return Some(frame);
            }
        }
        None
    }

    /// Returns true if the buddy lists tell colors apart.
    pub(crate) fn is_shaded(&self) -> bool {
        self.layout.shades() > 1
    }
}
