// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splitting banks by the functions that they share with the cache, so that the cache is split as well (PAL-10, PAL-12).

use super::deal::{distinct, run};
use super::{Share, ShareError, Shared, Taken, or_how_many};
use fresco_dram::ColorSpace;

/// Bank colors for each of `threads` threads such that no two threads have an LLC color in common either: PALLOC's
/// PB+PC. On the Xeon W3530, where bits 12 and 13 select banks and sets, four threads have the patterns `[XX00]` to
/// `[XX11]`.
///
/// # Errors
/// [`ShareError`] where the overlapping bits tell fewer sets apart than there are threads.
pub fn by_overlap(space: &ColorSpace, threads: usize, taken: &Taken) -> Result<Vec<Share>, ShareError> {
    let free: Vec<u32> = (0..space.bank_colors())
        .filter(|&bank| !taken.banks.contains(bank))
        .collect();
    let of_bank: Vec<Vec<u32>> = free.iter().map(|&bank| space.llc_colors_of(bank)).collect();
    let kinds = distinct(of_bank.iter());
    let threads: Vec<()> = vec![(); threads];
    or_how_many(&threads, |threads| {
        if kinds.len() < threads.len() {
            let (colors, wanting) = (kinds.len(), threads.len());
            return Err(Shared::Llc {
                cache: None,
                colors,
                wanting,
            });
        }
        let share = |thread: usize| {
            let own = run(&kinds, thread, threads.len());
            let fits = |(_, of): &(&u32, &Vec<u32>)| own.contains(of);
            let banks = std::iter::zip(&free, &of_bank).filter(fits).map(|(bank, _)| *bank);
            Share {
                banks: Some(banks.collect()),
                llc: None,
            }
        };
        Ok((0..threads.len()).map(share).collect())
    })
}
