// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which colors each thread gets: pure functions from a machine's colors and the threads' places to shares.
//!
//! | function | who shares what |
//! |---|---|
//! | [`tintmalloc`] | local banks and LLC colors, private or by groups of threads (TINT-13 to 16) |
//! | [`equal`] | banks, LLC colors, or both, equally among all, blind to nodes (BPM-4, BPM-14, TINT-17) |
//! | [`channels`] | channels, and within them banks (BPM-5, BPM-14) |
//! | [`by_overlap`] | what banks and cache decide together, so that both are split (PAL-10, PAL-12) |
//!
//! Address bits that banks and cache share leave only some pairs of colors (CON-5). Where both are to be private, threads
//! are first given *classes*: banks and LLC colors that all exist together. Every share is checked: two threads that were to
//! have colors of their own have none in common, and every thread has frames.

mod channel;
mod classes;
mod deal;
mod equally;
mod error;
mod overlap;
mod tint;

pub use channel::channels;
pub use deal::run;
pub use equally::{Divide, equal};
pub use error::{ShareError, Shared};
pub use overlap::by_overlap;
pub use tint::{Tint, Variant, tintmalloc};

use crate::{ColorSet, Coloring};
use fresco_dram::ColorSpace;

/// Where a thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Node of its core.
    pub node: u32,
    /// Number of its core's last-level cache.
    pub cache: u32,
}

/// Colors that others have already and that are not shared out.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// Bank colors.
    pub banks: ColorSet,
    /// LLC colors.
    pub llc: ColorSet,
}

/// The colors of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Bank colors; `None` for all.
    pub banks: Option<ColorSet>,
    /// LLC colors; `None` for all.
    pub llc: Option<ColorSet>,
}

impl Share {
    /// The same as a request to the allocator.
    pub fn coloring(self) -> Coloring {
        Coloring::Explicit {
            banks: self.banks,
            llc: self.llc,
        }
    }

    /// The pairs of bank and LLC color that it amounts to; each has as many frames as another one of its node.
    pub fn pairs(&self, space: &ColorSpace) -> u64 {
        let (bank_colors, llc_colors) = (0..space.bank_colors(), 0..space.llc_colors());
        let in_set = |set: &Option<ColorSet>, color: u32| set.as_ref().is_none_or(|set| set.contains(color));
        let banks = bank_colors.filter(|&bank| in_set(&self.banks, bank));
        let of_bank = |bank: u32| {
            let llc = llc_colors.clone().filter(|&llc| in_set(&self.llc, llc));
            llc.filter(|&llc| space.pair_exists(bank, llc)).count() as u64
        };
        banks.map(of_bank).sum()
    }
}

/// The bank colors of a node, ascending, without those that are taken.
fn banks_of_node(space: &ColorSpace, node: u32, taken: &Taken) -> Vec<u32> {
    let of_node = (0..space.bank_colors()).filter(|&bank| space.node_of_color(bank) == node);
    of_node.filter(|&bank| !taken.banks.contains(bank)).collect()
}

/// The LLC colors, ascending, without those that are taken.
fn llc_colors(space: &ColorSpace, taken: &Taken) -> Vec<u32> {
    (0..space.llc_colors())
        .filter(|&llc| !taken.llc.contains(llc))
        .collect()
}

/// The shares of all threads, or why not: with the number of threads, the first ones, for which there would be enough.
fn or_how_many<T: Copy>(
    seats: &[T],
    shares: impl Fn(&[T]) -> Result<Vec<Share>, Shared>,
) -> Result<Vec<Share>, ShareError> {
    shares(seats).map_err(|shared| {
        let fits = |count: &usize| shares(&seats[..*count]).is_ok();
        ShareError {
            threads: seats.len(),
            fit: (0..seats.len()).rev().find(fits).unwrap_or(0),
            shared,
        }
    })
}
