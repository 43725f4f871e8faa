// SPDX-License-Identifier: MIT OR Apache-2.0
//! What both ends of a chunk expect next: the same at both, so that only what is otherwise need be written.

use super::block::Block;

/// Number that no block has.
pub(super) const NO_BLOCK: u32 = u32::MAX;
/// Successors of a block that have short codes.
pub(super) const SUCCESSORS: usize = 3;
/// Entries of the table of what followed the last three blocks.
const HISTORY: usize = 1 << 15;

/// What is known of a block.
#[derive(Clone, Copy, Debug)]
struct State {
    /// Chunk of which this is.
    chunk: u32,
    /// Where its accesses begin in [`Coder::sites`].
    first: u32,
    /// What followed it, the latest first.
    successors: [u32; SUCCESSORS],
}

/// Where an access was the last time, and how far from the time before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stride {
    pub last: u64,
    pub stride: u64,
}

/// The expectations for one thread, which begin anew with each chunk.
#[derive(Debug)]
pub(super) struct Coder {
    chunk: u32,
    blocks: Vec<State>,
    sites: Vec<Stride>,
    /// Chunk and block.
    history: Box<[(u32, u32)]>,
    /// The block before, and a hash of it and those before.
    before: u32,
    hash: u32,
}

impl Coder {
    pub fn new() -> Self {
        Self {
            chunk: 1,
            blocks: Vec::new(),
            sites: Vec::new(),
            history: vec![(0, NO_BLOCK); HISTORY].into_boxed_slice(),
            before: NO_BLOCK,
            hash: 0,
        }
    }

    /// Begins a chunk.
    pub fn begin(&mut self) {
        self.chunk += 1;
        (self.before, self.hash) = (NO_BLOCK, 0);
    }

    /// The block that is expected next.
    #[inline]
    pub fn expected(&self) -> u32 {
        let (chunk, block) = self.history[self.hash as usize];
        if chunk == self.chunk { block } else { NO_BLOCK }
    }

    /// Which of the known successors of the block before this one is, if it is one.
    #[inline]
    pub fn successor(&self, block: u32) -> Option<usize> {
        let before = self.blocks.get(self.before as usize)?;
        before.successors.iter().position(|successor| *successor == block)
    }

    /// The known successor of the block before at a place.
    #[inline]
    pub fn successor_at(&self, place: usize) -> u32 {
        let before = self.blocks.get(self.before as usize);
        before.map_or(NO_BLOCK, |before| before.successors[place])
    }

    /// Learns that `block` is next, which is `number`; what is known of its accesses.
    #[inline]
    pub fn enter(&mut self, number: u32, block: &Block) -> &mut [Stride] {
        self.history[self.hash as usize] = (self.chunk, number);
        let index = number as usize;
        if index >= self.blocks.len() {
            let unknown = State {
                chunk: 0,
                first: u32::MAX,
                successors: [NO_BLOCK; SUCCESSORS],
            };
            self.blocks.resize(index + 1, unknown);
        }
        let state = &mut self.blocks[index];
        if state.chunk != self.chunk {
            if state.first == u32::MAX {
                state.first = self.sites.len() as u32;
                self.sites
                    .resize(self.sites.len() + block.sites.len(), Stride::default());
            }
            (state.chunk, state.successors) = (self.chunk, [NO_BLOCK; SUCCESSORS]);
            let first = state.first as usize;
            self.sites[first..first + block.sites.len()].fill(Stride::default());
        }
        self.go_on(number, block.sites.len())
    }

    /// Learns that the block that was expected, `number`, is next; what is known of its `count` accesses.
    #[inline]
    pub fn enter_expected(&mut self, number: u32, count: usize) -> &mut [Stride] {
        debug_assert_eq!(number, self.expected());
        debug_assert_eq!(
            self.blocks[number as usize].chunk, self.chunk,
            "what is expected was there"
        );
        self.go_on(number, count)
    }

    #[inline]
    fn go_on(&mut self, number: u32, count: usize) -> &mut [Stride] {
        if let Some(before) = self.blocks.get_mut(self.before as usize)
            && before.successors[0] != number
        {
            let place = before.successors.iter().position(|successor| *successor == number);
            let place = place.unwrap_or(SUCCESSORS - 1);
            before.successors[..=place].rotate_right(1);
            before.successors[0] = number;
        }
        self.hash = self.hash_with(number);
        self.before = number;
        self.strides(number, count)
    }

    /// The hash after a block.
    #[inline]
    fn hash_with(&self, number: u32) -> u32 {
        // Three blocks of five bits each of shift remain in the fifteen bits.
        let mixed = number.wrapping_mul(0x9e37_79b1) >> 17;
        (self.hash << 5 ^ mixed) & (HISTORY as u32 - 1)
    }

    /// What is known of the accesses of a block that was entered.
    #[inline]
    pub fn strides(&mut self, number: u32, count: usize) -> &mut [Stride] {
        let first = self.blocks[number as usize].first as usize;
        &mut self.sites[first..first + count]
    }

    /// Returns true if `number`, which was entered last, is expected again and would change nothing here if it came: a loop of one block
    /// that has turned a few times.
    #[inline]
    pub fn repeats(&self, number: u32) -> bool {
        let state = &self.blocks[number as usize];
        state.successors[0] == number && self.expected() == number && self.hash_with(number) == self.hash
    }
}
