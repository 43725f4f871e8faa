// SPDX-License-Identifier: MIT OR Apache-2.0
//! The form of maps that the solver knows: offsets of ranges, an interleave over an odd number, parity functions.

use crate::wide::{bits, parity};
use fresco_dram::map::xor_text;
use serde::Serialize;
use std::ops::Range;

/// A range of physical addresses and what is subtracted from them before anything else reads them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// First address.
    pub base: u64,
    /// First address behind it.
    pub end: u64,
    /// Subtracted; at most `base`.
    pub offset: u64,
}

/// Granules that go round an odd number of ways (channels in groups of three).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Odd {
    /// Ways: 3, 5 or 7.
    pub ways: u64,
    /// log2 of the bytes of a granule.
    pub granule_bits: u32,
}

/// What is done to an address before parity functions read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Form {
    /// The ranges, ascending.
    pub spans: Vec<Span>,
    /// The interleave over an odd number, if there is one.
    pub odd: Option<Odd>,
}

/// A physical address as parity functions read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Which of the odd ways; 0 where there is no such interleave.
    pub way: u64,
    /// Bits 0 to 63: the address less its offset. From bit 64 on: the same address within its way, granules that
    /// belong to other ways left out, so that bit 64 + k stands for 2^k bytes; zero without an odd interleave.
    pub bits: u128,
}

impl Form {
    /// The plain form: no offsets, no interleave.
    pub fn plain(ranges: &[Range<u64>]) -> Self {
        let span = |range: &Range<u64>| Span {
            base: range.start,
            end: range.end,
            offset: 0,
        };
        Self {
            spans: ranges.iter().map(span).collect(),
            odd: None,
        }
    }

    /// Which range an address is in.
    pub fn span_of(&self, address: u64) -> Option<usize> {
        self.spans
            .iter()
            .position(|span| (span.base..span.end).contains(&address))
    }

    /// The features of an address; `None` outside the ranges.
    pub fn features(&self, address: u64) -> Option<Features> {
        let span = &self.spans[self.span_of(address)?];
        let normalised = address - span.offset;
        Some(match self.odd {
            None => Features {
                way: 0,
                bits: u128::from(normalised),
            },
            Some(Odd { ways, granule_bits }) => {
                let granule = normalised >> granule_bits;
                let within = (granule / ways) << granule_bits;
                Features {
                    way: granule % ways,
                    bits: u128::from(normalised) | u128::from(within) << 64,
                }
            }
        })
    }
}

/// A map as far as timing tells it: which addresses share a bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// What is done to an address first.
    pub form: Form,
    /// Independent parity functions of the features.
    pub functions: Vec<u128>,
}

impl Model {
    /// The number of banks that the model tells apart.
    pub fn banks(&self) -> f64 {
        self.form.odd.map_or(1.0, |odd| odd.ways as f64) * (self.functions.len() as f64).exp2()
    }

    /// A number of the bank of an address; `None` outside the ranges. At most 56 functions.
    pub fn bank(&self, address: u64) -> Option<u64> {
        let features = self.form.features(address)?;
        let parities = self.functions.iter().enumerate();
        Some(parities.fold(features.way << 56, |bank, (i, function)| {
            bank | parity(function & features.bits) << i
        }))
    }

    /// Returns true if both addresses have a bank, and the same one.
    pub fn same_bank(&self, a: u64, b: u64) -> bool {
        self.bank(a).is_some() && self.bank(a) == self.bank(b)
    }

    /// The functions as masks of bits of (physical address − offset); `None` where they read more than that.
    pub fn masks(&self) -> Option<Vec<u64>> {
        if self.form.odd.is_some() {
            return None;
        }
        self.functions
            .iter()
            .map(|function| u64::try_from(*function).ok())
            .collect()
    }
}

/// A function for people: `13^17`, with `q20` for what bit 20 of the address within its way is.
pub fn function_text(function: u128) -> String {
    let (low, high) = (function as u64, (function >> 64) as u64);
    let within = bits(u128::from(high)).map(|bit| format!("q{bit}"));
    let plain = (low != 0).then(|| xor_text(low));
    plain.into_iter().chain(within).collect::<Vec<_>>().join("^")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_worked_examples() {
        let spans = vec![
            Span {
                base: 0,
                end: 0x4000,
                offset: 0,
            },
            Span {
                base: 0x10000,
                end: 0x20000,
                offset: 0xc000,
            },
        ];
        let odd = Some(Odd {
            ways: 3,
            granule_bits: 12,
        });
        let form = Form { spans, odd };
        // 0x10040 - 0xc000 = 0x4040: granule 4 = 1 x 3 + 1.
        assert_eq!(
            form.features(0x10040),
            Some(Features {
                way: 1,
                bits: 0x4040 | 0x1000 << 64
            })
        );
        assert_eq!(
            form.features(0x3fff),
            Some(Features {
                way: 0,
                bits: 0x3fff | 0x1000 << 64
            })
        );
        assert_eq!(form.features(0x8000), None);
    }

    #[test]
    fn functions_are_shown_by_their_bits() {
        assert_eq!(function_text(1 << 13 | 1 << 17), "13^17");
        assert_eq!(function_text(1 << 9 | 1 << (64 + 15)), "9^q15");
        assert_eq!(function_text(1 << (64 + 15)), "q15");
    }
}
