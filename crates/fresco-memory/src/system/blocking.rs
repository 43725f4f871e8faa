// SPDX-License-Identifier: MIT OR Apache-2.0
//! A last-level cache all of whose miss registers are taken: it accepts no access until a line arrives.
//!
//! So a task that shares no line and no set with others still waits for their misses (Valsan, Yun, Farshchi: Taming
//! Non-blocking Caches to Improve Isolation in Multicore Real-Time Systems, RTAS 2016).

use super::MemorySystem;
use super::pending::{Pending, Waiter};
use super::sample::{Done, RequestId};
use crate::cache::Leaving;
use fresco_dram::{PhysAddr, Ps};
use std::collections::VecDeque;

/// An access that a cache did not accept when it came.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refused {
    Read { waiter: Waiter, line: PhysAddr },
    Leaving { core: u32, leaving: Leaving },
}

/// What waits for the caches, and what waited.
#[derive(Debug)]
pub(super) struct Blocking {
    /// Registers of each cache; no bound for a cache without a number of them.
    registers: usize,
    /// By cache, oldest first; none while a register is free.
    waiting: Vec<VecDeque<Refused>>,
    total: usize,
    /// Reads that waited and found their line: when it is there, which read, whose. In ascending order of time.
    hits: VecDeque<(Ps, RequestId, u32)>,
}

impl Blocking {
    /// So many registers for each of so many caches.
    pub fn new(registers: Option<u32>, caches: usize) -> Self {
        Self {
            registers: registers.map_or(usize::MAX, |registers| registers as usize),
            waiting: vec![VecDeque::new(); caches],
            total: 0,
            hits: VecDeque::new(),
        }
    }

    /// How many caches there are, or groups of cores without one.
    pub fn caches(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Returns true if the number of registers is bounded.
    pub fn may_refuse(&self) -> bool {
        self.registers < usize::MAX
    }

    /// Returns true if a cache accepts no access now.
    #[inline]
    pub fn is_blocked(&self, pending: &Pending, cache: u32) -> bool {
        pending.of_group(cache) >= self.registers
    }

    /// An access waits for its cache.
    #[cold]
    pub fn refuse(&mut self, cache: u32, access: Refused) {
        self.waiting[cache as usize].push_back(access);
        self.total += 1;
    }

    /// Returns true if a read of a line by a core waits.
    pub fn has_refused(&self, core: u32, line: PhysAddr) -> bool {
        let is_it = |access: &Refused| matches!(access, Refused::Read { waiter, line: of } if (waiter.core, *of) == (core, line));
        self.waiting.iter().flatten().any(is_it)
    }

    /// Returns true if any access waits, or waited and is not over.
    #[inline]
    pub fn is_felt(&self) -> bool {
        self.total > 0 || !self.hits.is_empty()
    }

    /// When the next read that waited and hit has its data.
    #[inline]
    pub fn next_hit(&self) -> Option<Ps> {
        self.hits.front().map(|(at, ..)| *at)
    }

    /// Reads that waited and hit, and have no data yet.
    pub fn hits(&self) -> usize {
        self.hits.len()
    }

    /// Delivers the hits whose data are there up to and including `until`.
    fn deliver(&mut self, until: Ps, done: &mut Vec<Done>) {
        while let Some(&(at, id, core)) = self.hits.front().filter(|(at, ..)| *at <= until) {
            self.hits.pop_front();
            done.push(Done {
                id,
                core,
                at,
                sample: None,
            });
        }
    }

    /// The oldest access that waits for a cache, which accepts it.
    fn accept(&mut self, cache: usize) -> Option<Refused> {
        let access = self.waiting[cache].pop_front()?;
        self.total -= 1;
        Some(access)
    }
}

impl MemorySystem {
    /// Returns true if a last-level cache may let accesses wait, so that what a core moves is not known when it asks.
    pub fn may_refuse(&self) -> bool {
        self.blocking.may_refuse()
    }

    /// Returns true if the last-level cache of `core` accepts no access now. Never of a cache without a number of miss registers.
    #[inline]
    pub fn is_blocked(&self, core: u32) -> bool {
        self.is_limited && self.blocking.is_blocked(&self.pending, core / self.cores_per_cache)
    }

    /// Registers may have become free at `now`: what waited for them goes on, as far as there are any.
    #[cold]
    pub(super) fn unblock(&mut self, now: Ps, done: &mut Vec<Done>) {
        self.blocking.deliver(now, done);
        for cache in 0..self.caches.len() {
            while !self.blocking.is_blocked(&self.pending, cache as u32)
                && let Some(access) = self.blocking.accept(cache)
            {
                match access {
                    Refused::Read { waiter, line } => self.read_late(now, line, waiter),
                    Refused::Leaving { core, leaving } => self.take_in(now, core, leaving),
                }
            }
        }
    }

    fn read_late(&mut self, now: Ps, line: PhysAddr, waiter: Waiter) {
        let blocked = &mut self.cores[waiter.core as usize].blocked;
        blocked.reads += 1;
        blocked.time_ps += now - waiter.since;
        if let Some(at) = self.look_up(now, line, waiter) {
            self.blocking.hits.push_back((at, waiter.id, waiter.core));
        }
    }
}
