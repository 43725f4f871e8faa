// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who else has a line.

use super::{Above, MemorySystem};
use crate::cache::LineState;
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::Inclusion;

/// What there is of a line outside a core's private caches and its last-level cache.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Others {
    /// The core that has it modified or exclusive, or with stores on their way from it.
    pub owner: Option<u32>,
    /// Other cores have it.
    shared: bool,
    /// Other last-level caches have it.
    cached: bool,
    /// One of them has it dirty.
    dirty_in_cache: bool,
    /// The farthest of all of them: there and back.
    pub way: Ps,
}

impl Others {
    /// Returns true if there is any copy.
    pub fn is_any(&self) -> bool {
        self.owner.is_some() || self.shared || self.cached
    }

    /// Returns true if one of them has the data, rather than memory and the core's own last-level cache.
    pub fn serve(&self) -> bool {
        self.owner.is_some() || self.dirty_in_cache
    }
}

impl MemorySystem {
    /// Who else than `core` has a line.
    pub(super) fn others(&self, core: u32, line: PhysAddr, above: &mut impl Above) -> Others {
        let mut others = Others::default();
        for other in (0..self.cores.len() as u32).filter(|other| *other != core) {
            let caches = above.caches(other);
            let (state, in_transit) = (caches.state(line), caches.in_transit(line));
            match state {
                LineState::Modified | LineState::Exclusive => others.owner = Some(other),
                _ if in_transit == Some(true) => others.owner = Some(other),
                LineState::Shared => others.shared = true,
                LineState::Invalid if in_transit.is_some() => others.shared = true,
                LineState::Invalid => continue,
            }
            others.way = others.way.max(self.way(core, other));
        }
        for (group, cache) in (0u32..).zip(&self.caches) {
            if group != core / self.cores_per_cache && cache.contains(line) {
                others.cached = true;
                others.dirty_in_cache |= cache.is_dirty(line);
                others.way = others.way.max(self.way(core, group * self.cores_per_cache));
            }
        }
        others
    }

    /// The way from the node of a core to that of another one and back.
    fn way(&self, core: u32, other: u32) -> Ps {
        let node = self.directory().node_of_core[other as usize];
        let route = self.interconnect.route(core, node);
        route.there + route.back
    }

    /// No other core and no other last-level cache has a line any more. What of it held stores goes on with `core`.
    pub(super) fn invalidate_others(&mut self, others: &Others, core: u32, line: PhysAddr, above: &mut impl Above) {
        if !others.is_any() {
            return;
        }
        for other in (0..self.cores.len() as u32).filter(|other| *other != core) {
            let caches = above.caches(other);
            caches.take_in_transit(line);
            if caches.state(line) != LineState::Invalid {
                caches.lose(line);
            }
        }
        for (group, cache) in (0u32..).zip(&mut self.caches) {
            if group != core / self.cores_per_cache {
                cache.invalidate(line);
            }
        }
    }

    /// A core is about to store to a line that it has not read from its exclusive last-level cache: the copy there is old.
    pub(super) fn drop_superseded(&mut self, core: u32, line: PhysAddr) {
        if self.inclusion == Inclusion::Exclusive
            && let (Some(cache), _) = self.cache_of(core)
        {
            cache.invalidate(line);
        }
    }
}
