// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bank colour and LLC colour of a frame as one number: the key of its colour list.

use crate::Memory;
use fresco_dram::{ColorSpace, FrameNumber};
use std::sync::Arc;

/// The colours of the machine, and the zone that holds each of them. TintMalloc's matrix of lists, one for each
/// combination of memory and cache colour, flattened.
pub(crate) struct Keys {
    space: Arc<ColorSpace>,
    llc: u32,
    /// Zone of each bank colour.
    zone: Vec<u32>,
}

impl Keys {
    /// The keys of a machine; several zones are one per node.
    pub(crate) fn new(space: Arc<ColorSpace>, memory: &Memory) -> Self {
        let zone_of = |bank| {
            if memory.zones() == 1 {
                0
            } else {
                space.node_of_color(bank)
            }
        };
        let zone = (0..space.bank_colors()).map(zone_of).collect();
        Self {
            llc: space.llc_colors(),
            zone,
            space,
        }
    }

    /// The colours themselves.
    pub(crate) fn space(&self) -> &ColorSpace {
        &self.space
    }

    /// Number of keys, impossible pairs included.
    pub(crate) fn count(&self) -> u32 {
        self.space.bank_colors() * self.llc
    }

    /// The key of a pair of colours.
    pub(crate) fn key(&self, bank: u32, llc: u32) -> u32 {
        bank * self.llc + llc
    }

    /// The key of a frame of the machine's memory.
    pub(crate) fn of_frame(&self, frame: u32) -> u32 {
        let frame = FrameNumber(u64::from(frame));
        self.key(self.space.bank_color(frame), self.space.llc_color(frame))
    }

    /// The bank colour of a key.
    pub(crate) fn bank(&self, key: u32) -> u32 {
        key / self.llc
    }

    /// The zone that holds the frames of a key.
    pub(crate) fn zone(&self, key: u32) -> u32 {
        self.zone[self.bank(key) as usize]
    }
}

/// The keys that a task may be served from in one zone.
#[derive(Clone, Debug)]
pub(crate) struct ZoneKeys {
    /// The zone.
    pub(crate) zone: u32,
    /// Its keys, ascending; may be empty for an allocator that is blind to nodes.
    pub(crate) keys: Vec<u32>,
    /// Position of the key that is asked first.
    pub(crate) cursor: usize,
}

impl ZoneKeys {
    /// The next search begins one list further (round-robin over the colours).
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
}

impl KeySet {
    /// The keys of `wanted`, to be looked for in `zones`. A zone that holds none of them is searched too if `blind`.
    pub(crate) fn new(keys: &Keys, wanted: impl Iterator<Item = u32>, zones: &[u32], blind: bool) -> Self {
        let mut wanted: Vec<u32> = wanted.collect();
        wanted.sort_unstable();
        let mut bits = vec![0; keys.count().div_ceil(64) as usize];
        for &key in &wanted {
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
        }
    }

    /// Is the key one of them?
    pub(crate) fn contains(&self, key: u32) -> bool {
        self.bits[key as usize / 64] >> (key % 64) & 1 == 1
    }

    /// Is there any key to be found in the zones that are searched?
    pub(crate) fn is_empty(&self) -> bool {
        self.search.iter().all(|zone| zone.keys.is_empty())
    }
}
