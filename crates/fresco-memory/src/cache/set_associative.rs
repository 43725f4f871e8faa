// SPDX-License-Identifier: MIT OR Apache-2.0
//! One set-associative cache: tags, dirty bits, owners.

use super::index::{Index, Place};
use super::lru::Lru;
use super::stats::SourceStats;
use super::tree_plru::TreePlru;
use fresco_dram::PhysAddr;
use fresco_machine::{CacheConfig, Replacement};

/// A line that left a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Address of its first byte.
    pub line: PhysAddr,
    /// Does it hold stores that the next level has not seen?
    pub dirty: bool,
    /// The source that had brought it in.
    pub owner: u16,
}

/// A write-back, write-allocate cache, with counters for each source (core) that uses it.
///
/// Tags, states and replacement order lie in one array each, set after set: a lookup touches one or two host cache
/// lines per array, and nothing is allocated after construction.
#[derive(Clone, Debug)]
pub struct Cache {
    index: Index,
    /// Entries from one set to the next: the ways, rounded up to [`LANES`].
    stride: usize,
    ways: usize,
    tags: Vec<u32>,
    states: Vec<State>,
    order: Order,
    stats: Vec<SourceStats>,
}

/// Owner and dirty bit of one way.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    owner: u16,
    dirty: bool,
}

/// Tags compared together.
const LANES: usize = 4;

#[derive(Clone, Debug)]
enum Order {
    Lru(Lru),
    TreePlru(TreePlru),
}

impl Cache {
    /// Most ways a cache may have: 128 with LRU, 64 with tree PLRU.
    pub const MAX_WAYS: u32 = 128;

    /// An empty cache for sources `0..sources`. `slice_functions` as in `LlcConfig`; empty for a cache in one piece.
    ///
    /// # Panics
    /// If sets, line or (with tree PLRU) ways are no power of two, or the ways are 0 or too many: a checked `Machine`
    /// has no such cache.
    pub fn new(config: &CacheConfig, slice_functions: &[u64], sources: u16) -> Self {
        assert!((1..=Self::MAX_WAYS).contains(&config.ways), "a cache has 1 to {} ways", Self::MAX_WAYS);
        let (sets, ways) = (config.sets() as usize, config.ways as usize);
        let stride = ways.next_multiple_of(LANES);
        Self {
            index: Index::new(config.sets(), config.line, slice_functions),
            stride,
            ways,
            tags: vec![Index::NO_TAG; sets * stride],
            states: vec![State::default(); sets * stride],
            order: match config.replacement {
                Replacement::Lru => Order::Lru(Lru::new(sets, ways)),
                Replacement::TreePlru => Order::TreePlru(TreePlru::new(sets, ways)),
            },
            stats: vec![SourceStats::default(); usize::from(sources)],
        }
    }

    /// A demand access by `source`: looks the line up, and if it is there, makes it the most recently used and, for a
    /// write, dirty. Returns whether it was there.
    #[inline]
    pub fn access(&mut self, addr: PhysAddr, write: bool, source: u16) -> bool {
        let place = self.index.place(addr);
        let stats = &mut self.stats[usize::from(source)];
        let Some(way) = find(&self.tags[place.set * self.stride..][..self.stride], place.tag) else {
            stats.misses += 1;
            return false;
        };
        stats.hits += 1;
        self.states[place.set * self.stride + way].dirty |= write;
        self.order.touch(place.set, way);
        true
    }

    /// Brings in a line that is not here, for `source`; the line that has to make room is returned.
    pub fn allocate(&mut self, addr: PhysAddr, dirty: bool, source: u16) -> Option<Victim> {
        debug_assert!(!self.contains(addr), "{addr} is already cached");
        let place = self.index.place(addr);
        let way = self.way_to_fill(place.set);
        let at = place.set * self.stride + way;
        let victim = self.victim_at(place.set, way);
        if let Some(victim) = victim {
            let stats = &mut self.stats[usize::from(victim.owner)];
            stats.evictions += 1;
            stats.evictions_by_others += u64::from(victim.owner != source);
            stats.write_backs += u64::from(victim.dirty);
        }
        self.tags[at] = place.tag;
        self.states[at] = State { owner: source, dirty };
        self.order.touch(place.set, way);
        victim
    }

    /// Takes a line from the level above or below, for `source`: if it is here, it becomes the most recently used and
    /// stays dirty if it was; else it is brought in and the line that has to make room is returned. No demand access,
    /// so neither a hit nor a miss is counted.
    pub fn fill(&mut self, addr: PhysAddr, dirty: bool, source: u16) -> Option<Victim> {
        let place = self.index.place(addr);
        let Some(way) = self.find_at(place) else {
            return self.allocate(addr, dirty, source);
        };
        self.states[place.set * self.stride + way].dirty |= dirty;
        self.order.touch(place.set, way);
        None
    }

    /// Is the line here? Changes nothing.
    pub fn contains(&self, addr: PhysAddr) -> bool {
        self.find_at(self.index.place(addr)).is_some()
    }

    /// Drops the line, and returns it if it was here. Its way is the next to be filled.
    pub fn invalidate(&mut self, addr: PhysAddr) -> Option<Victim> {
        let place = self.index.place(addr);
        let way = self.find_at(place)?;
        let victim = self.victim_at(place.set, way);
        self.tags[place.set * self.stride + way] = Index::NO_TAG;
        self.order.demote(place.set, way);
        victim
    }

    /// Counters of each source.
    pub fn stats(&self) -> &[SourceStats] {
        &self.stats
    }

    /// Sets all counters to zero and keeps the lines: the end of a warm-up.
    pub fn reset_stats(&mut self) {
        self.stats.fill(SourceStats::default());
    }

    fn find_at(&self, place: Place) -> Option<usize> {
        find(&self.tags[place.set * self.stride..][..self.stride], place.tag)
    }

    /// The way the next line of a set goes to: an empty one if there is any.
    fn way_to_fill(&self, set: usize) -> usize {
        match &self.order {
            // Empty ways are never touched and so are always the oldest.
            Order::Lru(lru) => lru.victim(set),
            Order::TreePlru(plru) => {
                let tags = &self.tags[set * self.stride..][..self.ways];
                find_any(tags, Index::NO_TAG).unwrap_or_else(|| plru.victim(set))
            }
        }
    }

    fn victim_at(&self, set: usize, way: usize) -> Option<Victim> {
        let at = set * self.stride + way;
        let tag = self.tags[at];
        (tag != Index::NO_TAG).then(|| Victim {
            line: self.index.line_of(Place { set, tag }),
            dirty: self.states[at].dirty,
            owner: self.states[at].owner,
        })
    }
}

impl Order {
    #[inline]
    fn touch(&mut self, set: usize, way: usize) {
        match self {
            Self::Lru(lru) => lru.touch(set, way),
            Self::TreePlru(plru) => plru.touch(set, way),
        }
    }

    fn demote(&mut self, set: usize, way: usize) {
        match self {
            Self::Lru(lru) => lru.demote(set, way),
            Self::TreePlru(plru) => plru.demote(set, way),
        }
    }
}

/// The way that holds `tag`; `tags` is padded to a multiple of [`LANES`].
#[inline]
fn find(tags: &[u32], tag: u32) -> Option<usize> {
    for (group, lanes) in tags.chunks_exact(LANES).enumerate() {
        let lanes: &[u32; LANES] = lanes.try_into().expect("exact chunks");
        if lanes.iter().fold(false, |found, t| found | (*t == tag)) {
            return find_any(lanes, tag).map(|way| group * LANES + way);
        }
    }
    None
}

#[inline]
fn find_any(tags: &[u32], tag: u32) -> Option<usize> {
    tags.iter().position(|t| *t == tag)
}
