// SPDX-License-Identifier: MIT OR Apache-2.0
//! The key of a frame's color list: its bank color, or bank color and LLC color as one number; the same in each part of a divided memory,
//! one part after the other.

use super::shades::Shades;
use crate::{ColorSet, FrameError, ListsBy, Memory};
use fresco_dram::{ColorSpace, FrameNumber};
use std::sync::Arc;

/// The colors of the machine, and the zone that holds each of them.
pub(crate) struct Keys {
    space: Arc<ColorSpace>,
    /// Keys of one bank color: all LLC colors, or 1.
    llc: u32,
    by_llc: bool,
    /// Zone of each bank color in part 0.
    zone: Vec<u32>,
    /// Parts of the memory, and zones of each of them.
    parts: u32,
    zones_of_part: u32,
    /// Which part a frame is of; `None` where there is but one.
    divided: Option<Memory>,
    /// Buddy lists tell colors apart, in this way.
    shades: Option<Shades>,
}

impl Keys {
    /// The keys of a machine; several zones are one per node.
    pub(crate) fn new(space: Arc<ColorSpace>, memory: &Memory, lists: ListsBy) -> Self {
        let by_llc = lists == ListsBy::BankAndLlc;
        let zone_of = |bank| {
            if memory.zones_of_part() == 1 {
                0
            } else {
                space.node_of_color(bank)
            }
        };
        let zone = (0..space.bank_colors()).map(zone_of).collect();
        Self {
            llc: if by_llc { space.llc_colors() } else { 1 },
            by_llc,
            zone,
            parts: memory.parts(),
            zones_of_part: memory.zones_of_part(),
            divided: (memory.parts() > 1).then(|| memory.clone()),
            space,
            shades: None,
        }
    }

    /// The same for buddy lists that tell colors apart.
    pub(crate) fn shaded(mut self, memory: &Memory) -> Result<Self, FrameError> {
        self.shades = Some(Shades::new(&self.space, memory, self.llc, |frame| self.in_part(frame))?);
        Ok(self)
    }

    /// Kinds of buddy lists of one order.
    pub(crate) fn shades(&self) -> u32 {
        if self.shades.is_some() { self.of_part() } else { 1 }
    }

    /// Which kind of buddy list holds the blocks of an order that have frames of a key.
    pub(crate) fn shade(&self, order: u32, key: u32) -> u32 {
        self.shades.as_ref().map_or(0, |shades| match key < self.of_part() {
            true => shades.of(order, key),
            // The zone says which part it is.
            false => shades.of(order, key % self.of_part()),
        })
    }

    /// The colors themselves.
    pub(crate) fn space(&self) -> &ColorSpace {
        &self.space
    }

    /// Number of keys, impossible pairs included.
    pub(crate) fn count(&self) -> u32 {
        self.of_part() * self.parts
    }

    /// Number of keys of one part.
    fn of_part(&self) -> u32 {
        self.space.bank_colors() * self.llc
    }

    /// Returns true if keys tell LLC colors apart.
    pub(crate) fn by_llc(&self) -> bool {
        self.by_llc
    }

    /// The keys of all frames of some parts that have one of the bank colors and, where keys tell them apart, one of the LLC colors
    /// (`None` for all); ascending if the parts are.
    pub(crate) fn of_colors(&self, parts: &[u32], banks: &ColorSet, llc: Option<&ColorSet>) -> Vec<u32> {
        let keys = self.of_pairs(banks, llc);
        let of_part = |part: &u32| {
            let first = part * self.of_part();
            keys.iter().map(move |key| first + key)
        };
        parts.iter().flat_map(of_part).collect()
    }

    fn of_pairs(&self, banks: &ColorSet, llc: Option<&ColorSet>) -> Vec<u32> {
        if !self.by_llc {
            return banks.iter().collect();
        }
        let llc: Vec<u32> = llc.map_or_else(|| (0..self.llc).collect(), |llc| llc.iter().collect());
        let pairs = banks.iter().flat_map(|bank| llc.iter().map(move |&llc| (bank, llc)));
        let exist = pairs.filter(|&(bank, llc)| self.space.pair_exists(bank, llc));
        exist.map(|(bank, llc)| bank * self.llc + llc).collect()
    }

    /// The keys of a bank color.
    pub(crate) fn of_bank(&self, bank: u32) -> impl Iterator<Item = u32> {
        let (of_part, llc) = (self.of_part(), self.llc);
        (0..self.parts).flat_map(move |part| (0..llc).map(move |color| part * of_part + bank * llc + color))
    }

    /// The key of a frame of the machine's memory.
    pub(crate) fn of_frame(&self, frame: u32) -> u32 {
        let key = self.in_part(frame);
        match &self.divided {
            None => key,
            Some(memory) => {
                let zone = memory.zone_of(FrameNumber(u64::from(frame)));
                zone.expect("frames on lists lie in a region") / self.zones_of_part * self.of_part() + key
            }
        }
    }

    /// The key of a frame among those of its part.
    fn in_part(&self, frame: u32) -> u32 {
        let frame = FrameNumber(u64::from(frame));
        let llc = if self.by_llc { self.space.llc_color(frame) } else { 0 };
        self.space.bank_color(frame) * self.llc + llc
    }

    /// The bank color of a key.
    pub(crate) fn bank(&self, key: u32) -> u32 {
        match self.divided {
            None => key / self.llc,
            Some(_) => key % self.of_part() / self.llc,
        }
    }

    /// The zone that holds the frames of a key.
    pub(crate) fn zone(&self, key: u32) -> u32 {
        let zone = self.zone[self.bank(key) as usize];
        match self.divided {
            None => zone,
            Some(_) => key / self.of_part() * self.zones_of_part + zone,
        }
    }

    /// The zones that hold the frames of a bank color, one for each part.
    pub(crate) fn zones_of_bank(&self, bank: u32) -> impl Iterator<Item = u32> {
        let (zone, each) = (self.zone[bank as usize], self.zones_of_part);
        (0..self.parts).map(move |part| part * each + zone)
    }
}

/// The keys that a task may be served from in one zone.
#[derive(Clone, Debug)]
pub(crate) struct ZoneKeys {
    /// The zone.
    pub(crate) zone: u32,
    /// Its keys, ascending unless spread; may be empty for an allocator that is blind to nodes.
    pub(crate) keys: Vec<u32>,
    /// Position of the key that is asked first.
    pub(crate) cursor: usize,
}

impl ZoneKeys {
    /// The next search begins one list further (round-robin over the colors).
    pub(crate) fn advance(&mut self) {
        self.cursor = (self.cursor + 1) % self.keys.len().max(1);
    }
}

/// The keys that a task may be served from.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySet {
    bits: Vec<u64>,
    /// The zones in the order of the search.
    pub(crate) search: Vec<ZoneKeys>,
    /// Position of the zone that is asked first, where zones take turns.
    pub(crate) turn: usize,
}

impl KeySet {
    /// The keys of `wanted` (ascending), to be looked for in `zones`. A zone that holds none of them is searched too if `blind`.
    pub(crate) fn new(keys: &Keys, wanted: &[u32], zones: &[u32], blind: bool) -> Self {
        let mut bits = vec![0; keys.count().div_ceil(64) as usize];
        for &key in wanted {
            bits[key as usize / 64] |= 1 << (key % 64);
        }
        let of_zone = |&zone: &u32| {
            let keys = wanted.iter().copied().filter(|&key| keys.zone(key) == zone).collect();
            ZoneKeys { zone, keys, cursor: 0 }
        };
        let search = zones.iter().map(of_zone).filter(|zone| blind || !zone.keys.is_empty());
        Self {
            search: search.collect(),
            bits,
            turn: 0,
        }
    }

    /// Lets those that are next to each other in turn lie far apart in number: channels first, then ranks, banks and LLC
    /// colors. The turn of task number `start` begins so many keys further, so that tasks in step meet on different ones.
    pub(crate) fn spread(&mut self, start: u32) {
        for zone in &mut self.search {
            zone.keys = far_apart(&zone.keys);
            zone.cursor = start as usize % zone.keys.len().max(1);
        }
    }

    /// Returns true if the key is one of them.
    pub(crate) fn contains(&self, key: u32) -> bool {
        self.bits[key as usize / 64] >> (key % 64) & 1 == 1
    }

    /// Returns true if the zones that are searched hold none of the keys.
    pub(crate) fn is_empty(&self) -> bool {
        self.search.iter().all(|zone| zone.keys.is_empty())
    }
}

/// A list in the order of its places with their bits reversed: the halves by turns, within them the quarters, and so on.
fn far_apart(list: &[u32]) -> Vec<u32> {
    let places = list.len().next_power_of_two();
    let unused = usize::BITS - places.trailing_zeros();
    let reversed = |place: usize| place.reverse_bits().checked_shr(unused).unwrap_or(0);
    (0..places)
        .filter_map(|place| list.get(reversed(place)).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::far_apart;

    #[test]
    fn halves_take_turns_and_within_them_quarters() {
        assert_eq!(far_apart(&[0, 1, 2, 3, 4, 5, 6, 7]), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(far_apart(&[7, 8, 9]), [7, 9, 8]);
        assert_eq!(far_apart(&[5]), [5]);
        assert_eq!(far_apart(&[]), [0; 0]);
    }
}
