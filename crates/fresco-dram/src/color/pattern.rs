// SPDX-License-Identifier: MIT OR Apache-2.0
//! PALLOC's bitmap notation for sets of banks: `[00XX]` over an ordered list of address bits (MAP-7, PAL-10).

use super::{ColorSpace, Constraint, SelectError};
use fresco_input::InputError;
use std::fmt;

/// A value, or don't care, for each of an ordered list of address bits.
///
/// On the Xeon W3530 the list is 20, 19, 13, 12: `[00XX]` then is the four banks with bits 20 and 19 zero, `[XX00]`
/// the four banks with bits 13 and 12 zero, which partition the cache as well (PAL-12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitPattern {
    /// (bit, required value), most significant first.
    bits: Vec<(u32, Option<bool>)>,
}

impl BitPattern {
    /// Reads `[00XX]`: one of `0`, `1`, `X` for each of `bits` (numbers of bits of physical address − offset, in the
    /// order of the notation). `source` is the file or option that the text stands in; the caller adds line and field.
    ///
    /// # Errors
    /// Missing brackets, other characters, another number of places than bits, a bit above 63 or named twice.
    pub fn parse(text: &str, bits: &[u32], source: &str) -> Result<Self, InputError> {
        let fault = |found: String, help: String| {
            let list: Vec<String> = bits.iter().map(u32::to_string).collect();
            Err(InputError::new(source, found)
                .allowed(format!(
                    "a pattern such as `[0{}]` over address bits {}",
                    "X".repeat(bits.len().saturating_sub(1)),
                    list.join(", ")
                ))
                .help(help))
        };
        let shown: String = text.chars().take(80).flat_map(char::escape_debug).collect();
        let Some(places) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
            return fault(format!("`{shown}`"), "put the pattern in square brackets".into());
        };
        let values: Option<Vec<Option<bool>>> = places
            .chars()
            .map(|place| match place {
                '0' => Some(Some(false)),
                '1' => Some(Some(true)),
                'X' | 'x' => Some(None),
                _ => None,
            })
            .collect();
        let Some(values) = values else {
            return fault(format!("`{shown}`"), "use 0, 1, and X for a bit of either value".into());
        };
        if values.len() != bits.len() {
            let found = format!("`{shown}`, which has {} places", values.len());
            return fault(found, format!("write one place for each of the {} bits", bits.len()));
        }
        let taken = |index: usize| bits[..index].contains(&bits[index]);
        if let Some(index) = (0..bits.len()).find(|&index| bits[index] > 63 || taken(index)) {
            let found = format!("address bit {} in the list", bits[index]);
            return fault(found, "list each bit once; physical addresses have bits 0 to 63".into());
        }
        Ok(Self {
            bits: bits.iter().copied().zip(values).collect(),
        })
    }

    /// The demands on addresses.
    pub fn constraints(&self) -> Vec<Constraint> {
        self.bits
            .iter()
            .filter_map(|&(bit, value)| value.map(|value| Constraint { mask: 1 << bit, value }))
            .collect()
    }

    /// The bank colors that the pattern selects, ascending.
    ///
    /// # Errors
    /// [`SelectError`] if a bit that is required to be 0 or 1 lies inside the page or does not select banks by itself.
    pub fn colors(&self, space: &ColorSpace) -> Result<Vec<u32>, SelectError> {
        space.select(&self.constraints())
    }

    /// The pattern over `bits` that selects exactly `colors` (ascending); `None` if there is none.
    pub fn of_colors(space: &ColorSpace, bits: &[u32], colors: &[u32]) -> Option<Self> {
        let required = |bit: u32| {
            [false, true].into_iter().find(|&value| {
                let all = space.select(&[Constraint { mask: 1 << bit, value }]);
                all.is_ok_and(|all| colors.iter().all(|color| all.binary_search(color).is_ok()))
            })
        };
        let pattern = Self {
            bits: bits.iter().map(|&bit| (bit, required(bit))).collect(),
        };
        (pattern.colors(space).ok()? == colors).then_some(pattern)
    }
}

impl fmt::Display for BitPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (_, value) in &self.bits {
            f.write_str(match value {
                Some(false) => "0",
                Some(true) => "1",
                None => "X",
            })?;
        }
        f.write_str("]")
    }
}
