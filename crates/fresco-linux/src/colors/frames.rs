// SPDX-License-Identifier: MIT OR Apache-2.0
//! The colors of frames as plain data: what [`ColorSpace`] works out, less what it was worked out from.

use fresco_dram::map::BankMap;
use fresco_dram::{AddressMap, ColorSpace};
use fresco_input::InputError;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Functions that the text of a request may have, so that a hostile one cannot ask for much memory.
const MOST_FUNCTIONS: usize = 16;
/// Parts, and address ranges in each.
const MOST_PARTS: usize = 64;

/// Parity functions and the ranges they hold for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameColors {
    /// log2 of the page size in bytes.
    page_bits: u32,
    /// Parts of the memory with functions of their own, in ascending order of color.
    parts: Vec<Part>,
    /// Masks over physical address bits; function `i` is bit `i` of the LLC color.
    llc_functions: Vec<u64>,
}

/// Addresses that share one set of functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// The lowest bank color.
    pub first: u32,
    /// Masks over the bits of (address − offset); function `i` is bit `i` of (color − `first`).
    pub functions: Vec<u64>,
    /// Where it lies.
    pub spans: Vec<Span>,
}

/// A range of physical addresses, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Span {
    pub base: u64,
    pub size: u64,
    /// Subtracted from an address before the functions read it.
    pub offset: u64,
}

impl FrameColors {
    /// The colors `space` of a machine's `map`.
    ///
    /// # Errors
    /// Channels are no power of two: back ends and kernels know colors of parity functions alone.
    pub fn of_machine(map: &AddressMap, space: &ColorSpace) -> Result<Self, InputError> {
        let channels = map.organisation().channels;
        if map.organisation().odd_ways() > 1 {
            return Err(InputError::new(
                "map",
                format!("found {channels} channels, over which granules are dealt"),
            )
            .allowed("maps whose banks are selected by parity functions alone")
            .help("simulate with this map; kernels and the pager choose frames by parity functions"));
        }
        let spans_of = |node: Option<u32>| {
            let regions = map.regions().iter();
            regions
                .filter(|region| region.node == node)
                .map(|region| Span {
                    base: region.base,
                    size: region.size,
                    offset: region.offset,
                })
                .collect()
        };
        Ok(Self::of_parts(space, spans_of))
    }

    /// The colors `space` of bank functions that hold from their offset on.
    pub fn of_bank_map(map: &BankMap, space: &ColorSpace) -> Self {
        let base = map.offset();
        Self::of_parts(space, |_| {
            vec![Span {
                base,
                size: 1 << 63,
                offset: base,
            }]
        })
    }

    fn of_parts(space: &ColorSpace, spans_of: impl Fn(Option<u32>) -> Vec<Span>) -> Self {
        let parts = space.parts().map(|part| Part {
            first: part.first_color,
            functions: part.functions.to_vec(),
            spans: spans_of(part.node),
        });
        Self {
            page_bits: space.page_bits(),
            parts: parts.collect(),
            llc_functions: space.llc_functions().to_vec(),
        }
    }

    /// Returns true if this can be a color space. Texts of requests come from the memory of other processes.
    pub(super) fn is_sound(&self) -> bool {
        let counted = self.parts.iter().try_fold(0u32, |first, part| {
            let fits = part.functions.len() <= MOST_FUNCTIONS && part.spans.len() <= MOST_PARTS;
            let inside = part.spans.iter().all(|span| span.offset <= span.base);
            (fits && inside && part.first == first).then(|| first + (1 << part.functions.len()))
        });
        let sizes = self.parts.len() <= MOST_PARTS && self.llc_functions.len() <= MOST_FUNCTIONS;
        sizes && (12..=40).contains(&self.page_bits) && counted.is_some()
    }

    /// How much of these physical addresses the map knows, in bytes.
    pub fn bytes_within(&self, ranges: &[Range<u64>]) -> u64 {
        let spans = self.parts.iter().flat_map(|part| &part.spans);
        let common = |span: &Span| -> u64 {
            let end = span.base.saturating_add(span.size);
            let within = |range: &Range<u64>| range.end.min(end).saturating_sub(range.start.max(span.base));
            ranges.iter().map(within).sum()
        };
        spans.map(common).sum()
    }

    /// log2 of the page size in bytes.
    pub fn page_bits(&self) -> u32 {
        self.page_bits
    }

    /// Number of bank colors.
    pub fn bank_colors(&self) -> u32 {
        self.parts.iter().map(|part| 1 << part.functions.len()).sum()
    }

    /// Number of LLC colors.
    pub fn llc_colors(&self) -> u32 {
        1 << self.llc_functions.len()
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Masks over physical addresses; function `i` is bit `i` of the LLC color.
    pub fn llc_functions(&self) -> &[u64] {
        &self.llc_functions
    }

    /// The bank functions, as masks over addresses less their offset; `None` if parts of the memory have others.
    pub fn bank_functions(&self) -> Option<&[u64]> {
        let (first, others) = self.parts.split_first()?;
        let same = others.iter().all(|part| part.functions == first.functions);
        same.then_some(&first.functions)
    }

    /// Ranges of addresses that functions hold for: the lowest bank color, the addresses, what is subtracted from them.
    pub fn spans(&self) -> impl Iterator<Item = (u32, Range<u64>, u64)> + '_ {
        self.parts.iter().flat_map(|part| {
            let range = |span: &Span| span.base..span.base.saturating_add(span.size);
            part.spans
                .iter()
                .map(move |span| (part.first, range(span), span.offset))
        })
    }
}
