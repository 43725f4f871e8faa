// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pairs of bank and LLC color where granules are dealt over an odd number of channels.
//!
//! The cache reads the physical address, the bank functions the quotient by the number of ways: no color is linear in
//! the other's bits. But multiplying by the ways is done bit by bit from the lowest, with a carry no greater than the
//! ways, so that frames are counted by (carry, pair) instead of one by one.

use super::domain::{Domain, Span};
use crate::gf2;
use crate::map::ModuloInterleave;
use std::ops::Range;

/// Adds to `frames` how many frames of each pair there are in a range of normalised addresses of `span`; of pairs as
/// (bank color counted from the domain's first one) << (number of LLC functions) | (LLC color). `range` is whole pages.
pub(super) fn count(
    domain: &Domain,
    interleave: ModuloInterleave,
    llc: &[u64],
    page_bits: u32,
    (span, range): (&Span, Range<u64>),
    frames: &mut [u64],
) {
    let pages = range.start >> page_bits..range.end >> page_bits;
    let pairs = 1usize << (domain.functions.len() + llc.len());
    for residue in 0..interleave.ways() {
        let digits = Digits::new(domain, interleave, llc, page_bits, residue, span.offset);
        let chosen = if domain.ways() > 1 { residue as usize } else { 0 };
        let of_way = &mut frames[chosen * pairs..(chosen + 1) * pairs];
        digits.count(digits.quotient(pages.start)..digits.quotient(pages.end), of_way);
    }
}

/// The pages of one residue: the way where a granule has whole pages, else which of the pages in a row that share a
/// color.
struct Digits {
    ways: u64,
    residue: u64,
    /// log2 of the pages in a granule, at least 0: low bits of a page number that dealing leaves alone.
    still: u32,
    /// What is added to `ways` times the quotient to make the physical page number.
    constant: u64,
    /// By bit of a page number within the way: the bits of a pair that the bank functions change.
    of_bank: Vec<u64>,
    /// By bit of a physical page number: the bits of a pair that the LLC functions change.
    of_llc: Vec<u64>,
}

impl Digits {
    fn new(
        domain: &Domain,
        interleave: ModuloInterleave,
        llc: &[u64],
        page_bits: u32,
        residue: u32,
        offset: u64,
    ) -> Self {
        let still = interleave.granule_bits().saturating_sub(page_bits);
        let residue = u64::from(residue);
        let columns = |functions: &[u64], shift: usize| -> Vec<u64> {
            let columns = gf2::transpose(functions, 64);
            columns[page_bits as usize..].iter().map(|bits| bits << shift).collect()
        };
        Self {
            ways: u64::from(interleave.ways()),
            residue,
            still,
            constant: (residue << still) + (offset >> page_bits),
            of_bank: columns(&domain.functions, llc.len()),
            of_llc: columns(llc, 0),
        }
    }

    /// How many pages of this residue lie below `page`; they are numbered within their way in the same order.
    fn quotient(&self, page: u64) -> u64 {
        let granule = page >> self.still;
        let whole = (granule + self.ways - 1 - self.residue) / self.ways;
        let begun = if granule % self.ways == self.residue {
            page & gf2::low_mask(self.still)
        } else {
            0
        };
        (whole << self.still) + begun
    }

    /// What digit `bit` of a number within the way does: the carry behind it, and the change of the pair.
    fn step(&self, bit: u32, digit: u64, carry: u64) -> (u64, u64) {
        let factor = if bit < self.still { 1 } else { self.ways };
        let sum = factor * digit + (self.constant >> bit & 1) + carry;
        let of_bank = self.of_bank[bit as usize] * digit;
        (sum >> 1, of_bank ^ (self.of_llc[bit as usize] * (sum & 1)))
    }

    /// Counts the pages whose number within the way is in `numbers`: aligned blocks of numbers, whose low digits take all
    /// values and whose high ones are fixed.
    fn count(&self, numbers: Range<u64>, frames: &mut [u64]) {
        let mut blocks: Vec<(u32, u64)> = aligned_blocks(numbers).collect();
        blocks.sort_unstable();
        let pairs = frames.len();
        // By carry and pair, how many of the lowest digits make them.
        let mut low = vec![0u64; (self.ways as usize + 1) * pairs];
        low[0] = 1;
        let mut bit = 0;
        for (free, first) in blocks {
            while bit < free {
                low = self.one_more(bit, &low, pairs);
                bit += 1;
            }
            for (carry, counts) in (0..).zip(low.chunks(pairs)) {
                let change = self.above(free, first, carry) as usize;
                let counted = counts.iter().enumerate().filter(|(_, count)| **count != 0);
                counted.for_each(|(pair, count)| frames[pair ^ change] += count);
            }
        }
    }

    /// The counts with digit `bit` taking both values.
    fn one_more(&self, bit: u32, low: &[u64], pairs: usize) -> Vec<u64> {
        let mut next = vec![0; low.len()];
        for (carry, counts) in (0..).zip(low.chunks(pairs)) {
            if counts.iter().all(|count| *count == 0) {
                continue;
            }
            for digit in [0, 1] {
                let (carry, change) = self.step(bit, digit, carry);
                let to = &mut next[carry as usize * pairs..][..pairs];
                for (pair, count) in counts.iter().enumerate() {
                    to[pair ^ change as usize] += count;
                }
            }
        }
        next
    }

    /// The change of a pair by the digits of `number` from `bit` up.
    fn above(&self, bit: u32, number: u64, mut carry: u64) -> u64 {
        let mut change = 0;
        for bit in bit..self.of_llc.len() as u32 {
            let (next, of_digit) = self.step(bit, number >> bit & 1, carry);
            carry = next;
            change ^= of_digit;
        }
        change
    }
}

/// Cuts a range into aligned blocks: log2 of the length, and the first number.
fn aligned_blocks(range: Range<u64>) -> impl Iterator<Item = (u32, u64)> {
    let Range { mut start, end } = range;
    std::iter::from_fn(move || {
        let left = end.checked_sub(start).filter(|left| *left > 0)?;
        let block = (left.ilog2().min(start.trailing_zeros()), start);
        start += 1 << block.0;
        Some(block)
    })
}
