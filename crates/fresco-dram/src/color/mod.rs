// SPDX-License-Identifier: MIT OR Apache-2.0
//! Page colors: what the frames of a machine can be told apart by.
//!
//! A page is the smallest thing that an operating system places. A parity function that reads a bit inside the page
//! takes both values within one page, so it separates nothing; but the sum of two such functions may cancel the
//! in-page bits. The usable colors are exactly the sums without in-page bits: `rank(F) − rank(F below the page)`
//! bits of them, found by elimination. A color therefore names a *set* of banks, all of which each of its pages
//! touches (CON-4, RLIM-3).

mod dealt;
mod disjoint;
mod domain;
mod error;
mod list;
mod name;
mod overlap;
mod pairs;
mod pattern;
mod select;
mod space;
#[cfg(test)]
mod tests;

pub use disjoint::{Separation, SharedBanks};
pub use domain::{ColorBit, LostFunction};
pub use error::ColorError;
pub use list::{format_list, parse_list};
pub use pattern::BitPattern;
pub use select::{Constraint, SelectError};
pub use space::{ColorPart, ColorSpace};

use crate::gf2::{self, low_mask};

/// Color bits that `functions` (masks over address bits) leave to pages of `2^page_bits` bytes:
/// `rank(F) − rank(F restricted to bits below page_bits)`.
pub fn usable_bits(functions: &[u64], page_bits: u32) -> u32 {
    let inside: Vec<u64> = functions.iter().map(|mask| mask & low_mask(page_bits)).collect();
    gf2::rank(functions) - gf2::rank(&inside)
}
