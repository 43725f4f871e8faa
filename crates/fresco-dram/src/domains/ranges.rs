// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where domains lie in the physical address space.

use super::{Part, RowDomains};
use crate::gf2::apply;

/// Neighboring bytes of one domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    /// The domain, within its part.
    pub domain: u32,
    /// Physical address of the first byte.
    pub first: u64,
    /// Physical address behind the last byte.
    pub end: u64,
}

impl RowDomains {
    /// The physical addresses of all domains of a part, ascending, each range as long as it can be; whole pages.
    pub fn ranges<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = AddressRange> + 'a {
        let mut regions: Vec<_> = part.regions.iter().collect();
        regions.sort_unstable_by_key(|region| region.base);
        let page_bytes = self.request.page_bytes;
        let pieces = regions.into_iter().flat_map(move |region| {
            let functions = &region.functions.row;
            // Addresses that differ below this bit, or within a page, have one domain.
            let lowest = functions
                .iter()
                .fold(0, |bits, function| bits | function)
                .trailing_zeros();
            let aligned = (region.base | region.size | region.offset).trailing_zeros();
            let piece = page_bytes.max(1 << lowest.min(aligned));
            let pieces = (0..region.size / piece).map(move |number| region.base + number * piece);
            pieces.filter_map(move |first| {
                let row = apply(functions, first - region.offset);
                let domain = part.owners[row as usize]?;
                let end = first + piece;
                Some(AddressRange { domain, first, end })
            })
        });
        Merged {
            pieces: pieces.peekable(),
        }
    }
}

/// Ranges of pieces that follow each other.
struct Merged<I: Iterator> {
    pieces: std::iter::Peekable<I>,
}

impl<I: Iterator<Item = AddressRange>> Iterator for Merged<I> {
    type Item = AddressRange;

    fn next(&mut self) -> Option<AddressRange> {
        let mut range = self.pieces.next()?;
        while let Some(next) = self
            .pieces
            .next_if(|next| next.domain == range.domain && next.first == range.end)
        {
            range.end = next.end;
        }
        Some(range)
    }
}
