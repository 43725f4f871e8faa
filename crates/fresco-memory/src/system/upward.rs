// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an inclusive or exclusive last-level cache does to the private caches above it.
//!
//! It does not know them: it says what has happened, in order, and who has both does as told before anything else happens.

use super::MemorySystem;
use crate::cache::Victim;
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::Inclusion;
use std::ops::Range;

/// Something that private caches are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upward {
    /// A line has left an inclusive cache: it leaves the private caches of all cores that [share](MemorySystem::sharers) that cache
    /// ([`PrivateCaches::invalidate`](crate::PrivateCaches::invalidate)), but for one that has yet to ask for it. If one of them held stores,
    /// and the line was not `dirty` here, it is written to memory ([`MemorySystem::write_through`]).
    Evicted {
        /// When.
        at: Ps,
        /// The core whose access displaced it.
        core: u32,
        /// The core that had brought it in.
        owner: u32,
        /// The line.
        line: PhysAddr,
        /// Whether it is on its way to memory already.
        dirty: bool,
    },
    /// An exclusive cache gave a line with stores back to a core: it is dirty there
    /// ([`PrivateCaches::make_dirty`](crate::PrivateCaches::make_dirty)), or written to memory if it is gone by now.
    Dirty {
        /// When.
        at: Ps,
        /// The core that read it.
        core: u32,
        /// The line.
        line: PhysAddr,
    },
}

impl MemorySystem {
    /// Returns true if the private caches are to be told something.
    #[inline]
    pub fn has_upward(&self) -> bool {
        !self.upward.is_empty()
    }

    /// Takes what the private caches are to be told, oldest first.
    pub fn take_upward(&mut self, out: &mut Vec<Upward>) {
        out.append(&mut self.upward);
    }

    /// The cores that share the last-level cache of `core`.
    pub fn sharers(&self, core: u32) -> Range<u32> {
        let first = core - core % self.cores_per_cache;
        first..(first + self.cores_per_cache).min(self.cores.len() as u32)
    }

    /// Returns true if a read of a line by a core waits for a cache that accepts no access.
    pub fn is_refused(&self, core: u32, line: PhysAddr) -> bool {
        self.blocking.has_refused(core, line)
    }

    /// Stores to a line of `owner` that private caches have lost go to memory at `at`, for an access of `core`; they count as a dirty line that
    /// left the last-level cache.
    pub fn write_through(&mut self, at: Ps, core: u32, owner: u32, line: PhysAddr) {
        if let (Some(cache), member) = self.cache_of(owner) {
            cache.count_write_back(member);
        }
        self.send_write(at, core, line);
    }

    /// Who of the [`sharers`](Self::sharers) of a core's cache brought in the line of `addr`; `None` if it is not in that cache.
    pub fn owner(&self, core: u32, addr: PhysAddr) -> Option<u32> {
        let cache = self.caches.get((core / self.cores_per_cache) as usize)?;
        let owner = cache.owner(PhysAddr(addr.0 & self.line_mask))?;
        Some(self.sharers(core).start + u32::from(owner))
    }

    /// The last-level cache of `core` is asked for a line at `at`. `None` if it has it; else the line that makes room for it.
    #[inline(always)]
    pub(super) fn look_in_cache(&mut self, at: Ps, core: u32, line: PhysAddr) -> Option<Option<Victim>> {
        if self.inclusion == Inclusion::Exclusive {
            return (!self.take_up(at, core, line)).then_some(None);
        }
        let (Some(cache), member) = self.cache_of(core) else {
            return Some(None);
        };
        let missed = cache.access_or_allocate(line, false, member);
        if let Some(Some(victim)) = missed {
            self.tell_evicted(at, core, victim);
        }
        missed
    }

    /// A line that an exclusive cache has goes to the core that asks; returns whether it does.
    fn take_up(&mut self, at: Ps, core: u32, line: PhysAddr) -> bool {
        let (Some(cache), member) = self.cache_of(core) else {
            return false;
        };
        let taken = cache.take(line, member);
        let dirty = taken.is_some_and(|taken| taken.dirty);
        self.upward.extend(dirty.then_some(Upward::Dirty { at, core, line }));
        taken.is_some()
    }

    /// A core joins a read of a line that its cache may have given up, or taken in, before the data came.
    #[inline]
    pub(super) fn joined(&mut self, at: Ps, core: u32, line: PhysAddr) {
        if self.inclusion != Inclusion::NonInclusive {
            self.joined_now(at, core, line);
        }
    }

    #[cold]
    fn joined_now(&mut self, at: Ps, core: u32, line: PhysAddr) {
        let exclusive = self.inclusion == Inclusion::Exclusive;
        let (Some(cache), member) = self.cache_of(core) else {
            return;
        };
        if exclusive {
            let taken = cache.invalidate(line).filter(|taken| taken.dirty);
            self.upward.extend(taken.map(|_| Upward::Dirty { at, core, line }));
        } else if !cache.contains(line)
            && let Some(victim) = cache.allocate(line, false, member)
        {
            self.tell_evicted(at, core, victim);
            if victim.dirty {
                self.send_write(at, core, victim.line);
            }
        }
    }

    /// A line has left a last-level cache for an access of `core`.
    #[inline]
    pub(super) fn tell_evicted(&mut self, at: Ps, core: u32, Victim { line, dirty, owner }: Victim) {
        if let Some(order) = &mut self.order {
            let cache = (core / self.cores_per_cache) as usize;
            order.displaced(cache, self.caches[cache].set_of(line));
        }
        if self.inclusion == Inclusion::Inclusive {
            let owner = self.sharers(core).start + u32::from(owner);
            self.upward.push(Upward::Evicted {
                at,
                core,
                owner,
                line,
                dirty,
            });
        }
    }
}
