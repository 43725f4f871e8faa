// SPDX-License-Identifier: MIT OR Apache-2.0
//! A map of which only the bank-selecting functions are known.

use super::address_map::{MAX_BANK_BITS, check_organisation};
use super::{AddressMap, Field, Functions, MapError, Region};
use crate::Organisation;
use crate::gf2::{self, Elimination, bits_of, low_mask};

/// The functions that select banks, without rows and columns: what timing measurements recover (`map.txt`).
///
/// The functions are independent, and number the banks: function `i` is bit `i` of the bank number. That is enough
/// for colors ([`crate::ColorSpace::of_bank_map`]); to simulate, [`BankMap::complete`] chooses rows and columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankMap {
    functions: Vec<u64>,
    offset: u64,
}

impl BankMap {
    /// A map whose functions (masks over the bits of physical address − `offset`) select banks, least significant
    /// first.
    ///
    /// # Errors
    /// [`MapError::DependentSelectors`] if a function is zero or the sum of others (more than 64 are always
    /// dependent); [`MapError::TooManyBanks`] for more than 20 functions; [`MapError::BadRange`] if `offset` is
    /// 2^63 or more.
    pub fn new(functions: Vec<u64>, offset: u64) -> Result<Self, MapError> {
        if offset >> 63 != 0 {
            return Err(MapError::BadRange { region: 0 });
        }
        let mut elimination = Elimination::new();
        // 65 functions of 64 bits are dependent, so the loop ends before a combination overflows.
        for (function, &mask) in functions.iter().take(65).enumerate() {
            let combination = if function < 64 {
                elimination.insert(mask)
            } else {
                elimination.express(mask)
            };
            if let Some(combination) = combination {
                let sum_of = bits_of(combination).map(|bit| bit as usize).collect();
                return Err(MapError::DependentSelectors { function, sum_of });
            }
        }
        match functions.len() as u32 {
            bits if bits > MAX_BANK_BITS => Err(MapError::TooManyBanks { bits }),
            _ => Ok(Self { functions, offset }),
        }
    }

    /// The functions, least significant bit of the bank number first.
    pub fn functions(&self) -> &[u64] {
        &self.functions
    }

    /// What is subtracted from a physical address before the functions read it, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The bank number of a physical address; `None` below the offset.
    pub fn bank(&self, address: u64) -> Option<u64> {
        address
            .checked_sub(self.offset)
            .map(|normalised| gf2::apply(&self.functions, normalised))
    }

    /// Completes the map to all of `org`, whose memory then starts at the physical address `offset`.
    ///
    /// The functions become bank, bank group, rank, channel and node functions in that order, least significant
    /// first. Columns become the lowest address bits that are independent of them and of the bits within a bus
    /// transfer. Rows become the highest remaining ones: in a permutation such as 13^17 the upper bit is a row bit
    /// and the lower one the bank bit of the unhashed map.
    ///
    /// # Errors
    /// [`MapError::CannotComplete`] if the number of functions is not that of the organisation or a function reads
    /// bits that the memory does not have; else what [`AddressMap::new`] finds wrong with the organisation.
    pub fn complete(&self, org: Organisation) -> Result<AddressMap, MapError> {
        check_organisation(&org)?;
        if org.odd_ways() > 1 {
            let (what, count) = (Field::Channel.to_string(), org.channels);
            return Err(MapError::NotPowerOfTwo { what, count });
        }
        let needed: u32 = Field::SELECTORS.iter().map(|field| field.width(&org)).sum();
        let bits = org.total_bytes().trailing_zeros();
        let beyond = self.functions.iter().fold(0, |all, mask| all | mask) & !low_mask(bits);
        if self.functions.len() != needed as usize {
            let reason = format!(
                "{} functions for an organisation of 2^{needed} banks",
                self.functions.len()
            );
            return Err(MapError::CannotComplete { reason });
        }
        if beyond != 0 {
            let bit = beyond.trailing_zeros();
            let reason = format!(
                "a function reads bit {bit}, but {} bytes have {bits} bits",
                org.total_bytes()
            );
            return Err(MapError::CannotComplete { reason });
        }
        let mut functions = Functions::default();
        let mut rest = self.functions.iter().copied();
        for field in Field::SELECTORS {
            *functions.get_mut(field) = rest.by_ref().take(field.width(&org) as usize).collect();
        }
        let mut elimination = Elimination::new();
        for bus_bit in 0..org.bus_bytes.trailing_zeros() {
            elimination.insert(1 << bus_bit);
        }
        for &mask in &self.functions {
            elimination.insert(mask);
        }
        functions.column = independent_bits(&mut elimination, 0..bits, Field::Column.width(&org));
        functions.row = independent_bits(&mut elimination, (0..bits).rev(), Field::Row.width(&org));
        functions.row.reverse();
        let region = Region {
            base: self.offset,
            size: org.total_bytes(),
            offset: self.offset,
            node: None,
            functions,
        };
        AddressMap::new(org, vec![region])
    }
}

/// The first `count` bits that are independent of everything in `elimination`, which they join.
fn independent_bits(elimination: &mut Elimination, bits: impl Iterator<Item = u32>, count: u32) -> Vec<u64> {
    let mut chosen = Vec::new();
    for bit in bits {
        if chosen.len() as u32 == count {
            break;
        }
        let mask = 1 << bit;
        if elimination.express(mask).is_none() {
            elimination.insert(mask);
            chosen.push(mask);
        }
    }
    chosen
}
