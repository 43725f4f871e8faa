// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buddy lists by color: for each order, which colors a block's frames have (BPM-2).
//!
//! Within an aligned block the color is linear in the address. The keys of a block of `2^k` frames are thus the key of its
//! first frame and all that differ from it by sums of what the lowest `k` frame bits change. The block's *shade* is the
//! least of them: blocks of one order that hold the same keys have the same shade, others another.

use crate::{FrameError, MAX_ORDER, Memory};
use fresco_dram::{ColorSpace, FrameNumber};

/// Keys that the lists may tell apart: eleven lists each for every zone.
const MOST_KEYS: u32 = 1 << 16;

/// The shade of a block, by order and the key of its first frame.
pub(super) struct Shades {
    /// `[order][key]`.
    least: Vec<Vec<u32>>,
}

impl Shades {
    /// The shades of a machine. `key` tells the key of a frame, `llc` LLC colors go into the key of a bank color.
    ///
    /// # Errors
    /// [`FrameError::Memory`] for too many keys, or where colors are not linear within the blocks of the highest order.
    pub fn new(space: &ColorSpace, memory: &Memory, llc: u32, key: impl Fn(u32) -> u32) -> Result<Self, FrameError> {
        let keys = space.bank_colors() * llc;
        if keys > MOST_KEYS {
            let what = format!("buddy lists for each of {keys} colors; {MOST_KEYS} at most, leave out LLC colors");
            return Err(FrameError::Memory { what });
        }
        if space.parts().any(|part| part.interleave.is_some()) {
            let what = "colors do not repeat in aligned blocks where channels are no power of two; buddy lists by color need \
                        them to. Use palloc, camc or tintmalloc";
            return Err(FrameError::Memory { what: what.to_owned() });
        }
        let mut change = vec![0; keys as usize];
        let mut least = vec![(0..keys).collect::<Vec<u32>>()];
        let mut changes = Vec::new();
        for order in 0..MAX_ORDER {
            let bit = 1u64 << (space.page_bits() + order);
            let of_llc = of_functions(space.llc_functions(), bit) & (llc - 1);
            let parts: Vec<_> = space.parts().collect();
            for part in parts {
                let first = part.first_color * llc;
                let end = first + (llc << part.functions.len());
                let difference = (of_functions(part.functions, bit) * llc) | of_llc;
                change[first as usize..end as usize].fill(difference);
            }
            let below = &least[order as usize];
            let joined = (0..keys as usize).map(|key| below[key].min(below[key ^ change[key] as usize]));
            least.push(joined.collect());
            changes.push(change.clone());
        }
        let shades = Self { least };
        shades.agree(memory, &changes, key)?;
        Ok(shades)
    }

    /// An offset of the map that is no multiple of a block carries into the color bits.
    fn agree(&self, memory: &Memory, changes: &[Vec<u32>], key: impl Fn(u32) -> u32) -> Result<(), FrameError> {
        for region in memory.regions() {
            let end = region.first.0 + region.frames;
            for block in (region.first.0 >> MAX_ORDER)..((end - 1) >> MAX_ORDER) + 1 {
                for (order, change) in changes.iter().enumerate() {
                    // Each bit of the frame is looked at with all bits below it clear, and with all of them set.
                    for low in [0, (1u64 << order) - 1] {
                        let frame = (block << MAX_ORDER) + low;
                        let partner = frame | 1 << order;
                        if frame < region.first.0 || partner >= end {
                            continue;
                        }
                        let of_frame = key(frame as u32);
                        if of_frame ^ change[of_frame as usize] != key(partner as u32) {
                            let what = format!(
                                "colors at frame {} do not repeat in aligned blocks, because the address map subtracts an \
                                 odd offset; buddy lists by color need them to. Use palloc, camc or tintmalloc",
                                FrameNumber(frame)
                            );
                            return Err(FrameError::Memory { what });
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The shade of a block of an order, from the key of any of its frames.
    pub fn of(&self, order: u32, key: u32) -> u32 {
        self.least[order as usize][key as usize]
    }
}

/// Which of the functions read an address bit: function `i` is bit `i`.
fn of_functions(functions: &[u64], bit: u64) -> u32 {
    (0..)
        .zip(functions)
        .map(|(i, mask)| u32::from(mask & bit != 0) << i)
        .sum()
}
