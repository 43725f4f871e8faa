// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads under way: the miss status holding registers of the shared levels.

use super::sample::{Done, RequestId, Sample};
use fresco_dram::{PhysAddr, Ps};
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// A line, and the last-level cache (group of cores) that waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub group: u32,
    pub line: PhysAddr,
}

/// A core that waits for a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    pub id: RequestId,
    pub core: u32,
    /// Time of its access.
    pub since: Ps,
}

/// A read that was sent to memory.
#[derive(Debug)]
struct Read {
    key: Key,
    first: Waiter,
    /// How long it was held back before it was sent.
    held: Ps,
    /// Reads of the same line that came later.
    joined: Vec<Waiter>,
    /// Of the first waiter, once it is known.
    sample: Option<Sample>,
}

/// Every read from the moment of its access until its data reach the core.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// By slot; a slot is what the controller knows a read by.
    reads: Vec<Option<Read>>,
    free: Vec<u32>,
    /// Never iterated over: the order of a hash table does not reach any result.
    slots: HashMap<Key, u32, BuildHasherDefault<KeyHasher>>,
    /// When the data of finished reads reach the core, then the read's name, then its slot; in ascending order. Reads
    /// finish nearly in this order, so most are appended.
    returns: VecDeque<(Ps, RequestId, u32)>,
}

impl Pending {
    /// If the line is under way, `waiter` waits for it too.
    #[inline]
    pub fn join(&mut self, key: Key, waiter: Waiter) -> bool {
        if self.slots.is_empty() {
            return false;
        }
        let Some(&slot) = self.slots.get(&key) else {
            return false;
        };
        let read = self.reads[slot as usize].as_mut().expect("the table holds live slots");
        read.joined.push(waiter);
        true
    }

    /// Notes a read that is sent or held back, and returns its slot. The line must not be under way.
    pub fn insert(&mut self, key: Key, first: Waiter) -> u32 {
        let read = Some(Read {
            key,
            first,
            held: 0,
            joined: Vec::new(),
            sample: None,
        });
        let slot = match self.free.pop() {
            Some(slot) => {
                self.reads[slot as usize] = read;
                slot
            }
            None => {
                self.reads.push(read);
                self.reads.len() as u32 - 1
            }
        };
        let before = self.slots.insert(key, slot);
        debug_assert!(before.is_none(), "{key:?} was already under way");
        slot
    }

    /// The read in `slot`, which was held back, is sent at `at`.
    pub fn sent(&mut self, slot: u32, at: Ps) {
        let read = self.reads[slot as usize].as_mut().expect("a read that waits is live");
        read.held = at - read.first.since;
    }

    /// Who waits for the read in `slot`, and how long it was held back.
    pub fn waiter(&self, slot: u32) -> (Waiter, Ps) {
        let read = self.reads[slot as usize].as_ref().expect("a read completes once");
        (read.first, read.held)
    }

    /// The data of the read in `slot` will be at the core at `at`.
    pub fn finish(&mut self, slot: u32, at: Ps, sample: Sample) {
        let read = self.reads[slot as usize].as_mut().expect("a read completes once");
        debug_assert!(read.sample.is_none(), "a read completes once");
        read.sample = Some(sample);
        let new = (at, read.first.id, slot);
        match self.returns.back() {
            Some(last) if *last > new => {
                let place = self.returns.partition_point(|other| *other < new);
                self.returns.insert(place, new);
            }
            _ => self.returns.push_back(new),
        }
    }

    /// When the next data reach a core, as far as is known.
    #[inline]
    pub fn next_return(&self) -> Option<Ps> {
        self.returns.front().map(|(at, ..)| *at)
    }

    /// Delivers everything that reaches a core up to and including `until`: by time, then by the name of the read, each
    /// followed by those that joined it.
    pub fn deliver(&mut self, until: Ps, done: &mut Vec<Done>) {
        while let Some(&(at, _, slot)) = self.returns.front().filter(|(at, ..)| *at <= until) {
            self.returns.pop_front();
            let read = self.reads[slot as usize].take().expect("a finished read is live");
            let sample = read.sample.expect("a finished read has a sample");
            self.free.push(slot);
            self.slots.remove(&read.key);
            let Waiter { id, core, .. } = read.first;
            done.push(Done { id, core, at, sample });
            done.extend(read.joined.iter().map(|waiter| Done {
                id: waiter.id,
                core: waiter.core,
                at,
                sample: sample.joined(at - waiter.since),
            }));
        }
    }

    /// Is no line under way?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Lines under way.
    pub fn len(&self) -> usize {
        self.slots.len()
    }
}

impl Sample {
    /// The sample of a read that joined this one `latency` before its data were there.
    fn joined(&self, latency: Ps) -> Self {
        Self {
            latency,
            path: 0,
            remote: 0,
            queue: 0,
            bank: 0,
            bus: 0,
            refresh: 0,
            service: 0,
            merged: latency,
            ..*self
        }
    }
}

/// Multiplication by the golden ratio (Knuth, The Art of Computer Programming 3, §6.4), folded so that low and high
/// bits are both good. Keys are addresses of our own making: nobody chooses them to collide.
#[derive(Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        let product = u128::from(self.0 ^ n) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}
