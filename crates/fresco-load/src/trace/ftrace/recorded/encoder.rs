// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes what a thread does, run by run, into chunks.

use super::block::Block;
use super::coder::{Coder, SUCCESSORS};
use super::fetch::Fetches;
use super::pages::Pages;
use super::{AFTER, BLOCKS_FROM, ENTER, LEAVE, ORDER, SPECIAL, Special};
use crate::trace::ftrace::varint::{put, zigzag};

/// Accesses or runs after which a chunk ends.
const CHUNK: u64 = 1 << 20;

/// What a chunk counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs of blocks.
    pub runs: u64,
    /// Instructions.
    pub instructions: u64,
    /// Loads.
    pub loads: u64,
    /// Stores.
    pub stores: u64,
    /// Lines of code that were fetched, where that is known.
    pub fetches: u64,
}

impl Counts {
    /// Loads and stores.
    pub fn accesses(&self) -> u64 {
        self.loads + self.stores
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.instructions += other.instructions;
        self.loads += other.loads;
        self.stores += other.stores;
        self.fetches += other.fetches;
    }
}

/// A part of what a thread does, to be compressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The thread.
    pub thread: u16,
    /// What is in it.
    pub counts: Counts,
    /// Lists of bits, of branches, of addresses and of what is neither.
    pub(super) lists: [Vec<u8>; 4],
}

/// Encodes one thread.
#[derive(Debug)]
pub struct Encoder {
    coder: Coder,
    chunk: Chunk,
    bits: u64,
    count: u32,
    /// Pages that the thread has touched.
    pages: Pages,
    fetches: Fetches,
    /// Page of the code fetched last.
    code_page: u64,
    /// Pages that were touched first for their code, since they were asked for.
    code_pages: Vec<u64>,
}

impl Encoder {
    /// Of the thread with this number, below [`MAX_THREADS`](crate::trace::ftrace::MAX_THREADS).
    pub fn new(thread: u16) -> Self {
        Self {
            coder: Coder::new(),
            chunk: Chunk {
                thread,
                ..Chunk::default()
            },
            bits: 0,
            count: 0,
            pages: Pages::default(),
            fetches: Fetches::default(),
            code_page: u64::MAX,
            code_pages: Vec::new(),
        }
    }

    #[inline]
    fn bit(&mut self, bit: bool) {
        self.bits |= u64::from(bit) << self.count;
        self.count += 1;
        if self.count == 64 {
            self.chunk.lists[0].extend_from_slice(&self.bits.to_le_bytes());
            (self.bits, self.count) = (0, 0);
        }
    }

    /// Appends a run of `block`, which has the number `number`, with the addresses of its accesses, as many as it has.
    #[inline]
    pub fn run(&mut self, number: u32, block: &Block, addresses: &[u64]) {
        debug_assert_eq!(block.sites.len(), addresses.len());
        let hit = self.coder.expected() == number;
        self.bit(hit);
        let strides = if hit {
            self.coder.enter_expected(number, block.sites.len())
        } else {
            self.branch(number);
            self.coder.enter(number, block)
        };
        // The bits of this run are put together in a register of their own.
        let (mut bits, mut count) = (self.bits, self.count);
        let lists = &mut self.chunk.lists;
        let mut stores = 0;
        for ((site, stride), address) in block.sites.iter().zip(strides).zip(addresses) {
            let (expected, from) = if site.beside > 0 {
                let base = addresses[usize::from(site.beside) - 1];
                let expected = base.wrapping_add(site.distance);
                if (*address ^ base) >> 12 != 0 {
                    self.pages.touch(*address >> 12);
                }
                (expected, expected)
            } else {
                let last = stride.last;
                let expected = last.wrapping_add(stride.stride);
                stride.stride = address.wrapping_sub(last);
                stride.last = *address;
                if (*address ^ last) >> 12 != 0 || last == 0 {
                    self.pages.touch(*address >> 12);
                }
                (expected, last)
            };
            if address & 0xfff > 4096 - u64::from(site.size) {
                self.pages.touch(address.wrapping_add(u64::from(site.size) - 1) >> 12);
            }
            let hit = expected == *address;
            bits |= u64::from(hit) << count;
            count += 1;
            if count == 64 {
                lists[0].extend_from_slice(&bits.to_le_bytes());
                (bits, count) = (0, 0);
            }
            if !hit {
                put(&mut lists[2], zigzag(address.wrapping_sub(from)));
            }
            stores += u64::from(site.write);
        }
        (self.bits, self.count) = (bits, count);
        self.chunk.counts.stores += stores;
        self.chunk.counts.loads += block.sites.len() as u64 - stores;
        self.chunk.counts.runs += 1;
        self.chunk.counts.instructions += u64::from(block.instructions);
        if block.code.is_some() {
            self.fetch(block);
        }
    }

    /// Counts the lines of code that a run of `block` fetches.
    #[inline(never)]
    fn fetch(&mut self, block: &Block) {
        self.fetches.run(block, |_, line| {
            self.chunk.counts.fetches += 1;
            if line >> 12 != self.code_page {
                self.code_page = line >> 12;
                if self.pages.touch(self.code_page) {
                    self.code_pages.push(self.code_page);
                }
            }
        });
    }

    #[inline(never)]
    fn branch(&mut self, number: u32) {
        let list = &mut self.chunk.lists[1];
        match self.coder.successor(number) {
            Some(place) => list.push(1 + place as u8),
            None => put(list, BLOCKS_FROM + u64::from(number)),
        }
        const { assert!(BLOCKS_FROM == 1 + SUCCESSORS as u64) };
    }

    /// Appends something that is no run, before the next one.
    pub fn special(&mut self, special: Special) {
        self.bit(false);
        self.chunk.lists[1].push(SPECIAL);
        let list = &mut self.chunk.lists[3];
        let (tag, object, ticket) = match special {
            Special::Order { object, ticket, .. } => (ORDER, object, Some(ticket)),
            Special::After { object, ticket, .. } => (AFTER, object, Some(ticket)),
            Special::Mark { region, enters, .. } => (if enters { ENTER } else { LEAVE }, u16::from(region), None),
        };
        list.push(tag);
        put(list, u64::from(special.at()));
        put(list, u64::from(object));
        if let Some(ticket) = ticket {
            put(list, u64::from(ticket));
        }
    }

    /// Returns true if the chunk is long enough.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.chunk.counts.runs >= CHUNK || self.chunk.counts.accesses() >= CHUNK
    }

    /// Returns true if the chunk has nothing in it.
    pub fn is_empty(&self) -> bool {
        self.chunk.lists[1].is_empty() && self.chunk.counts == Counts::default()
    }

    /// The chunk as it is; the next one begins.
    pub fn take(&mut self) -> Chunk {
        if self.count > 0 {
            let bytes = self.count.div_ceil(8) as usize;
            self.chunk.lists[0].extend_from_slice(&self.bits.to_le_bytes()[..bytes]);
            (self.bits, self.count) = (0, 0);
        }
        self.coder.begin();
        self.fetches.begin();
        let thread = self.chunk.thread;
        std::mem::replace(
            &mut self.chunk,
            Chunk {
                thread,
                ..Chunk::default()
            },
        )
    }

    /// Pages that were touched for the first time since the last call, and for code, by number.
    pub fn fresh_code_pages(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.code_pages)
    }

    /// Pages touched for the first time since the last call, by number.
    pub fn fresh_pages(&mut self) -> std::vec::Drain<'_, u64> {
        self.pages.fresh()
    }
}
