// SPDX-License-Identifier: MIT OR Apache-2.0
//! Color lists: free frames outside the buddy system, sorted by color (PAL-1, CAMC-23).
//!
//! A list is a queue. Frames found while searching are appended, so that they leave in the order in which the search met
//! them, lowest address first within a block; a freed frame goes to the front, for its lines may still be cached.
//!
//! Where all frames begin in color lists, most of a large memory is never asked for. So blocks of the highest order wait in a list
//! of their own, and are sorted in its order when a list runs empty: what is handed out is the same as if they all had been.

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
            if let Some(frame) = self.pop_colored(key) {
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
        let frame = self.pop_colored(key)?;
        work.list_ops += 1;
        Some(frame)
    }

    /// Takes the first frame of a color list, which is empty only when no block waits to be sorted.
    fn pop_colored(&mut self, key: u32) -> Option<u32> {
        loop {
            let frame = self.lists.pop_front(self.layout.color(key));
            if frame.is_some() || self.waiting == 0 || !self.sort_waiting(self.keys.zone(key)) {
                return frame;
            }
        }
    }

    /// Sorts the first block that waits for it; false if none does. It was to be done at the start, and costs nothing now.
    fn sort_waiting(&mut self, zone: u32) -> bool {
        let Some(block) = self.lists.pop_front(self.layout.unsorted(zone)) else {
            return false;
        };
        self.waiting -= 1;
        self.sort_frames(block, BLOCK_FRAMES, &mut Work::default(), |_| {});
        true
    }

    /// Sorts all frames of the first free block of exactly `order` into the color lists (`create_color_list`, CAMC-22).
    /// `None` if there is no such block, else whether one of the frames was of a `wanted` color.
    pub(crate) fn sort_block(&mut self, zone: u32, order: u32, wanted: &KeySet, work: &mut Work) -> Option<bool> {
        let block = self.take_exact(zone, order, work)?;
        let mut found = false;
        // CON-6: 2^order frames, each of them once, beginning with the first.
        self.sort_frames(block, 1 << order, work, |key| found |= wanted.contains(key));
        Some(found)
    }

    /// Sorts the frames of a block that has left its list, in order; `met` is told the key of each.
    fn sort_frames(&mut self, block: u32, frames: u32, work: &mut Work, mut met: impl FnMut(u32)) {
        self.lists.table.open(block);
        for frame in block..block + frames {
            met(self.sort_frame(frame, work));
        }
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

    /// Sorts everything free in the buddy lists of a zone (CAMC-26: all frames begin in color lists). Blocks of the highest order
    /// wait until their frames are asked for.
    pub(crate) fn sort_zone(&mut self, zone: u32) {
        let (nothing, mut work) = (KeySet::new(&self.keys, &[], &[], false), Work::default());
        for order in 0..MAX_ORDER {
            while self.sort_block(zone, order, &nothing, &mut work).is_some() {}
        }
        while let Some(block) = self.take_exact(zone, MAX_ORDER, &mut work) {
            self.lists.push_back(self.layout.unsorted(zone), block);
            self.waiting += 1;
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
            if let Some(frame) = self.pop_colored(key) {
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
        // Frames before it in their lists are sorted first, so that those that stay have their places.
        while self.is_waiting(run) && self.sort_waiting(zone) {}
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
        let listed = list != NONE && self.layout.class(list).0 == Class::Colored;
        (listed || self.is_waiting(frame)) && self.zone_of(frame) == zone
    }

    /// Returns true if a frame lies in a block that waits to be sorted.
    fn is_waiting(&self, frame: u32) -> bool {
        let list = self.lists.list_of(frame / BLOCK_FRAMES * BLOCK_FRAMES);
        list != NONE && self.layout.class(list) == (Class::Colored, MAX_ORDER as u8)
    }

    /// Returns every frame of the color lists to the buddy system, where they merge again.
    pub(crate) fn flush_colored(&mut self, work: &mut Work) {
        for zone in 0..self.memory.zones() {
            while self.sort_waiting(zone) {}
        }
        for key in 0..self.keys.count() {
            while let Some(frame) = self.lists.pop_front(self.layout.color(key)) {
                work.list_ops += 1;
                self.give_block(frame, 0, work);
            }
        }
    }

    /// Frames of a bank color in color lists, those included that wait to be sorted.
    pub(crate) fn colored_frames(&self, bank: u32) -> u64 {
        let sorted: u64 = self
            .keys
            .of_bank(bank)
            .map(|key| u64::from(self.lists.len(self.layout.color(key))))
            .sum();
        let zones = self.keys.zones_of_bank(bank);
        let waiting = zones.flat_map(|zone| self.lists.iter(self.layout.unsorted(zone)));
        let of_bank = |block: u32| {
            (block..block + BLOCK_FRAMES).filter(|&frame| self.keys.bank(self.keys.of_frame(frame)) == bank)
        };
        sorted + waiting.map(|block| of_bank(block).count() as u64).sum::<u64>()
    }

    /// Frames of a zone in color lists, those included that wait to be sorted.
    pub(crate) fn colored_of_zone(&self, zone: u32) -> u64 {
        let keys = (0..self.keys.count()).filter(|&key| self.keys.zone(key) == zone);
        let sorted: u64 = keys.map(|key| u64::from(self.lists.len(self.layout.color(key)))).sum();
        sorted + u64::from(self.lists.len(self.layout.unsorted(zone))) * u64::from(BLOCK_FRAMES)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Camc, ColorLists, ColorSet, Frames, FramesConfig, Memory, Policy, Region, TaskId, TaskMemory};
    use fresco_dram::{AddressMap, ColorSpace, FrameNumber, Functions, Organisation};
    use rand::{Rng, SeedableRng};
    use std::sync::Arc;

    /// Two nodes of eight blocks each; bank bits 13 and 24, so that a block has frames of two of the four banks.
    fn all_in_lists(seed: u64) -> Frames {
        let bits = |bits: &[u32]| bits.iter().map(|bit| 1 << bit).collect::<Vec<u64>>();
        let functions = Functions {
            bank: bits(&[13, 24]),
            row: bits(&[12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]),
            column: bits(&[3, 4, 5, 6, 7, 8, 9, 10, 11]),
            ..Functions::default()
        };
        let organisation = Organisation {
            nodes: 2,
            channels: 1,
            ranks: 1,
            bank_groups: 1,
            banks: 4,
            rows: 2048,
            columns: 512,
            bus_bytes: 8,
        };
        let region = |node: u64| fresco_dram::Region {
            base: node << 25,
            size: 1 << 25,
            offset: node << 25,
            node: Some(node as u32),
            functions: functions.clone(),
        };
        let map = AddressMap::new(organisation, vec![region(0), region(1)]).unwrap();
        let space = Arc::new(ColorSpace::new(&map, &[], 12).unwrap());
        let zone = |node: u64| Region {
            zone: node as u32,
            first: FrameNumber(node << 13),
            frames: 1 << 13,
        };
        let memory = Memory::new(vec![zone(0), zone(1)], &[vec![0, 1], vec![1, 0]]).unwrap();
        let camc = Camc {
            start: ColorLists::Full,
            ..Camc::default()
        };
        let config = FramesConfig {
            policy: Policy::Camc(camc),
            ..FramesConfig::default()
        };
        Frames::new(space, memory, config, seed).unwrap()
    }

    #[test]
    fn frames_that_wait_are_handed_out_as_if_they_had_been_sorted() {
        for seed in 0..40 {
            let (mut lazy, mut sorted) = (all_in_lists(seed), all_in_lists(seed));
            (0..2).for_each(|zone| while sorted.pool.sort_waiting(zone) {});
            assert!(lazy.pool.waiting > 8 && sorted.pool.waiting == 0);
            assert_eq!(lazy.census(), sorted.census());
            let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
            let (colored, plain) = (TaskId(1), TaskId(2));
            for frames in [&mut lazy, &mut sorted] {
                let banks = ColorSet::one(seed as u32 % 4);
                frames
                    .register(colored, TaskMemory::local(0).with_banks(banks))
                    .unwrap();
                frames.register(plain, TaskMemory::local(1)).unwrap();
            }
            let (mut held, mut blocks) = (Vec::new(), Vec::new());
            for _ in 0..12_000 {
                match rng.random_range(0..1000) {
                    0..900 => {
                        let task = if rng.random() { colored } else { plain };
                        let got = lazy.alloc(task);
                        assert_eq!(got, sorted.alloc(task));
                        held.extend(got.map(|(frame, _)| (task, frame)));
                    }
                    900..990 if !held.is_empty() => {
                        let (task, frame) = held.swap_remove(rng.random_range(0..held.len()));
                        assert_eq!(lazy.free(task, frame), sorted.free(task, frame));
                    }
                    990..997 => {
                        let (order, node) = (rng.random_range(0..=10), rng.random_range(0..2));
                        let got = lazy.alloc_order(order, node);
                        assert_eq!(got, sorted.alloc_order(order, node));
                        blocks.extend(got.map(|(block, _)| block));
                    }
                    997..999 if !blocks.is_empty() => {
                        let block = blocks.swap_remove(0);
                        assert_eq!(lazy.free_order(block), sorted.free_order(block));
                    }
                    999 if rng.random_ratio(1, 20) => assert_eq!(lazy.flush_color_lists(), sorted.flush_color_lists()),
                    _ => {}
                }
                assert_eq!(lazy.census(), sorted.census());
            }
            assert_eq!(lazy.check().unwrap(), sorted.check().unwrap());
            for bank in 0..8 {
                assert_eq!(
                    lazy.color_list_frames(bank),
                    sorted.color_list_frames(bank),
                    "bank {bank}"
                );
            }
            assert_eq!(
                [0, 1].map(|zone| lazy.free_frames(zone)),
                [0, 1].map(|zone| sorted.free_frames(zone))
            );
        }
    }
}
