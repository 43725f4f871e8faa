// SPDX-License-Identifier: MIT OR Apache-2.0
//! What banks and last-level cache share: the overlapped bits (O-bits) of BPM.

use super::ColorSpace;
use super::domain::Domain;
use crate::gf2::{self, Elimination, combine, low_mask, row_reduce};

impl ColorSpace {
    /// Sums of functions that the bank color and the LLC color both decide, reduced: choosing them partitions banks
    /// and cache at once (MAP-16, PAL-12). For plain bits, these are the overlapping bits.
    ///
    /// Where an address offset may carry into a bit, the cache (which is indexed by the physical address) and the
    /// bank functions (which read the address behind the subtraction) do not share it. Where granules are dealt over
    /// channels, pairs of colors decide it. Where nodes are fixed by range, only what all nodes share is listed.
    pub fn overlap(&self) -> Vec<u64> {
        let mut shared = row_reduce(self.llc_functions());
        for domain in self.domains() {
            let of_banks = match domain.interleave {
                None => unmoved(domain),
                Some(_) => self.decided(domain),
            };
            shared = intersection(&shared, &of_banks);
        }
        shared
    }

    /// The sums of LLC functions that are the same for all pages of each bank color of a domain: those that no two LLC
    /// colors of a bank color differ by.
    fn decided(&self, domain: &Domain) -> Vec<u64> {
        let (mut differences, mut known) = (Vec::new(), Elimination::new());
        let width = self.llc_functions().len() as u32;
        for bank in domain.first..domain.first + domain.colors() {
            let mut of_bank = (0..self.llc_colors()).filter(|&llc| self.pair_exists(bank, llc));
            let Some(first) = of_bank.next() else { continue };
            for difference in of_bank.map(|llc| u64::from(first ^ llc)) {
                if known.express(difference).is_none() {
                    known.insert(difference);
                    differences.push(difference);
                }
            }
        }
        gf2::null_space(&differences, width)
            .into_iter()
            .map(|sum| combine(self.llc_functions(), sum))
            .collect()
    }

    /// The LLC colors that pages of a bank color have, ascending.
    pub fn llc_colors_of(&self, bank_color: u32) -> Vec<u32> {
        (0..self.llc_colors())
            .filter(|&llc| self.pair_exists(bank_color, llc))
            .collect()
    }

    /// The bank colors that pages of an LLC color have, ascending.
    pub fn bank_colors_of(&self, llc_color: u32) -> Vec<u32> {
        (0..self.bank_colors())
            .filter(|&bank| self.pair_exists(bank, llc_color))
            .collect()
    }

    /// The pairs that exist out of a demand for some bank colors and some LLC colors together, in ascending order.
    /// Colors of the demand that no pair contains can never be served (MAP-16).
    pub fn existing_pairs(&self, bank_colors: &[u32], llc_colors: &[u32]) -> Vec<(u32, u32)> {
        let mut pairs: Vec<(u32, u32)> = bank_colors
            .iter()
            .flat_map(|&bank| llc_colors.iter().map(move |&llc| (bank, llc)))
            .filter(|&(bank, llc)| self.pair_exists(bank, llc))
            .collect();
        pairs.sort_unstable();
        pairs
    }
}

/// The sums of a domain's color functions whose bits no offset can change.
fn unmoved(domain: &Domain) -> Vec<u64> {
    // Subtracting a multiple of 2^z leaves the bits below z alone.
    let zeros = domain
        .spans
        .iter()
        .map(|span| span.offset.trailing_zeros())
        .min()
        .unwrap_or(64);
    let moved: Vec<u64> = domain.functions.iter().map(|mask| mask & !low_mask(zeros)).collect();
    gf2::kernel(&moved)
        .into_iter()
        .map(|combination| combine(&domain.functions, combination))
        .collect()
}

/// A reduced basis of the sums that lie in both spans.
fn intersection(a: &[u64], b: &[u64]) -> Vec<u64> {
    // A sum of rows of `a` that equals a sum of rows of `b` is a zero sum of all rows.
    let all: Vec<u64> = a.iter().chain(b).copied().collect();
    let part_of_a = low_mask(a.len() as u32);
    let common: Vec<u64> = gf2::kernel(&all)
        .into_iter()
        .map(|combination| combine(a, combination & part_of_a))
        .collect();
    row_reduce(&common)
}
