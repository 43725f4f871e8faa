// SPDX-License-Identifier: MIT OR Apache-2.0
//! Color lists: free frames outside the buddy system, sorted by color (PAL-1, CAMC-23).
//!
//! A list is a queue. Frames found while searching are appended, so that they leave in the order in which the search met
//! them, lowest address first within a block; a freed frame goes to the front, for its lines may still be cached.

use super::buddy::aligned_blocks;
use super::{BLOCK_FRAMES, Class, KeySet, NONE, Pool, ZoneKeys};
use crate::{MAX_ORDER, Work};

impl Pool {
    /// Takes a frame from the first list of `keys` that has one, beginning at its cursor and going round, and leaves the
    /// cursor on that list.
    pub(crate) fn take_colored(&mut self, keys: &mut ZoneKeys, work: &mut Work) -> Option<u32> {
        let (before, from) = keys.keys.split_at(keys.cursor);
        for (position, &key) in from.iter().chain(before).enumerate() {
            work.lists_probed += 1;
            if let Some(frame) = self.lists.pop_front(self.layout.color(key)) {
                work.list_ops += 1;
                keys.cursor = (keys.cursor + position) % keys.keys.len();
                return Some(frame);
            }
        }
        None
    }

    /// Takes a frame from the list of one key.
    pub(crate) fn take_of(&mut self, key: u32, work: &mut Work) -> Option<u32> {
        work.lists_probed += 1;
        let frame = self.lists.pop_front(self.layout.color(key))?;
        work.list_ops += 1;
        Some(frame)
    }

    /// Sorts all frames of the first free block of exactly `order` into the color lists (`create_color_list`, CAMC-22).
    /// `None` if there is no such block, else whether one of the frames was of a `wanted` color.
    pub(crate) fn sort_block(&mut self, zone: u32, order: u32, wanted: &KeySet, work: &mut Work) -> Option<bool> {
        let block = self.take_exact(zone, order, work)?;
        self.lists.table.open(block);
        let mut found = false;
        // CON-6: 2^order frames, each of them once, beginning with the first.
        for frame in block..block + (1 << order) {
            let key = self.sort_frame(frame, work);
            found |= wanted.contains(key);
        }
        Some(found)
    }

    fn sort_frame(&mut self, frame: u32, work: &mut Work) -> u32 {
        let key = self.keys.of_frame(frame);
        self.lists.push_back(self.layout.color(key), frame);
        work.frames_visited += 1;
        work.list_ops += 1;
        key
    }

    /// Walks the first free block of exactly `order` frame by frame: frames of other colors go to their lists, the
    /// first of a `wanted` color is taken, and the rest of the block stays free in the buddy system (PAL-2 to the
    /// letter). `None` if there is no such block, `Some(None)` if it had no frame of a wanted color.
    pub(crate) fn walk_block(
        &mut self,
        zone: u32,
        order: u32,
        wanted: &KeySet,
        work: &mut Work,
    ) -> Option<Option<u32>> {
        let block = self.take_exact(zone, order, work)?;
        self.lists.table.open(block);
        let end = block + (1 << order);
        for frame in block..end {
            let key = self.keys.of_frame(frame);
            if wanted.contains(key) {
                work.frames_visited += 1;
                for (rest, order) in aligned_blocks(frame + 1, end) {
                    self.give_alone(zone, rest, order, true);
                    work.list_ops += 1;
                }
                return Some(Some(frame));
            }
            self.sort_frame(frame, work);
        }
        Some(None)
    }

    /// Sorts everything free in the buddy lists of a zone (CAMC-26: all frames begin in color lists).
    pub(crate) fn sort_zone(&mut self, zone: u32) {
        let (nothing, mut work) = (KeySet::new(&self.keys, &[], &[], false), Work::default());
        for order in 0..=MAX_ORDER {
            while self.sort_block(zone, order, &nothing, &mut work).is_some() {}
        }
    }

    /// Puts a loose frame in front of the list of its color (CAMC-24).
    pub(crate) fn give_colored(&mut self, frame: u32, work: &mut Work) {
        let key = self.keys.of_frame(frame);
        self.lists.push_front(self.layout.color(key), frame);
        work.frames_visited += 1;
        work.list_ops += 1;
    }

    /// Takes a frame of any bank color that `allowed` lets pass from the color lists of a zone. The search goes on where
    /// the last one stopped, so that such requests spread over the colors.
    pub(crate) fn take_any_colored(
        &mut self,
        zone: u32,
        allowed: impl Fn(u32) -> bool,
        work: &mut Work,
    ) -> Option<u32> {
        if self.lists.frames(Class::Colored) == 0 {
            return None;
        }
        let count = self.keys.count();
        for key in (self.any_cursor..count).chain(0..self.any_cursor) {
            if self.keys.zone(key) != zone || !allowed(self.keys.bank(key)) {
                continue;
            }
            work.lists_probed += 1;
            if let Some(frame) = self.lists.pop_front(self.layout.color(key)) {
                work.list_ops += 1;
                self.any_cursor = (key + 1) % count;
                return Some(frame);
            }
        }
        None
    }

    /// Takes an aligned run of `2^order` frames of a zone that all lie in color lists (CAMC-26: demotion on demand).
    /// The lowest run is taken.
    pub(crate) fn demote_run(&mut self, zone: u32, order: u32, work: &mut Work) -> Option<u32> {
        let size = 1 << order;
        let blocks = self.blocks_of_zone(zone);
        let mut runs = blocks
            .into_iter()
            .flat_map(|block| (block..block + BLOCK_FRAMES).step_by(size as usize));
        let run = runs.find(|&run| {
            (run..run + size).all(|frame| {
                work.frames_visited += 1;
                self.is_colored_in(zone, frame)
            })
        })?;
        for frame in run..run + size {
            self.lists.remove(frame);
            work.list_ops += 1;
        }
        if order == MAX_ORDER {
            self.lists.table.close(run);
        }
        Some(run)
    }

    fn is_colored_in(&self, zone: u32, frame: u32) -> bool {
        let list = self.lists.list_of(frame);
        list != NONE && self.layout.class(list).0 == Class::Colored && self.zone_of(frame) == zone
    }

    /// Returns every frame of the color lists to the buddy system, where they merge again.
    pub(crate) fn flush_colored(&mut self, work: &mut Work) {
        for key in 0..self.keys.count() {
            while let Some(frame) = self.lists.pop_front(self.layout.color(key)) {
                work.list_ops += 1;
                self.give_block(frame, 0, work);
            }
        }
    }

    /// Frames in the list of a key.
    pub(crate) fn colored_frames(&self, key: u32) -> u64 {
        u64::from(self.lists.len(self.layout.color(key)))
    }
}
