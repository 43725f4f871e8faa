// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges of what owners of pages have in common, which share no code with what divides the memory: of banks and cache sets in [`pages`], of
//! row domains here: where every byte of some pages lies in the DRAM, and whether rows of owners that must be apart are.
//!
//! This one shares no code with [`crate::domains`], only the words in which a division is asked for: addresses are decoded one by one, and the
//! orders in which rows may lie are worked out pin by pin.

pub mod pages;
mod place;
#[cfg(test)]
mod tests;

use crate::domains::Remaps;
use crate::map::Field;
use crate::{AddressMap, PhysAddr};
use place::{distance, place};
use std::collections::BTreeMap;
use std::fmt;

/// Looks at pages, and then judges.
#[derive(Debug)]
pub struct Judge<'a> {
    map: &'a AddressMap,
    /// Bytes that have one row of one bank.
    step: u64,
    /// By bank of the machine and owner: a bit for each row that was seen, or nothing.
    seen: Vec<Vec<Vec<u64>>>,
}

/// What was found of owners that are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Rows of banks that the owners have, each counted for each of its owners.
    pub rows: u64,
    /// The least distance between rows of two owners that must be apart, in rows, in any order in which they may lie; `None` if no bank has
    /// rows of two such owners.
    pub nearest: Option<u32>,
}

/// Two owners that must be apart and are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooNear {
    /// The two.
    pub owners: (u32, u32),
    /// Number of the bank in the machine.
    pub bank: u32,
    /// Their rows, by number.
    pub rows: (u32, u32),
    /// How near these rows may lie; 0 if they are one row.
    pub distance: u32,
    /// Where rows are mirrored.
    pub mirrored: bool,
    /// Where rows are inverted.
    pub inverted: bool,
}

impl fmt::Display for TooNear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, other) = self.rows;
        let distance = self.distance;
        write!(f, "rows {one} and {other} of bank {} are {distance} apart", self.bank)?;
        match (self.mirrored, self.inverted) {
            (false, false) => Ok(()),
            (true, false) => f.write_str(" where they are mirrored"),
            (false, true) => f.write_str(" where they are inverted"),
            (true, true) => f.write_str(" where they are mirrored and inverted"),
        }
    }
}

impl<'a> Judge<'a> {
    /// A judge of a memory that has seen nothing yet.
    pub fn new(map: &'a AddressMap) -> Self {
        let places = Field::ALL.into_iter().filter(|field| *field != Field::Column);
        let read = |region: &crate::Region| {
            let of_fields = places.clone().flat_map(|field| region.functions.get(field));
            of_fields.fold(region.base | region.offset, |bits, function| bits | function)
        };
        let bits = map.regions().iter().map(read).fold(0, |all, bits| all | bits);
        let organisation = map.organisation();
        let least = u64::from(organisation.bus_bytes);
        Self {
            map,
            step: (1u64 << bits.trailing_zeros().min(63)).max(least),
            seen: vec![Vec::new(); organisation.banks_total() as usize],
        }
    }

    /// An owner has `bytes` bytes from `first` on. Addresses without memory are passed over.
    pub fn see(&mut self, owner: u32, first: PhysAddr, bytes: u64) {
        let organisation = self.map.organisation();
        let (begin, end) = (first.0 - first.0 % self.step, first.0.saturating_add(bytes));
        for address in (begin..end).step_by(self.step as usize) {
            let Some(place) = self.map.decode(PhysAddr(address)) else {
                continue;
            };
            let of_bank = &mut self.seen[place.bank_in_machine(organisation) as usize];
            if of_bank.len() <= owner as usize {
                of_bank.resize(owner as usize + 1, Vec::new());
            }
            let rows = &mut of_bank[owner as usize];
            if rows.is_empty() {
                rows.resize(organisation.rows.div_ceil(64) as usize, 0);
            }
            rows[place.row as usize / 64] |= 1 << (place.row % 64);
        }
    }

    /// Judges: owners for which `must_be` is true have no rows at a distance of `blast` or less in any bank, in any order of rows that
    /// `remaps` allows.
    ///
    /// # Errors
    /// The first two rows that are too near.
    pub fn judge(self, blast: u32, remaps: Remaps, must_be: impl Fn(u32, u32) -> bool) -> Result<Apart, TooNear> {
        let bits = self.map.organisation().rows.ilog2();
        let given = |set: bool| [false, true].into_iter().take(1 + usize::from(set));
        let orders = given(remaps.mirrored).flat_map(|one| given(remaps.inverted).map(move |other| (one, other)));
        let mut apart = Apart { rows: 0, nearest: None };
        for (bank, owners) in (0u32..).zip(&self.seen) {
            let of_owner = |(owner, rows): (u32, &Vec<u64>)| rows_of(rows).into_iter().map(move |row| (row, owner));
            let rows: Vec<(u32, u32)> = (0u32..).zip(owners.iter()).flat_map(of_owner).collect();
            apart.rows += rows.len() as u64;
            for (mirrored, inverted) in orders.clone() {
                let lie = |&(row, owner): &(u32, u32)| (place(row, bits, mirrored, inverted), owner, row);
                let mut lying: Vec<_> = rows.iter().map(lie).collect();
                lying.sort_unstable();
                // Of each owner the last row before, which is the nearest of its.
                let mut last: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
                for (at, owner, row) in lying {
                    for (other, (before, other_row)) in last.iter().filter(|(other, _)| must_be(**other, owner)) {
                        let distance = distance(*before, at, remaps.block);
                        if distance <= blast {
                            return Err(TooNear {
                                owners: (*other, owner),
                                bank,
                                rows: (*other_row, row),
                                distance,
                                mirrored,
                                inverted,
                            });
                        }
                        apart.nearest = Some(apart.nearest.map_or(distance, |least| least.min(distance)));
                    }
                    last.insert(owner, (at, row));
                }
            }
        }
        Ok(apart)
    }
}

/// The rows whose bits are set.
fn rows_of(words: &[u64]) -> Vec<u32> {
    let is_set = |row: &u32| words[*row as usize / 64] >> (row % 64) & 1 == 1;
    (0..64 * words.len() as u32).filter(is_set).collect()
}
