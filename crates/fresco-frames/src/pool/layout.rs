// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which list has which number.

use crate::MAX_ORDER;

/// Orders of the buddy system.
const ORDERS: u32 = MAX_ORDER + 1;

/// What being on a list means for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Free, in the buddy system.
    Free,
    /// Free, in the list of its color, or in a block that waits to be sorted into those lists.
    Colored,
    /// In the hands of an owner.
    Owned,
    /// Free, a single frame in an owner's per-CPU list.
    PerCpu,
}

impl Class {
    /// Number of classes.
    pub(crate) const COUNT: usize = 4;
}

/// The numbering: buddy lists of every zone, order and shade, a color list for every key, the blocks of every zone that wait to be
/// sorted into color lists, then for every owner slot its blocks by order and its per-CPU list of every zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    zones: u32,
    keys: u32,
    /// Buddy lists of one zone and order: 1, or as many as keys.
    shades: u32,
}

impl Layout {
    /// `keys` combinations of bank and LLC color; buddy lists of `shades` kinds, 1 where they do not tell colors apart.
    pub(crate) fn new(zones: u32, keys: u32, shades: u32) -> Self {
        Self { zones, keys, shades }
    }

    /// Kinds of buddy lists of one zone and order.
    pub(crate) fn shades(&self) -> u32 {
        self.shades
    }

    /// The buddy list of free blocks of an order and a shade.
    pub(crate) fn free(&self, zone: u32, order: u32, shade: u32) -> u32 {
        (zone * ORDERS + order) * self.shades + shade
    }

    /// Buddy lists of a zone and an order have a number in common; `None` for other lists.
    pub(crate) fn group(&self, list: u32) -> Option<usize> {
        (list < self.buddies()).then(|| (list / self.shades) as usize)
    }

    /// Number of such groups.
    pub(crate) fn groups(&self) -> usize {
        (self.zones * ORDERS) as usize
    }

    fn buddies(&self) -> u32 {
        self.zones * ORDERS * self.shades
    }

    /// The list of free frames of a color.
    pub(crate) fn color(&self, key: u32) -> u32 {
        self.buddies() + key
    }

    /// The blocks of the highest order of a zone whose frames belong in color lists, and wait to be sorted into them.
    pub(crate) fn unsorted(&self, zone: u32) -> u32 {
        self.buddies() + self.keys + zone
    }

    /// The blocks of an order that an owner holds.
    pub(crate) fn owned(&self, slot: u32, order: u32) -> u32 {
        self.owners() + slot * (ORDERS + self.zones) + order
    }

    /// The free frames of a zone that an owner's CPU keeps at hand.
    pub(crate) fn per_cpu(&self, slot: u32, zone: u32) -> u32 {
        self.owned(slot, ORDERS) + zone
    }

    fn owners(&self) -> u32 {
        self.unsorted(self.zones)
    }

    /// Number of lists for `slots` owners.
    pub(crate) fn lists(&self, slots: u32) -> u32 {
        self.owned(slots, 0)
    }

    /// Class and order of a list.
    pub(crate) fn class(&self, list: u32) -> (Class, u8) {
        let order = |n: u32| (n % ORDERS) as u8;
        if list < self.buddies() {
            (Class::Free, order(list / self.shades))
        } else if list < self.unsorted(0) {
            (Class::Colored, 0)
        } else if list < self.owners() {
            (Class::Colored, MAX_ORDER as u8)
        } else {
            match (list - self.owners()) % (ORDERS + self.zones) {
                minor if minor < ORDERS => (Class::Owned, order(minor)),
                _ => (Class::PerCpu, 0),
            }
        }
    }

    /// Zone of a list of buddies, of unsorted blocks or of a CPU; `None` for the others, whose frames may be of any zone.
    pub(crate) fn zone(&self, list: u32) -> Option<u32> {
        match self.class(list).0 {
            Class::Free => Some(list / self.shades / ORDERS),
            Class::PerCpu => Some((list - self.owners()) % (ORDERS + self.zones) - ORDERS),
            Class::Colored => list.checked_sub(self.unsorted(0)),
            Class::Owned => None,
        }
    }

    /// Key of a color list; `None` for other lists.
    pub(crate) fn key(&self, list: u32) -> Option<u32> {
        list.checked_sub(self.buddies()).filter(|&key| key < self.keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_means_one_list() {
        let layout = Layout::new(3, 5, 2);
        let mut at = 0;
        let mut expect = |id: u32, class: (Class, u8), zone: Option<u32>| {
            assert_eq!((id, layout.class(id), layout.zone(id)), (at, class, zone));
            at += 1;
        };
        for zone in 0..3 {
            for (order, shade) in (0..=10).flat_map(|order| [(order, 0), (order, 1)]) {
                expect(layout.free(zone, order, shade), (Class::Free, order as u8), Some(zone));
            }
        }
        (0..5).for_each(|key| expect(layout.color(key), (Class::Colored, 0), None));
        (0..3).for_each(|zone| expect(layout.unsorted(zone), (Class::Colored, 10), Some(zone)));
        for slot in 0..2 {
            (0..=10).for_each(|k| expect(layout.owned(slot, k), (Class::Owned, k as u8), None));
            (0..3).for_each(|zone| expect(layout.per_cpu(slot, zone), (Class::PerCpu, 0), Some(zone)));
        }
        assert_eq!(layout.lists(2), at);
        assert_eq!(layout.key(layout.color(4)), Some(4));
        assert_eq!(layout.key(layout.unsorted(0)), None);
        assert_eq!(layout.key(layout.free(0, 0, 0)), None);
    }
}
