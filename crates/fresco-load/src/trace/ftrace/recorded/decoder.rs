// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a chunk run by run.

use super::block::Block;
use super::bytes::Bytes;
use super::coder::{Coder, NO_BLOCK, SUCCESSORS};
use super::encoder::{Chunk, Counts};
use super::{AFTER, BLOCKS_FROM, ENTER, LEAVE, MOST_BLOCKS, MOST_REGIONS, OBJECTS, ORDER, SPECIAL, Special};
use crate::trace::ftrace::MAX_THREADS;
use crate::trace::ftrace::varint::{put, unzigzag};

/// Runs or accesses of a chunk, at most.
const MOST: u64 = 1 << 24;

impl Chunk {
    /// What is stored of it.
    pub(super) fn content(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lists.iter().map(Vec::len).sum::<usize>() + 64);
        let Counts {
            runs,
            instructions,
            loads,
            stores,
        } = self.counts;
        for value in [u64::from(self.thread), runs, instructions, loads, stores] {
            put(&mut out, value);
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
    pub(super) fn parse(content: &[u8]) -> Result<Self, String> {
        let mut bytes = Bytes(content);
        let thread = bytes.below(u64::from(MAX_THREADS), "thread")? as u16;
        let runs = bytes.below(MOST, "a number of runs")?;
        let instructions = bytes.integer()?;
        let loads = bytes.below(MOST, "a number of loads")?;
        let stores = bytes.below(MOST, "a number of stores")?;
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
    /// What has been read of each list.
    at: [usize; 4],
    bits: u64,
    left: u32,
    /// What has been read.
    done: Counts,
}

impl Decoder {
    pub fn new() -> Self {
        Self {
            coder: Coder::new(),
            chunk: Chunk::default(),
            at: [0; 4],
            bits: 0,
            left: 0,
            done: Counts::default(),
        }
    }

    /// Begins a chunk.
    pub fn begin(&mut self, chunk: Chunk) {
        self.coder.begin();
        (self.chunk, self.at, self.bits, self.left, self.done) = (chunk, [0; 4], 0, 0, Counts::default());
    }

    /// What has been read of the chunk.
    pub fn done(&self) -> &Counts {
        &self.done
    }

    #[cold]
    fn refill(&mut self) -> Result<(), String> {
        let rest = &self.chunk.lists[0][self.at[0]..];
        if rest.is_empty() {
            return Err("too few bits".into());
        }
        let taken = rest.len().min(8);
        let mut word = [0; 8];
        word[..taken].copy_from_slice(&rest[..taken]);
        self.at[0] += taken;
        (self.bits, self.left) = (u64::from_le_bytes(word), taken as u32 * 8);
        Ok(())
    }

    #[inline]
    fn bit(&mut self) -> Result<bool, String> {
        if self.left == 0 {
            self.refill()?;
        }
        let bit = self.bits & 1 == 1;
        self.bits >>= 1;
        self.left -= 1;
        Ok(bit)
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
        if self.done.runs == self.chunk.counts.runs && self.at[1] == self.chunk.lists[1].len() {
            return self.finish().map(|()| None);
        }
        let number = match self.bit()? {
            true => self.coder.expected(),
            false => match self.branch()? {
                Ok(number) => number,
                Err(special) => return Ok(Some(Step::Special(special))),
            },
        };
        let Some(block) = blocks.get(number as usize) else {
            return Err(unknown(number));
        };
        self.run(number, block, addresses)?;
        Ok(Some(Step::Run(number)))
    }

    #[inline]
    fn run(&mut self, number: u32, block: &Block, addresses: &mut Vec<u64>) -> Result<(), String> {
        let count = block.sites.len();
        addresses.clear();
        let wanted = (1u64 << (count & 63)) - 1;
        if count < 64 && self.left >= count as u32 && self.bits & wanted == wanted {
            // Far the commonest: everything is as expected.
            let strides = self.coder.enter(number, block);
            for (site, stride) in block.sites.iter().zip(strides) {
                let address = if site.beside > 0 {
                    addresses[usize::from(site.beside) - 1].wrapping_add(site.distance)
                } else {
                    stride.last = stride.last.wrapping_add(stride.stride);
                    stride.last
                };
                addresses.push(address);
                self.done.stores += u64::from(site.write);
            }
            self.bits = self.bits.checked_shr(count as u32).unwrap_or(0);
            self.left -= count as u32;
        } else {
            let mut hits = [0u64; super::MOST_SITES / 64];
            for place in 0..count {
                hits[place / 64] |= u64::from(self.bit()?) << (place % 64);
            }
            let strides = self.coder.enter(number, block);
            let list = &self.chunk.lists[2];
            for (place, (site, stride)) in block.sites.iter().zip(strides).enumerate() {
                let hit = hits[place / 64] >> (place % 64) & 1 == 1;
                let mut difference = 0;
                if !hit {
                    let mut bytes = Bytes(&list[self.at[2]..]);
                    let before = bytes.left();
                    difference = unzigzag(bytes.integer()?);
                    self.at[2] += before - bytes.left();
                }
                let address = if site.beside > 0 {
                    let expected = addresses[usize::from(site.beside) - 1].wrapping_add(site.distance);
                    expected.wrapping_add(difference)
                } else {
                    if !hit {
                        stride.stride = difference;
                    }
                    stride.last = stride.last.wrapping_add(stride.stride);
                    stride.last
                };
                addresses.push(address);
                self.done.stores += u64::from(site.write);
            }
        }
        self.done.runs += 1;
        self.done.instructions += u64::from(block.instructions);
        self.done.loads = self.done.loads.wrapping_add(count as u64);
        if self.done.runs > self.chunk.counts.runs {
            return Err("more runs than it says".into());
        }
        Ok(())
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
            ..self.done
        };
        if done != self.chunk.counts {
            return Err(format!("{done:?} where it says {:?}", self.chunk.counts));
        }
        let lengths = self.chunk.lists.each_ref().map(Vec::len);
        if self.at != lengths || self.bits != 0 || self.left >= 8 {
            return Err("more than it says".into());
        }
        Ok(())
    }
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
