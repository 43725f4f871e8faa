// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts what the loads of chunks depend on, as a reader will find it. To look at all would take as long as to record: of long
//! threads it is done for some.

use super::block::Block;
use super::decoder::{Decoder, Step};
use super::encoder::Chunk;
use super::follow::{Dependences, Follower};
use std::collections::BTreeMap;

/// Chunks of each thread that are looked at from its begin on, and after these one in so many.
const FIRST: u64 = 4;
const ONE_IN: u64 = 8;

/// Counts chunk by chunk.
pub struct Counter {
    /// Chunks of each thread so far.
    seen: BTreeMap<u16, u64>,
    decoder: Decoder,
    follower: Follower,
    addresses: Vec<u64>,
}

impl Default for Counter {
    fn default() -> Self {
        Self {
            seen: BTreeMap::new(),
            decoder: Decoder::new(),
            follower: Follower::default(),
            addresses: Vec::new(),
        }
    }
}

impl Counter {
    /// What the loads of `chunk`, the next one of its thread, depend on, which is made of `blocks`; nothing for those that are not looked
    /// at. It is decoded as a reader does it, so that a chunk which cannot be read is found before it is stored; with debug assertions every
    /// chunk is.
    ///
    /// # Errors
    /// The chunk cannot be read: a fault of who encoded it.
    pub fn count(&mut self, chunk: &Chunk, blocks: &[Block]) -> Result<Dependences, String> {
        let seen = self.seen.entry(chunk.thread).or_default();
        let is_looked_at = *seen < FIRST || seen.is_multiple_of(ONE_IN);
        *seen += 1;
        if !is_looked_at && !cfg!(debug_assertions) {
            return Ok(Dependences::default());
        }
        self.decoder.begin(chunk.clone());
        self.follower.begin();
        let mut found = Dependences::default();
        while let Some(step) = self.decoder.next(blocks, &mut self.addresses)? {
            let Step::Run(number) = step else { continue };
            let block = &blocks[number as usize];
            self.follower.run(block, &self.addresses, |site, _, needed| {
                if !site.write {
                    found.count(needed);
                }
            });
        }
        Ok(if is_looked_at { found } else { Dependences::default() })
    }
}
