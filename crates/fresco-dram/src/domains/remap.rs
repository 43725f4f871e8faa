// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where rows lie in a device: in the order of their numbers, or as modules and devices change it.

use crate::Generation;
use std::fmt;

/// Pairs of row-address bits that DDR4 modules exchange in their odd ranks, so that traces need not cross: address mirroring
/// (JESD21-C, annex L: A3 with A4, A5 with A6, A7 with A8, A11 with A13).
const MIRRORED: [(u32, u32); 4] = [(3, 4), (5, 6), (7, 8), (11, 13)];

/// Row-address bits that the registering clock driver of DDR4 RDIMMs inverts for the devices of one side (JESD82-31: A3 to A9, A11,
/// A13, A17).
const INVERTED: u32 = 0x3f8 | 1 << 11 | 1 << 13 | 1 << 17;

/// How modules and devices may change the order of rows. Whatever is set holds for some ranks, sides or devices, and may not hold for
/// others; what is computed holds for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaps {
    /// Odd ranks have mirrored addresses.
    pub mirrored: bool,
    /// One side of a module has inverted addresses.
    pub inverted: bool,
    /// Within an aligned block of so many rows a device may put them in any order; 1 if it keeps the order. A power of two.
    pub block: u32,
}

impl Remaps {
    /// Rows lie in the order of their numbers.
    pub const NONE: Self = Self {
        mirrored: false,
        inverted: false,
        block: 1,
    };

    /// Returns true if modules of this generation mirror and invert addresses without the devices taking it back. Those of DDR5 know
    /// that they are mirrored (pins MIR and CAI); of other generations the sources here say nothing.
    pub fn known_of(generation: Generation) -> bool {
        generation == Generation::Ddr4
    }

    /// The orders that may be met, each a function from the number of a row, of `bits` bits, to where it lies.
    pub(super) fn orders(self, bits: u32) -> Vec<Order> {
        let each = |set: bool| if set { vec![false, true] } else { vec![false] };
        let mut orders = Vec::new();
        for mirrored in each(self.mirrored) {
            for inverted in each(self.inverted) {
                orders.push(Order {
                    bits,
                    mirrored,
                    inverted,
                });
            }
        }
        orders
    }
}

impl fmt::Display for Remaps {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.mirrored.then(|| "mirrored in odd ranks".to_owned()));
        parts.extend(self.inverted.then(|| "inverted on one side".to_owned()));
        parts.extend((self.block > 1).then(|| format!("in any order within blocks of {}", self.block)));
        match parts.is_empty() {
            true => write!(f, "in the order of their numbers"),
            false => write!(f, "in the order of their numbers, or {}", parts.join(", ")),
        }
    }
}

/// One order of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    bits: u32,
    mirrored: bool,
    inverted: bool,
}

impl Order {
    /// Where a row lies. Of each pair of bits that is exchanged both are inverted or none, so that it does not matter which comes first,
    /// and each order is its own inverse.
    pub fn place(self, row: u32) -> u32 {
        let all = u32::MAX >> (32 - self.bits.max(1));
        let mut at = row;
        if self.mirrored {
            for (one, other) in MIRRORED {
                // Bits that rows do not have stay 0 on both pins.
                if other < self.bits {
                    let differ = (at >> one ^ at >> other) & 1;
                    at ^= differ << one | differ << other;
                }
            }
        }
        if self.inverted {
            at ^= INVERTED & all;
        }
        at
    }
}
