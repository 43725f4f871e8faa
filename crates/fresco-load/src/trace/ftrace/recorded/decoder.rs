// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a chunk run by run.

use super::bits::Bits;
use super::block::{Block, Site};
use super::bytes::Bytes;
use super::coder::{Coder, NO_BLOCK, SUCCESSORS, Stride};
use super::encoder::{Chunk, Counts};
use super::{AFTER, BLOCKS_FROM, ENTER, LEAVE, MOST_BLOCKS, MOST_REGIONS, OBJECTS, ORDER, SPECIAL, Special};
use crate::trace::ftrace::MAX_THREADS;
use crate::trace::ftrace::varint::{put, unzigzag};

/// Runs or accesses of a chunk, at most.
const MOST: u64 = 1 << 24;
/// Fetches of a chunk, at most.
const MOST_FETCHES: u64 = 1 << 40;

impl Chunk {
    /// What is stored of it, in a trace with or without fetches.
    pub(super) fn content(&self, fetches: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lists.iter().map(Vec::len).sum::<usize>() + 64);
        let Counts {
            runs,
            instructions,
            loads,
            stores,
            fetches: fetched,
        } = self.counts;
        for value in [u64::from(self.thread), runs, instructions, loads, stores] {
            put(&mut out, value);
        }
        if fetches {
            put(&mut out, fetched);
        }
        for list in &self.lists {
            put(&mut out, list.len() as u64);
        }
        for list in &self.lists {
            out.extend_from_slice(list);
        }
        out
    }

    /// What is stored, read again.
    pub(super) fn parse(content: &[u8], fetches: bool) -> Result<Self, String> {
        let mut bytes = Bytes(content);
        let thread = bytes.below(u64::from(MAX_THREADS), "thread")? as u16;
        let runs = bytes.below(MOST, "a number of runs")?;
        let instructions = bytes.integer()?;
        let loads = bytes.below(MOST, "a number of loads")?;
        let stores = bytes.below(MOST, "a number of stores")?;
        let fetches = if fetches {
            bytes.below(MOST_FETCHES, "a number of fetches")?
        } else {
            0
        };
        let mut lengths = [0; 4];
        for length in &mut lengths {
            *length = bytes.below(content.len() as u64 + 1, "a length")? as usize;
        }
        let mut lists = [const { Vec::new() }; 4];
        for (list, length) in lists.iter_mut().zip(lengths) {
            *list = bytes.take(length)?.0.to_vec();
        }
        bytes.finish()?;
        Ok(Self {
            thread,
            counts: Counts {
                runs,
                instructions,
                loads,
                stores,
                fetches,
            },
            lists,
        })
    }
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A run of the block with this number.
    Run(u32),
    /// Something else.
    Special(Special),
}

/// Decodes the chunks of one thread, or of several one after the other.
#[derive(Debug)]
pub(super) struct Decoder {
    coder: Coder,
    chunk: Chunk,
    /// What has been read of the first list.
    bits: Bits,
    /// What has been read of each list; of the first one 0.
    at: [usize; 4],
    /// What has been read.
    done: Counts,
}

impl Decoder {
    pub fn new() -> Self {
        Self {
            coder: Coder::new(),
            chunk: Chunk::default(),
            bits: Bits::default(),
            at: [0; 4],
            done: Counts::default(),
        }
    }

    /// Begins a chunk.
    pub fn begin(&mut self, chunk: Chunk) {
        self.coder.begin();
        (self.chunk, self.at, self.bits, self.done) = (chunk, [0; 4], Bits::default(), Counts::default());
    }

    /// Fetches that the chunk says it has: they follow from its blocks, and are not counted here.
    pub fn said_fetches(&self) -> u64 {
        self.chunk.counts.fetches
    }

    /// What has been read of the chunk, but the fetches.
    pub fn done(&self) -> &Counts {
        &self.done
    }

    #[inline]
    fn integer(&mut self, list: usize) -> Result<u64, String> {
        let mut bytes = Bytes(&self.chunk.lists[list][self.at[list]..]);
        let before = bytes.left();
        let value = bytes.integer()?;
        self.at[list] += before - bytes.left();
        Ok(value)
    }

    /// What comes next, `None` at the end of the chunk. Addresses of a run replace those in `addresses`.
    #[inline]
    pub fn next(&mut self, blocks: &[Block], addresses: &mut Vec<u64>) -> Result<Option<Step>, String> {
        match self.next_expected(blocks, addresses) {
            Some(number) => Ok(Some(Step::Run(number))),
            None => self.next_of_any(blocks, addresses),
        }
    }

    /// The commonest of all that may come next: a run of the block that is expected, with each access where it is expected, so nothing but
    /// ones. `None` for anything else, which [`Self::next`] tells.
    #[inline(always)]
    pub fn next_expected(&mut self, blocks: &[Block], addresses: &mut Vec<u64>) -> Option<u32> {
        let number = self.coder.expected();
        let block = blocks.get(number as usize)?;
        let count = block.sites.len();
        if self.done.runs == self.chunk.counts.runs
            || count >= 57
            || !self.bits.take_ones(&self.chunk.lists[0], count as u32 + 1)
        {
            return None;
        }
        let strides = self.coder.enter_expected(number, count);
        addresses.clear();
        addresses.resize(count, 0);
        self.done.stores += as_expected(&block.sites, strides, addresses, 0);
        self.count(block, 1);
        Some(number)
    }

    /// More runs of the block that [`Self::next_expected`] told, as far as nothing but ones comes for them: `most` at most. Their addresses
    /// are appended; returns how many runs these are.
    #[inline]
    pub fn repeat_expected(&mut self, number: u32, block: &Block, most: usize, addresses: &mut Vec<u64>) -> usize {
        if !self.coder.repeats(number) {
            return 0;
        }
        let count = block.sites.len();
        let left = (self.chunk.counts.runs - self.done.runs) as usize;
        let runs = most.min(left).min(self.bits.ones() as usize / (count + 1));
        self.bits.skip_ones((runs * (count + 1)) as u32);
        let strides = self.coder.strides(number, count);
        let first = addresses.len();
        addresses.resize(first + runs * count, 0);
        let mut rest = &mut addresses[first..];
        for _ in 0..runs {
            let (own, others) = rest.split_at_mut(count);
            self.done.stores += as_expected(&block.sites, strides, own, 0);
            rest = others;
        }
        self.count(block, runs);
        runs
    }

    #[inline(never)]
    fn next_of_any(&mut self, blocks: &[Block], addresses: &mut Vec<u64>) -> Result<Option<Step>, String> {
        if self.done.runs == self.chunk.counts.runs && self.at[1] == self.chunk.lists[1].len() {
            return self.finish().map(|()| None);
        }
        let number = match self.bits.take(&self.chunk.lists[0], 1)? {
            1 => self.coder.expected(),
            _ => match self.branch()? {
                Ok(number) => number,
                Err(special) => return Ok(Some(Step::Special(special))),
            },
        };
        let Some(block) = blocks.get(number as usize) else {
            return Err(unknown(number));
        };
        if self.done.runs == self.chunk.counts.runs {
            return Err("more runs than it says".into());
        }
        self.run(number, block, addresses)?;
        Ok(Some(Step::Run(number)))
    }

    #[inline]
    fn run(&mut self, number: u32, block: &Block, addresses: &mut Vec<u64>) -> Result<(), String> {
        addresses.clear();
        addresses.resize(block.sites.len(), 0);
        let strides = self.coder.enter(number, block);
        let [hits, _, differences, _] = &self.chunk.lists;
        let pieces = block.sites.chunks(64).zip(strides.chunks_mut(64));
        for (number, (sites, strides)) in pieces.enumerate() {
            let (hits, from) = (self.bits.take(hits, sites.len() as u32)?, 64 * number);
            if hits == u64::MAX >> (64 - sites.len()) {
                self.done.stores += as_expected(sites, strides, addresses, from);
            } else {
                let differences = &differences[self.at[2]..];
                let (bytes, stores) = differing(sites, strides, (hits, differences), addresses, from)?;
                self.at[2] += bytes;
                self.done.stores += stores;
            }
        }
        self.count(block, 1);
        Ok(())
    }

    /// Counts runs.
    #[inline]
    fn count(&mut self, block: &Block, runs: usize) {
        let runs = runs as u64;
        self.done.runs += runs;
        self.done.instructions += runs * u64::from(block.instructions);
        self.done.loads = self.done.loads.wrapping_add(runs * block.sites.len() as u64);
    }

    #[inline(never)]
    fn branch(&mut self) -> Result<Result<u32, Special>, String> {
        let code = self.integer(1)?;
        if code == u64::from(SPECIAL) {
            return self.special().map(Err);
        }
        if code < BLOCKS_FROM {
            let place = code as usize - 1;
            debug_assert!(place < SUCCESSORS);
            return Ok(Ok(self.coder.successor_at(place)));
        }
        match code - BLOCKS_FROM {
            number if number < MOST_BLOCKS as u64 => Ok(Ok(number as u32)),
            number => Err(format!("block {number}")),
        }
    }

    fn special(&mut self) -> Result<Special, String> {
        let mut bytes = Bytes(self.chunk.lists[3].get(self.at[3]..).unwrap_or_default());
        let before = bytes.left();
        let special = special(&mut bytes)?;
        self.at[3] += before - bytes.left();
        Ok(special)
    }

    /// Checks that the chunk was what it said.
    #[cold]
    fn finish(&mut self) -> Result<(), String> {
        // Loads were counted with the stores.
        let done = Counts {
            loads: self.done.loads.wrapping_sub(self.done.stores),
            fetches: self.said_fetches(),
            ..self.done
        };
        if done != self.chunk.counts {
            return Err(format!("{done:?} where it says {:?}", self.chunk.counts));
        }
        let lengths = self.chunk.lists.each_ref().map(Vec::len);
        if self.at[1..] != lengths[1..] || !self.bits.is_over(&self.chunk.lists[0]) {
            return Err("more than it says".into());
        }
        Ok(())
    }
}

/// The addresses of the accesses from place `from` of a run on, which are all where they are expected, far the commonest; how many of
/// them are stores.
#[inline(always)]
fn as_expected(sites: &[Site], strides: &mut [Stride], addresses: &mut [u64], from: usize) -> u64 {
    let mut stores = 0;
    for (place, (site, stride)) in (from..).zip(sites.iter().zip(strides)) {
        addresses[place] = if site.beside > 0 {
            addresses[usize::from(site.beside) - 1].wrapping_add(site.distance)
        } else {
            stride.last = stride.last.wrapping_add(stride.stride);
            stride.last
        };
        stores += u64::from(site.write);
    }
    stores
}

/// The same of accesses of which those are where they are expected that have a bit in `hits`, and the others so far from there as
/// `differences` say; how many bytes of these were read, and how many are stores.
fn differing(
    sites: &[Site],
    strides: &mut [Stride],
    (mut hits, differences): (u64, &[u8]),
    addresses: &mut [u64],
    from: usize,
) -> Result<(usize, u64), String> {
    let (mut bytes, mut stores) = (Bytes(differences), 0);
    for (place, (site, stride)) in (from..).zip(sites.iter().zip(strides)) {
        let hit = hits & 1 == 1;
        hits >>= 1;
        let difference = if hit { 0 } else { unzigzag(bytes.integer()?) };
        addresses[place] = if site.beside > 0 {
            let expected = addresses[usize::from(site.beside) - 1].wrapping_add(site.distance);
            expected.wrapping_add(difference)
        } else {
            if !hit {
                stride.stride = difference;
            }
            stride.last = stride.last.wrapping_add(stride.stride);
            stride.last
        };
        stores += u64::from(site.write);
    }
    Ok((differences.len() - bytes.left(), stores))
}

/// The next entry of a list of specials.
fn special(bytes: &mut Bytes<'_>) -> Result<Special, String> {
    let tag = bytes.byte()?;
    let at = bytes.below(1 << 16, "a place")? as u16;
    match tag {
        ORDER | AFTER => {
            let object = bytes.below(u64::from(OBJECTS), "an object")? as u16;
            let ticket = bytes.below(u64::from(u32::MAX), "a ticket")? as u32;
            Ok(match tag {
                ORDER => Special::Order { at, object, ticket },
                _ => Special::After { at, object, ticket },
            })
        }
        ENTER | LEAVE => Ok(Special::Mark {
            at,
            region: bytes.below(MOST_REGIONS as u64, "a region")? as u8,
            enters: tag == ENTER,
        }),
        _ => Err(format!("an event of kind {tag}")),
    }
}

impl Chunk {
    /// The orders in it, without their places.
    pub(super) fn orders(&self) -> Result<Vec<(u16, u32)>, String> {
        let (mut bytes, mut orders) = (Bytes(&self.lists[3]), Vec::new());
        while bytes.left() > 0 {
            if let Special::Order { object, ticket, .. } = special(&mut bytes)? {
                orders.push((object, ticket));
            }
        }
        Ok(orders)
    }
}

#[cold]
fn unknown(number: u32) -> String {
    match number {
        NO_BLOCK => "a block where none can be expected".into(),
        number => format!("block {number}, which is not defined"),
    }
}
