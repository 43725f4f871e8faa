// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which (bank color, LLC color) pairs exist.

use super::ColorError;
use super::dealt;
use super::domain::{Domain, Span};
use super::error::{MAX_DEALT_PAIRS, MAX_PAIRS};
use crate::gf2::{self, low_mask, row_reduce};
use std::collections::BTreeSet;
use std::ops::Range;

/// Blocks that are looked at before a machine is refused; a second's work.
const MAX_BLOCKS: u32 = 1 << 20;

/// One bit per pair: whether a frame has both colors (MAP-16, CON-5).
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    llc_colors: u32,
    exists: Box<[u64]>,
    count: u64,
}

impl Pairs {
    /// Tabulates the pairs of all frames of `domains`; `llc` are the usable LLC functions over physical addresses.
    ///
    /// Within an aligned block of addresses both colors are affine functions of the address, so the pairs of a block
    /// are one coset of a linear space.
    pub(super) fn new(domains: &[Domain], llc: &[u64], page_bits: u32) -> Result<Self, ColorError> {
        let bank_colors: u64 = domains.iter().map(|domain| u64::from(domain.colors())).sum();
        let llc_colors = 1u64.checked_shl(llc.len() as u32).unwrap_or(u64::MAX);
        let total = bank_colors.saturating_mul(llc_colors);
        let dealt = domains.iter().any(|domain| domain.interleave.is_some());
        let most = if dealt { MAX_DEALT_PAIRS } else { MAX_PAIRS };
        if total > most {
            return Err(ColorError::TooManyColors {
                bank: bank_colors,
                llc: llc_colors,
                most,
            });
        }
        let mut exists = vec![0u64; (total as usize).div_ceil(64)].into_boxed_slice();
        for domain in domains {
            if let Some(interleave) = domain.interleave {
                let first = u64::from(domain.first) << llc.len();
                let mut frames = vec![0; (domain.colors() as usize) << llc.len()];
                for span in &domain.spans {
                    let base = span.base - span.offset;
                    let part = (span, base..base + span.size);
                    dealt::count(domain, interleave, llc, page_bits, part, &mut frames);
                }
                for pair in (first..)
                    .zip(&frames)
                    .filter(|(_, frames)| **frames > 0)
                    .map(|(pair, _)| pair)
                {
                    exists[(pair / 64) as usize] |= 1 << (pair % 64);
                }
                continue;
            }
            for coset in cosets(domain, llc, page_bits)? {
                let first = u64::from(domain.first) << llc.len();
                for difference in gf2::span(&coset.basis) {
                    let pair = first + (coset.start ^ difference);
                    exists[(pair / 64) as usize] |= 1 << (pair % 64);
                }
            }
        }
        let count = exists.iter().map(|word| u64::from(word.count_ones())).sum();
        Ok(Self {
            llc_colors: 1 << llc.len(),
            exists,
            count,
        })
    }

    pub(super) fn exists(&self, bank: u32, llc: u32) -> bool {
        let pair = u64::from(bank) * u64::from(self.llc_colors) + u64::from(llc);
        self.exists[(pair / 64) as usize] >> (pair % 64) & 1 == 1
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn llc_colors(&self) -> u32 {
        self.llc_colors
    }
}

/// Adds to `frames`, by pair, how many frames of each there are in a range of addresses, which are whole pages. Members of a coset are
/// equally many in a block, and where a range is longer than the period of all functions it repeats.
pub(super) fn count(domain: &Domain, llc: &[u64], page_bits: u32, range: Range<u64>, frames: &mut [u64]) {
    let mut bases = Bases::of(domain, llc, page_bits);
    let first = u64::from(domain.first) << llc.len();
    for span in &domain.spans {
        let base = span.base.max(range.start);
        let Some(size) = (span.base + (span.size - 1)).min(range.end - 1).checked_sub(base) else {
            continue;
        };
        let size = size + 1;
        if let Some(interleave) = domain.interleave {
            let normalised = base - span.offset;
            let part = (span, normalised..normalised + size);
            let of_domain = &mut frames[first as usize..][..(domain.colors() as usize) << llc.len()];
            dealt::count(domain, interleave, llc, page_bits, part, of_domain);
            continue;
        }
        let period = period(llc, &domain.functions).max(1 << page_bits);
        let (times, rest) = (size / period, size % period);
        for (base, size, times) in [(base, period, times), (base + (size - rest), rest, 1)] {
            if times == 0 {
                continue;
            }
            let part = Span { base, size, ..*span };
            for (normalised, bits) in blocks(part, llc, &domain.functions) {
                let basis = bases.within(bits);
                let value = value(domain, llc, normalised, span.offset);
                let each = times << (bits - page_bits) >> basis.len();
                for difference in gf2::span(basis) {
                    frames[(first + (value ^ difference)) as usize] += each;
                }
            }
        }
    }
}

/// By how much pairs differ within a block.
struct Bases {
    /// Bits of a pair by bit of the address.
    columns: Vec<u64>,
    page_bits: u32,
    /// By bits of the block, once they are worked out.
    known: Vec<Option<Vec<u64>>>,
}

impl Bases {
    fn of(domain: &Domain, llc: &[u64], page_bits: u32) -> Self {
        let joint: Vec<u64> = llc.iter().chain(&domain.functions).copied().collect();
        Self {
            columns: gf2::transpose(&joint, 64),
            page_bits,
            known: vec![None; 65],
        }
    }

    /// A basis of the differences between pairs of a block of `2^bits` bytes.
    fn within(&mut self, bits: u32) -> &[u64] {
        let columns = &self.columns[self.page_bits as usize..bits as usize];
        self.known[bits as usize].get_or_insert_with(|| row_reduce(columns))
    }
}

/// The pair of a normalised address, counted from the domain's first one.
fn value(domain: &Domain, llc: &[u64], normalised: u64, offset: u64) -> u64 {
    (gf2::apply(&domain.functions, normalised) << llc.len()) | gf2::apply(llc, normalised + offset)
}

/// Bytes after which all functions repeat.
fn period(llc: &[u64], bank: &[u64]) -> u64 {
    let all = llc.iter().chain(bank).fold(0, |all, mask| all | mask);
    1u64.checked_shl(64 - all.leading_zeros()).unwrap_or(u64::MAX)
}

/// Pairs of one block, as (bank color bits) << (LLC bits) | (LLC color bits).
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Coset {
    basis: Vec<u64>,
    /// The member that holds no top bit of the basis: equal cosets compare equal.
    start: u64,
}

fn cosets(domain: &Domain, llc: &[u64], page_bits: u32) -> Result<BTreeSet<Coset>, ColorError> {
    let mut bases = Bases::of(domain, llc, page_bits);
    let mut cosets = BTreeSet::new();
    let mut blocks_left = MAX_BLOCKS;
    for span in &domain.spans {
        for (normalised, bits) in blocks(*span, llc, &domain.functions) {
            blocks_left = blocks_left
                .checked_sub(1)
                .ok_or(ColorError::FineOffset { offset: span.offset })?;
            let basis = bases.within(bits);
            let value = value(domain, llc, normalised, span.offset);
            let start = basis.iter().fold(value, |v, b| v.min(v ^ b));
            cosets.insert(Coset {
                basis: basis.to_vec(),
                start,
            });
        }
    }
    Ok(cosets)
}

/// Cuts a range into aligned blocks of `2^bits` normalised bytes, in which all functions are affine.
///
/// The LLC reads the physical address. If it reads only bits below the lowest set bit of the offset, these are the
/// normalised address's own and any aligned block will do; else blocks must not be larger than that bit, so that
/// adding the offset never carries inside one. Blocks behind the point where all functions repeat are left out.
fn blocks(span: Span, llc: &[u64], bank: &[u64]) -> impl Iterator<Item = (u64, u32)> {
    let still = span.offset.trailing_zeros();
    let read_by_llc = llc.iter().fold(0, |all, mask| all | mask);
    let largest = if read_by_llc & !low_mask(still) == 0 {
        63
    } else {
        still.min(63)
    };
    let mut address = span.base - span.offset;
    let mut left = if largest == 63 {
        span.size
    } else {
        span.size.min(period(llc, bank))
    };
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let bits = left.ilog2().min(address.trailing_zeros()).min(largest);
        let block = (address, bits);
        address += 1 << bits;
        left -= 1 << bits;
        Some(block)
    })
}
