// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which accesses to a last-level cache depend on the order in which they come to it.
//!
//! As long as nothing has been displaced from a set, it has room for all lines of it that are used, whatever their order. Once it has not, another order
//! may displace other lines: each of its hits may then be a miss.

use super::MemorySystem;
use crate::cache::Cache;
use fresco_dram::PhysAddr;

/// What has been displaced, and what was hit before.
#[derive(Debug)]
pub(super) struct Order {
    /// Sets of a cache.
    sets: usize,
    /// By cache and set: hits since the last reset; `None` from when a line has been displaced.
    hits: Vec<Option<u64>>,
    /// Hits since the last reset in sets from which lines were displaced later.
    early: u64,
    any: bool,
    /// Dirty lines that may be displaced: those that came since the last reset, and those that were there then.
    dirty: u64,
    /// All lines of the caches.
    lines: u64,
}

/// What another order of accesses may change besides those that [`MemorySystem::depends_on_order`] tells of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderCounts {
    /// Hits that it did not tell of, as lines were displaced from their sets only later.
    pub early: u64,
    /// Dirty lines that may be displaced at most; `None` if no line has been.
    pub dirty: Option<u64>,
    /// Lines that all cores have written since the start, whether counters were reset since or not.
    pub written: u64,
}

impl Order {
    fn new(caches: &[Cache]) -> Self {
        let sets = caches.first().map_or(0, Cache::sets);
        Self {
            sets,
            hits: vec![Some(0); sets * caches.len()],
            early: 0,
            any: false,
            dirty: 0,
            lines: caches.iter().map(|cache| (cache.sets() * cache.ways()) as u64).sum(),
        }
    }

    /// A line has been displaced from a set of a cache.
    pub fn displaced(&mut self, cache: usize, set: usize) {
        self.any = true;
        self.early += self.hits[cache * self.sets + set].take().unwrap_or(0);
    }

    /// A dirty line comes from the private caches.
    pub fn dirty(&mut self) {
        self.dirty += 1;
    }

    pub fn reset(&mut self) {
        self.hits.iter_mut().flatten().for_each(|hits| *hits = 0);
        self.early = 0;
        self.dirty = self.dirty.min(self.lines);
    }
}

impl MemorySystem {
    /// From now on it is known what depends on the order in which accesses come to the last-level caches.
    pub fn watch_order(&mut self) {
        self.order = Some(Box::new(Order::new(&self.caches)));
    }

    /// Returns true if a hit of `core` in its last-level cache may have been a miss if its accesses had come in another order. One in a set from which
    /// nothing has been displaced may turn out to be such a hit: [`OrderCounts::early`].
    ///
    /// # Panics
    /// If the order is not [watched](Self::watch_order).
    pub fn depends_on_order(&mut self, core: u32, line: PhysAddr) -> bool {
        let cache = (core / self.cores_per_cache) as usize;
        let order = self.order.as_mut().expect("the order is watched");
        let set = self.caches[cache].set_of(line);
        match &mut order.hits[cache * order.sets + set] {
            Some(hits) => {
                *hits += 1;
                false
            }
            None => true,
        }
    }

    /// What else depends on the order, since counters were reset; nothing if it is not watched.
    pub fn order_counts(&self) -> OrderCounts {
        let Some(order) = &self.order else {
            return OrderCounts::default();
        };
        OrderCounts {
            early: order.early,
            dirty: order.any.then_some(order.dirty),
            written: self.lines.iter().map(|lines| lines.written).sum(),
        }
    }
}
