// SPDX-License-Identifier: MIT OR Apache-2.0
//! PALLOC's own notation: a mask of address bits, and for some of them a second bit that is XORed.
//!
//! ```text
//! 0x1e000
//! xor 13 17
//! xor 14 18
//! ```
//!
//! The first line goes to PALLOC's `palloc_mask`, the others to its `control` file. Bit `i` of PALLOC's color is the
//! `i`-th lowest bit of the mask, XORed with its partner if it has one.

use super::{BankMap, Function, bank_map, bit_number, hex_mask, lines, shown};
use crate::gf2::bits_of;
use crate::map::xor_text;
use fresco_input::InputError;
use std::fmt;

/// A PALLOC map: every function has one bit, or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PallocMap {
    /// The first bit of every function; in ascending order they are the bits of the color.
    mask: u64,
    /// (bit of the mask, its partner), in ascending order; a bit has at most one partner.
    xor: Vec<(u32, u32)>,
}

/// The smallest page of the machines that PALLOC runs on, log2 of bytes: it applies the mask to page addresses.
const PAGE_BITS: u32 = 12;

impl PallocMap {
    /// The mask of first bits.
    pub fn mask(&self) -> u64 {
        self.mask
    }

    /// Pairs of a mask bit and the bit XORed with it, ascending.
    pub fn xor(&self) -> &[(u32, u32)] {
        &self.xor
    }

    /// The parity functions, least significant bit of the color first.
    pub fn functions(&self) -> Vec<u64> {
        let partner = |bit| {
            self.xor
                .iter()
                .find(|(first, _)| *first == bit)
                .map_or(0, |(_, second)| 1u64 << second)
        };
        bits_of(self.mask).map(|bit| 1 << bit | partner(bit)).collect()
    }

    /// Writes functions in PALLOC's notation, so that PALLOC numbers colors as the functions do.
    ///
    /// # Errors
    /// [`NotPalloc`] for a function of more than two bits or with a bit inside the page, and where no choice of first
    /// bits is ascending, so that PALLOC would number the colors otherwise.
    pub fn from_functions(functions: &[u64]) -> Result<Self, NotPalloc> {
        let mut map = Self {
            mask: 0,
            xor: Vec::new(),
        };
        for (index, &function) in functions.iter().enumerate() {
            let fault = |reason| NotPalloc {
                index,
                function,
                reason,
            };
            let bits: Vec<u32> = bits_of(function).collect();
            if bits.is_empty() || bits.len() > 2 {
                return Err(fault("a PALLOC function has one bit or two"));
            }
            if bits[0] < PAGE_BITS {
                return Err(fault(
                    "a bit below 12 lies inside the page, where PALLOC always reads 0",
                ));
            }
            let above = 64 - map.mask.leading_zeros();
            let Some(&first) = bits.iter().find(|&&bit| bit >= above) else {
                return Err(fault(
                    "PALLOC numbers functions by ascending bits, and those before this one are higher",
                ));
            };
            map.mask |= 1 << first;
            map.xor
                .extend(bits.iter().filter(|&&bit| bit != first).map(|&second| (first, second)));
        }
        Ok(map)
    }
}

impl fmt::Display for PallocMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:#x}", self.mask)?;
        for (first, second) in &self.xor {
            writeln!(f, "xor {first} {second}")?;
        }
        Ok(())
    }
}

/// Why functions cannot be written in PALLOC's notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotPalloc {
    /// Index of the function.
    pub index: usize,
    /// The function.
    pub function: u64,
    reason: &'static str,
}

impl fmt::Display for NotPalloc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "function {} ({}) has no PALLOC form: {}",
            self.index,
            xor_text(self.function),
            self.reason
        )
    }
}

impl std::error::Error for NotPalloc {}

/// Reads PALLOC's notation: the mask in the first line, then any number of `xor BIT BIT`; `#` starts a comment.
/// Returns it as written and as a bank map.
///
/// # Errors
/// A file without mask, a malformed mask or line, a bit XORed with itself, a first bit that is not in the mask or has
/// a partner already, functions that are the XOR of others.
pub fn parse(text: &str, file: &str) -> Result<(PallocMap, BankMap), InputError> {
    let mut lines = lines(text);
    let Some(first) = lines.next() else {
        return Err(InputError::new(file, "no mask")
            .allowed("a mask such as 0x183000 in the first line")
            .help("write the mask of bank bits"));
    };
    let mask = hex_mask(first.content, file, first.number)?;
    let mut xor = Vec::new();
    // Where each function was last spoken of, for errors about dependent ones.
    let mut spoken = [first.number; 64];
    for line in lines {
        let fault = |found: String, allowed: &str, help: &str| {
            Err(InputError::new(file, found)
                .at_line(line.number)
                .allowed(allowed)
                .help(help))
        };
        let tokens: Vec<&str> = line.content.split_ascii_whitespace().collect();
        let &["xor", bit, partner] = tokens.as_slice() else {
            let found = format!("`{}`", shown(line.content));
            return fault(
                found,
                "`xor BIT BIT`",
                "write one pair per line behind the mask, as in `xor 13 17`",
            );
        };
        let bit = bit_number(bit, file, line.number)?;
        let partner = bit_number(partner, file, line.number)?;
        if bit == partner {
            let found = format!("bit {bit} XORed with itself");
            return fault(
                found,
                "two different bits",
                "name the two bits whose XOR selects the bank",
            );
        }
        if mask >> bit & 1 == 0 {
            let found = format!("bit {bit}, which is not in the mask {mask:#x}");
            return fault(
                found,
                "a first bit of the mask",
                "swap the two bits, or set the bit in the mask",
            );
        }
        if xor.iter().any(|&(first, _)| first == bit) {
            let found = format!("a second partner of bit {bit}");
            return fault(
                found,
                "one partner per bit",
                "functions of three bits and more need the map.txt format",
            );
        }
        xor.push((bit, partner));
        spoken[bit as usize] = line.number;
    }
    xor.sort_unstable();
    let map = PallocMap { mask, xor };
    let functions: Vec<Function> = map
        .functions()
        .into_iter()
        .zip(bits_of(mask))
        .map(|(function, bit)| Function {
            line: spoken[bit as usize],
            mask: function,
        })
        .collect();
    let bank_map = bank_map(&functions, file)?;
    Ok((map, bank_map))
}
