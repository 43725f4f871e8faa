// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts what the loads of chunks depend on, as a reader will find it.

use super::block::Block;
use super::decoder::{Decoder, Step};
use super::encoder::Chunk;
use super::follow::{Dependences, Follower};

/// Counts chunk by chunk.
pub struct Counter {
    decoder: Decoder,
    follower: Follower,
    addresses: Vec<u64>,
}

impl Default for Counter {
    fn default() -> Self {
        Self {
            decoder: Decoder::new(),
            follower: Follower::default(),
            addresses: Vec::new(),
        }
    }
}

impl Counter {
    /// What the loads of `chunk` depend on, which is made of `blocks`. It is decoded as a reader does it, so that a chunk which cannot be
    /// read is found before it is stored.
    ///
    /// # Errors
    /// The chunk cannot be read: a fault of who encoded it.
    pub fn count(&mut self, chunk: &Chunk, blocks: &[Block]) -> Result<Dependences, String> {
        self.decoder.begin(chunk.clone());
        self.follower.begin();
        let mut found = Dependences::default();
        while let Some(step) = self.decoder.next(blocks, &mut self.addresses)? {
            let Step::Run(number) = step else { continue };
            let block = &blocks[number as usize];
            self.follower.run(block, &self.addresses, |place, needed| {
                if !block.sites[place].write {
                    found.count(needed);
                }
            });
        }
        Ok(found)
    }
}
