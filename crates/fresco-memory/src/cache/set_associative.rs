// SPDX-License-Identifier: MIT OR Apache-2.0
//! One set-associative cache: tags, dirty bits, owners.

use super::group::{Group, LANES, empty_set, find, find_any, is_empty};
use super::index::{Index, Place};
use super::order::{Order, Side, Ways};
use super::stats::SourceStats;
use fresco_dram::PhysAddr;
use fresco_machine::CacheConfig;

/// A line that left a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Address of its first byte.
    pub line: PhysAddr,
    /// Whether it holds stores that the next level has not seen.
    pub dirty: bool,
    /// The source that had brought it in.
    pub owner: u16,
}

/// A write-back, write-allocate cache, with counters for each source (core) that uses it.
///
/// A lookup of up to eight ways touches one cache line of the host; nothing is allocated after construction.
#[derive(Clone, Debug)]
pub struct Cache {
    index: Index,
    ways: usize,
    groups_per_set: usize,
    groups: Vec<Group>,
    order: Order,
    /// By source: the ways that its lines may come into; `None` if any may come into all.
    masks: Option<Box<[Ways]>>,
    /// The way of each set that was used last, and whose use again changes no order; if there is none, one that is empty for ever.
    recent: Vec<u8>,
    stats: Vec<SourceStats>,
    /// Lines that left without having been used since they were prefetched.
    useless: u64,
}

impl Cache {
    /// Most ways a cache may have with LRU; with tree PLRU it is 64.
    pub const MAX_WAYS: u32 = 128;

    /// An empty cache for sources `0..sources`. `slice_functions` as in `LlcConfig`; empty for a cache in one piece.
    ///
    /// # Panics
    /// If sets, line or (with tree PLRU) ways are no power of two, or the ways are 0 or too many: a checked `Machine`
    /// has no such cache.
    pub fn new(config: &CacheConfig, slice_functions: &[u64], sources: u16) -> Self {
        let index = Index::new(config.sets(), config.line, slice_functions);
        Self::indexed(config, index, sources)
    }

    /// The same with any number of slices, which a hash chooses (`LlcConfig::hashed_slices`).
    ///
    /// # Panics
    /// As [`new`](Self::new), of sets of a slice.
    pub fn hashed(config: &CacheConfig, slices: u32, sources: u16) -> Self {
        Self::indexed(config, Index::hashed(config.sets(), config.line, slices), sources)
    }

    fn indexed(config: &CacheConfig, index: Index, sources: u16) -> Self {
        assert!(
            (1..=Self::MAX_WAYS).contains(&config.ways),
            "a cache has 1 to {} ways",
            Self::MAX_WAYS
        );
        let (sets, ways) = (config.sets() as usize, config.ways as usize);
        // Where a second use is noted, one way more is there that never holds anything.
        let notes_repeats = !Order::forgets_repeats(config.replacement);
        let empty = empty_set(ways + usize::from(notes_repeats));
        Self {
            index,
            ways,
            groups_per_set: empty.len(),
            groups: empty.repeat(sets),
            order: Order::new(config.replacement, sets, ways),
            masks: None,
            recent: vec![0; sets],
            stats: vec![SourceStats::default(); usize::from(sources)],
            useless: 0,
        }
    }

    /// A cache that lines can be [prefetched](Self::prefetch) into, of at most [`fresco_machine::Prefetch::MOST_LINES_OF_SET`] lines of the
    /// memory in a set.
    #[must_use]
    pub fn with_prefetches(mut self) -> Self {
        self.index.mark = Index::UNUSED;
        self
    }

    /// From now on lines of `source` come into these ways alone, bit n for way n. Lines are found in all ways, and those that lie elsewhere stay.
    ///
    /// # Panics
    /// If there is no such way, or none.
    pub fn set_ways(&mut self, source: u16, ways: u128) {
        let all = Ways::MAX >> (Ways::BITS as usize - self.ways);
        assert!(ways != 0 && ways & !all == 0, "a mask has ways of the cache");
        let sources = self.stats.len();
        let masks = self.masks.get_or_insert_with(|| vec![all; sources].into());
        masks[usize::from(source)] = ways;
    }

    /// A demand access by `source`: looks the line up, and if it is there, makes it the most recently used and, for a
    /// write, dirty. Returns whether it was there.
    // Always: the commonest of all, a hit in the first level, is a few instructions.
    #[inline(always)]
    pub fn access(&mut self, addr: PhysAddr, write: bool, source: u16) -> bool {
        self.demand(self.index.place(addr), write, source)
    }

    /// As [`access`](Self::access), but a line that is not here is brought in clean; `None` if it was here, else the line
    /// that had to make room, if there was one.
    #[inline]
    pub fn access_or_allocate(&mut self, addr: PhysAddr, write: bool, source: u16) -> Option<Option<Victim>> {
        let place = self.index.place(addr);
        let found = self.demand(place, write, source);
        (!found).then(|| self.allocate_at(place, false, source))
    }

    /// Looks a line up and counts whether it was there.
    #[inline(always)]
    fn demand(&mut self, place: Place, write: bool, source: u16) -> bool {
        let found = self.touch(place, write);
        let stats = &mut self.stats[usize::from(source)];
        if found {
            stats.hits += 1;
        } else {
            stats.misses += 1;
        }
        found
    }

    /// Brings in a line that is not here, for `source`; the line that has to make room is returned.
    pub fn allocate(&mut self, addr: PhysAddr, dirty: bool, source: u16) -> Option<Victim> {
        debug_assert!(!self.contains(addr), "{addr} is already cached");
        self.allocate_at(self.index.place(addr), dirty, source)
    }

    /// Brings in a line that is not here before it is asked for; the line that has to make room is returned. It is not found by
    /// [`access`](Self::access) before its [first use](Self::first_use).
    pub fn prefetch(&mut self, addr: PhysAddr, source: u16) -> Option<Victim> {
        debug_assert!(!self.contains(addr), "{addr} is already cached");
        let Place { set, tag } = self.index.place(addr);
        let tag = tag | self.index.mark;
        self.allocate_at(Place { set, tag }, false, source)
    }

    /// A demand access by `source` that has been counted as a miss: if the line was prefetched, it is used from now on, and the access is a
    /// hit. Returns whether it was.
    pub fn first_use(&mut self, addr: PhysAddr, write: bool, source: u16) -> bool {
        if !self.use_prefetched(addr, write) {
            return false;
        }
        let stats = &mut self.stats[usize::from(source)];
        stats.misses -= 1;
        stats.hits += 1;
        true
    }

    /// If the line was prefetched and not used since, it is used from now on, as by an access, but neither hit nor miss is counted. Returns whether
    /// it was.
    pub fn use_prefetched(&mut self, addr: PhysAddr, write: bool) -> bool {
        let Place { set, tag } = self.index.place(addr);
        let groups = &mut self.groups[set * self.groups_per_set..][..self.groups_per_set];
        let Some(way) = find(groups, tag | Index::UNUSED) else {
            return false;
        };
        groups[way / LANES].tags[way % LANES] = tag;
        self.touch(Place { set, tag }, write)
    }

    /// Lines that left without having been used since they were [prefetched](Self::prefetch).
    pub fn useless(&self) -> u64 {
        self.useless
    }

    fn allocate_at(&mut self, place: Place, dirty: bool, source: u16) -> Option<Victim> {
        let way = self.claim_way(place.set, source);
        self.recent[place.set] = match self.order {
            Order::Srrip(_) | Order::Qlru(_) => self.ways as u8,
            _ => way as u8,
        };
        let (group, lane) = (
            &mut self.groups[place.set * self.groups_per_set + way / LANES],
            way % LANES,
        );
        let victim = line_in(&self.index, place.set, group, lane);
        if let Some(victim) = victim {
            let stats = &mut self.stats[usize::from(victim.owner)];
            stats.evictions += 1;
            stats.evictions_by_others += u64::from(victim.owner != source);
            stats.write_backs += u64::from(victim.dirty);
            if self.index.mark != 0 {
                self.useless += u64::from(self.index.is_unused(group.tags[lane]));
            }
        }
        group.tags[lane] = place.tag;
        group.owners[lane] = source;
        group.dirty[lane] = dirty;
        victim
    }

    /// Takes a line from the level above or below, for `source`: if it is here, it becomes the most recently used and
    /// stays dirty if it was; else it is brought in and the line that has to make room is returned. No demand access,
    /// so neither a hit nor a miss is counted.
    pub fn fill(&mut self, addr: PhysAddr, dirty: bool, source: u16) -> Option<Victim> {
        let place = self.index.place(addr);
        if self.touch(place, dirty) {
            return None;
        }
        self.allocate_at(place, dirty, source)
    }

    /// Returns true if the line is here. Changes nothing.
    pub fn contains(&self, addr: PhysAddr) -> bool {
        self.owner(addr).is_some()
    }

    /// Makes the dirty lines that are `wanted` clean and appends them to `out`, by set, then by way. No access: neither the
    /// order of use nor a count changes.
    pub fn clean(&mut self, wanted: &impl Fn(PhysAddr) -> bool, out: &mut Vec<PhysAddr>) {
        for at in 0..self.groups.len() {
            if self.groups[at].dirty == [false; LANES] {
                continue;
            }
            let set = at / self.groups_per_set;
            for lane in 0..LANES {
                let group = &mut self.groups[at];
                if !group.dirty[lane] || group.tags[lane] == Index::NO_TAG {
                    continue;
                }
                let line = self.index.line_of(Place {
                    set,
                    tag: group.tags[lane],
                });
                if wanted(line) {
                    group.dirty[lane] = false;
                    out.push(line);
                }
            }
        }
    }

    /// Drops the line, and returns it if it was here. Its way is the next to be filled.
    pub fn invalidate(&mut self, addr: PhysAddr) -> Option<Victim> {
        let place = self.index.place(addr);
        let set = &mut self.groups[place.set * self.groups_per_set..][..self.groups_per_set];
        let way = find_any(set, place.tag, self.index.mark)?;
        self.order.demote(place.set, way);
        let (group, lane) = (&mut set[way / LANES], way % LANES);
        let victim = line_in(&self.index, place.set, group, lane);
        self.useless += u64::from(self.index.is_unused(group.tags[lane]));
        group.tags[lane] = Index::NO_TAG;
        // It holds nothing, so that the next use of another one counts.
        self.recent[place.set] = way as u8;
        victim
    }

    /// A demand access by `source` to a cache that keeps no line of the level above: the line, if it is here, goes there.
    pub fn take(&mut self, addr: PhysAddr, source: u16) -> Option<Victim> {
        let taken = self.invalidate(addr);
        let stats = &mut self.stats[usize::from(source)];
        stats.hits += u64::from(taken.is_some());
        stats.misses += u64::from(taken.is_none());
        taken
    }

    /// Makes the line dirty, if it is here; returns whether it is. No access: the order of use does not change.
    pub fn make_dirty(&mut self, addr: PhysAddr) -> bool {
        self.dirty_bit(addr).map(|dirty| *dirty = true).is_some()
    }

    /// Makes the line clean, if it is here; returns whether it was dirty. No access, either.
    pub fn make_clean(&mut self, addr: PhysAddr) -> bool {
        self.dirty_bit(addr).is_some_and(std::mem::take)
    }

    fn dirty_bit(&mut self, addr: PhysAddr) -> Option<&mut bool> {
        let (group, lane) = self.find_line(addr)?;
        Some(&mut self.groups[group].dirty[lane])
    }

    /// Returns true if the line is here, and dirty. Changes nothing.
    pub fn is_dirty(&self, addr: PhysAddr) -> bool {
        self.find_line(addr)
            .is_some_and(|(group, lane)| self.groups[group].dirty[lane])
    }

    /// A line of `source` that left clean was dirty in a level above after all.
    pub fn count_write_back(&mut self, source: u16) {
        self.stats[usize::from(source)].write_backs += 1;
    }

    /// Its sets, 1 or more.
    pub fn sets(&self) -> usize {
        self.recent.len()
    }

    /// Its ways, 1 or more.
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// The set that a line comes into, from 0 on.
    pub fn set_of(&self, addr: PhysAddr) -> usize {
        self.index.place(addr).set
    }

    /// The source that brought the line in, if it is here. Changes nothing.
    pub fn owner(&self, addr: PhysAddr) -> Option<u16> {
        let (group, lane) = self.find_line(addr)?;
        Some(self.groups[group].owners[lane])
    }

    /// The group of ways, of all, and the lane of it in which a line is, used or not.
    fn find_line(&self, addr: PhysAddr) -> Option<(usize, usize)> {
        let place = self.index.place(addr);
        let first = place.set * self.groups_per_set;
        let way = find_any(&self.groups[first..][..self.groups_per_set], place.tag, self.index.mark)?;
        Some((first + way / LANES, way % LANES))
    }

    /// All lines that are here, by set, then by way.
    pub fn lines(&self) -> impl Iterator<Item = Victim> + '_ {
        self.groups.iter().enumerate().flat_map(move |(at, group)| {
            (0..LANES).filter_map(move |lane| line_in(&self.index, at / self.groups_per_set, group, lane))
        })
    }

    /// Counters of each source.
    pub fn stats(&self) -> &[SourceStats] {
        &self.stats
    }

    /// Sets all counters to zero and keeps the lines: the end of a warm-up.
    pub fn reset_stats(&mut self) {
        self.stats.fill(SourceStats::default());
        self.useless = 0;
    }

    /// If the line is here, makes it the most recently used, and dirty if `write`.
    #[inline(always)]
    fn touch(&mut self, place: Place, write: bool) -> bool {
        let recent = usize::from(self.recent[place.set]);
        let group = &mut self.groups[place.set * self.groups_per_set + recent / LANES];
        if group.tags[recent % LANES] == place.tag {
            group.dirty[recent % LANES] |= write;
            return true;
        }
        self.touch_other(place, write)
    }

    /// The same of a line that is not the one of its set that was used last.
    fn touch_other(&mut self, place: Place, write: bool) -> bool {
        let set = &mut self.groups[place.set * self.groups_per_set..][..self.groups_per_set];
        let Some(way) = find(set, place.tag) else {
            return false;
        };
        // The next use of it may change ages of others.
        self.recent[place.set] = match self.order {
            Order::Qlru(_) => self.ways as u8,
            _ => way as u8,
        };
        set[way / LANES].dirty[way % LANES] |= write;
        self.order.touch(place.set, way);
        true
    }

    /// Chooses the way that the next line of a set goes to, an empty one if there is any, and notes its use.
    #[inline]
    fn claim_way(&mut self, set_number: usize, source: u16) -> usize {
        if self.masks.is_some() {
            return self.claim_masked(set_number, source);
        }
        let set = || &self.groups[set_number * self.groups_per_set..][..self.groups_per_set];
        self.order.claim(set_number, |side| match side {
            Side::First => find(set(), Index::NO_TAG).filter(|way| *way < self.ways),
            Side::Last => (0..self.ways).rfind(|way| is_empty(set(), *way)),
        })
    }

    /// The same where the ways of sources are limited.
    #[cold]
    fn claim_masked(&mut self, set_number: usize, source: u16) -> usize {
        let set = &self.groups[set_number * self.groups_per_set..][..self.groups_per_set];
        let all = Ways::MAX >> (Ways::BITS as usize - self.ways);
        let allowed = self.masks.as_ref().map_or(all, |masks| masks[usize::from(source)]);
        let empty = (0..self.ways).filter(|way| allowed >> way & 1 == 1 && is_empty(set, *way));
        let empty = empty.fold(0, |ways, way| ways | 1 << way);
        self.order.claim_among(set_number, allowed, empty)
    }
}

/// The line in a lane of a group of a set.
#[inline]
fn line_in(index: &Index, set: usize, group: &Group, lane: usize) -> Option<Victim> {
    let tag = group.tags[lane];
    (tag != Index::NO_TAG).then(|| Victim {
        line: index.line_of(Place { set, tag }),
        dirty: group.dirty[lane],
        owner: group.owners[lane],
    })
}
