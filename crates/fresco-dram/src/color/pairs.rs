// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which (bank colour, LLC colour) pairs exist.

use super::ColorError;
use super::domain::{Domain, Span};
use super::error::MAX_PAIRS;
use crate::gf2::{self, row_reduce};
use std::collections::BTreeSet;

/// One bit per pair: whether a frame has both colours (MAP-16, CON-5).
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    llc_colors: u32,
    exists: Box<[u64]>,
    count: u64,
}

impl Pairs {
    /// Tabulates the pairs of all frames of `domains`; `llc` are the usable LLC functions over physical addresses.
    ///
    /// Within an aligned block of addresses both colours are affine functions of the address, so the pairs of a block
    /// are one coset of a linear space. Blocks are cut so that subtracting the offset never carries inside one.
    pub(super) fn new(domains: &[Domain], llc: &[u64], page_bits: u32) -> Result<Self, ColorError> {
        let bank_colors: u64 = domains.iter().map(|domain| u64::from(domain.colors())).sum();
        let total = bank_colors << llc.len();
        if total > MAX_PAIRS {
            return Err(ColorError::TooManyColors {
                bank: bank_colors,
                llc: 1 << llc.len(),
            });
        }
        let mut exists = vec![0u64; (total as usize).div_ceil(64)].into_boxed_slice();
        for domain in domains {
            for coset in cosets(domain, llc, page_bits) {
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

/// Pairs of one block, as (bank colour bits) << (LLC bits) | (LLC colour bits).
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Coset {
    basis: Vec<u64>,
    /// The member that holds no top bit of the basis: equal cosets compare equal.
    start: u64,
}

fn cosets(domain: &Domain, llc: &[u64], page_bits: u32) -> BTreeSet<Coset> {
    let joint: Vec<u64> = llc.iter().chain(&domain.functions).copied().collect();
    let columns = gf2::transpose(&joint, 64);
    let mut cosets = BTreeSet::new();
    for span in &domain.spans {
        for (address, bits) in blocks(*span) {
            let basis = row_reduce(&columns[page_bits as usize..bits as usize]);
            let value = gf2::apply(&domain.functions, address - span.offset) << llc.len() | gf2::apply(llc, address);
            let start = basis.iter().fold(value, |v, b| v.min(v ^ b));
            cosets.insert(Coset { basis, start });
        }
    }
    cosets
}

/// Cuts a range into blocks of `2^bits` bytes that are aligned both physically and after subtracting the offset.
fn blocks(span: Span) -> impl Iterator<Item = (u64, u32)> {
    let mut address = span.base;
    let mut left = span.size;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let bits = left
            .ilog2()
            .min(address.trailing_zeros())
            .min(span.offset.trailing_zeros());
        let block = (address, bits);
        address += 1 << bits;
        left -= 1 << bits;
        Some(block)
    })
}
