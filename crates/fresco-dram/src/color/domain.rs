// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bank colors of the addresses that share one set of functions.

use super::ColorError;
use crate::gf2::{self, LinearMap, bits_of, combine, low_mask};
use crate::map::{Field, FunctionName, ModuloInterleave, Region, xor_text};
use std::fmt;

/// A range of physical addresses and what is subtracted from them before functions apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) base: u64,
    pub(super) size: u64,
    pub(super) offset: u64,
}

impl Span {
    pub(super) fn of(region: &Region) -> Self {
        Self {
            base: region.base,
            size: region.size,
            offset: region.offset,
        }
    }

    fn check(&self, page_bits: u32) -> Result<(), ColorError> {
        for (what, value) in [("base", self.base), ("size", self.size), ("offset", self.offset)] {
            if value & low_mask(page_bits) != 0 {
                return Err(ColorError::Unaligned { what, value, page_bits });
            }
        }
        Ok(())
    }
}

/// One bit of the bank color.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColorBit {
    /// The parity function, a mask over the bits that the functions of the map read ([`crate::Functions`]); none of them lies inside the page.
    pub function: u64,
    /// The functions of the map whose sum it is.
    pub sum_of: Vec<FunctionName>,
}

impl fmt::Display for ColorBit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.sum_of.iter().map(FunctionName::to_string).collect();
        write!(f, "{} ({})", names.join(" ^ "), xor_text(self.function))
    }
}

/// A bank-selecting function that no page can choose by itself, because it takes both values inside every page.
///
/// It may still take part in a sum that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostFunction {
    /// Its name.
    pub name: FunctionName,
    /// Its mask over the bits of (physical address − offset).
    pub function: u64,
    /// Those of its bits that lie inside the page.
    pub inside: u64,
}

impl fmt::Display for LostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits: Vec<String> = bits_of(self.inside).map(|bit| bit.to_string()).collect();
        let plural = if bits.len() == 1 { "" } else { "s" };
        write!(
            f,
            "{} ({}) reads bit{plural} {} inside the page",
            self.name,
            xor_text(self.function),
            bits.join(", ")
        )
    }
}

/// Bank-selecting functions, and the sums of them that are constant within a page.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    /// The node where the address range decides it.
    pub(super) node: Option<u32>,
    pub(super) spans: Vec<Span>,
    /// How granules are dealt over ways before functions read an address.
    pub(super) interleave: Option<ModuloInterleave>,
    /// Selector functions, least significant first; with the fixed node in front they spell the bank number.
    pub(super) selectors: Vec<(FunctionName, u64)>,
    /// The usable sums of selectors: bit `i` of a combination stands for selector `i`.
    pub(super) combinations: Vec<u64>,
    /// The usable sums as masks over normalised address bits; function `i` is bit `i` of the color.
    pub(super) functions: Vec<u64>,
    /// What the colors of this domain are counted from.
    pub(super) first: u32,
    /// For each color bit, selector values that set it and no other.
    representative: Vec<u64>,
    /// Selector values that a page takes all of, as differences: a basis.
    spread: Vec<u64>,
    color: LinearMap,
    page_bits: u32,
}

impl Domain {
    pub(super) fn new(
        node: Option<u32>,
        spans: Vec<Span>,
        interleave: Option<ModuloInterleave>,
        selectors: Vec<(FunctionName, u64)>,
        page_bits: u32,
        first: u32,
    ) -> Result<Self, ColorError> {
        for span in &spans {
            span.check(page_bits)?;
        }
        let masks: Vec<u64> = selectors.iter().map(|(_, mask)| *mask).collect();
        let inside: Vec<u64> = masks.iter().map(|mask| mask & low_mask(page_bits)).collect();
        // The reduced kernel holds every usable selector as a unit vector and counts bits from the least significant
        // selector, so that without in-page bits the color is the bank number (MAP-4 as CON-3 reads it).
        let combinations = gf2::kernel(&inside);
        let functions: Vec<u64> = combinations
            .iter()
            .map(|&combination| combine(&masks, combination))
            .collect();
        let width = selectors.len() as u32;
        let representative = (0..combinations.len())
            .map(|bit| gf2::solve(&combinations, width, 1 << bit).expect("the combinations are independent"))
            .collect();
        let spread = gf2::null_space(&combinations, width);
        let color = LinearMap::new(&functions);
        Ok(Self {
            node,
            spans,
            interleave,
            selectors,
            combinations,
            functions,
            first,
            representative,
            spread,
            color,
            page_bits,
        })
    }

    /// Number of colors.
    pub(super) fn colors(&self) -> u32 {
        self.ways() << self.functions.len()
    }

    /// Ways that pages choose among: 1 where there is no interleave, or its granule is smaller than a page.
    pub(super) fn ways(&self) -> u32 {
        self.interleave
            .map_or(1, |interleave| interleave.ways_of_pages(self.page_bits))
    }

    /// The way of a color of this domain, where pages choose one: the part of the color above the functions.
    pub(super) fn way(&self, color: u32) -> Option<u32> {
        (self.ways() > 1).then(|| (color - self.first) >> self.functions.len())
    }

    #[inline]
    pub(super) fn contains(&self, address: u64) -> Option<&Span> {
        self.spans
            .iter()
            .find(|span| address.wrapping_sub(span.base) < span.size)
    }

    /// The color of a normalised address.
    #[inline]
    pub(super) fn color(&self, normalised: u64) -> u32 {
        match self.interleave {
            None => self.first + self.color.apply(normalised) as u32,
            Some(interleave) => self.dealt_color(interleave, normalised),
        }
    }

    fn dealt_color(&self, interleave: ModuloInterleave, normalised: u64) -> u32 {
        let (way, within) = interleave.split(normalised);
        let chosen = if self.ways() > 1 { way } else { 0 };
        self.first + (chosen << self.functions.len() | self.color.apply(within) as u32)
    }

    /// Bank numbers of a color of this domain, ascending.
    pub(super) fn banks(&self, color: u32) -> Vec<u32> {
        let width = self.selectors.len() as u32;
        let of_functions = u64::from(color - self.first) & low_mask(self.functions.len() as u32);
        let one = combine(&self.representative, of_functions);
        let all = self.interleave.map_or(1, |interleave| interleave.ways());
        let ways = self.way(color).map_or(0..all, |way| way..way + 1);
        let node = self.node.unwrap_or(0) * all;
        let of_way = |way: u32| {
            let above = u64::from(node + way) << width;
            gf2::span(&self.spread).map(move |sum| (above | one ^ sum) as u32)
        };
        let mut banks: Vec<u32> = ways.flat_map(of_way).collect();
        banks.sort_unstable();
        banks
    }

    /// The functions behind the bits of the color, least significant first.
    pub(super) fn bits(&self) -> Vec<ColorBit> {
        let names = |combination| bits_of(combination).map(|i| self.selectors[i as usize].0).collect();
        self.functions
            .iter()
            .zip(&self.combinations)
            .map(|(&function, &combination)| ColorBit {
                function,
                sum_of: names(combination),
            })
            .collect()
    }

    /// The selectors that read bits inside the page; of one field, or of all.
    pub(super) fn lost(&self, field: Option<Field>, page_bits: u32) -> Vec<LostFunction> {
        self.selectors
            .iter()
            .filter(|(name, _)| field.is_none_or(|field| name.field == field))
            .map(|&(name, function)| LostFunction {
                name,
                function,
                inside: function & low_mask(page_bits),
            })
            .filter(|lost| lost.inside != 0)
            .collect()
    }
}
