// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge of row domains: where every byte of some pages lies in the DRAM, and whether rows of owners that must be apart are.
//!
//! It shares no code with [`crate::domains`], only the words in which a division is asked for: addresses are decoded one by one, and the
//! orders in which rows may lie are worked out pin by pin.

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
    /// Bank of the machine, row, owner.
    seen: Vec<(u32, u32, u32)>,
    /// So many of `seen`, the first ones, are sorted and each there once.
    settled: usize,
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
        let least = u64::from(map.organisation().bus_bytes);
        Self {
            map,
            step: (1u64 << bits.trailing_zeros().min(63)).max(least),
            seen: Vec::new(),
            settled: 0,
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
            let found = (place.bank_in_machine(organisation), place.row, owner);
            if self.seen.last() != Some(&found) {
                self.seen.push(found);
            }
        }
        if self.seen.len() > 2 * self.settled + (1 << 20) {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.seen.sort_unstable();
        self.seen.dedup();
        self.settled = self.seen.len();
    }

    /// Judges: owners for which `must_be` is true have no rows at a distance of `blast` or less in any bank, in any order of rows that
    /// `remaps` allows.
    ///
    /// # Errors
    /// The first two rows that are too near.
    pub fn judge(mut self, blast: u32, remaps: Remaps, must_be: impl Fn(u32, u32) -> bool) -> Result<Apart, TooNear> {
        self.settle();
        let bits = self.map.organisation().rows.ilog2();
        let mut nearest = None;
        let given = |set: bool| [false, true].into_iter().take(1 + usize::from(set));
        for (mirrored, inverted) in
            given(remaps.mirrored).flat_map(|one| given(remaps.inverted).map(move |two| (one, two)))
        {
            let lie = |&(bank, row, owner): &(u32, u32, u32)| (bank, place(row, bits, mirrored, inverted), owner, row);
            let mut rows: Vec<_> = self.seen.iter().map(lie).collect();
            rows.sort_unstable();
            // Of each owner the last row before, which is the nearest of its.
            let mut last: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
            let mut here = None;
            for (bank, at, owner, row) in rows {
                if here != Some(bank) {
                    last.clear();
                    here = Some(bank);
                }
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
                    nearest = Some(nearest.map_or(distance, |least: u32| least.min(distance)));
                }
                last.insert(owner, (at, row));
            }
        }
        Ok(Apart {
            rows: self.seen.len() as u64,
            nearest,
        })
    }
}
