// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row domains: parts of the memory that are so many rows apart in every bank that hammering rows of one flips no bits of another.
//!
//! A domain has the pages whose rows are in a range of row numbers, the same in all banks of a node. Rows between domains stay empty:
//! they are *guards*. Which rows must be guards depends on how rows lie in the devices ([`Remaps`]).

mod error;
mod ranges;
mod remap;
#[cfg(test)]
mod tests;

pub use error::DomainError;
pub use ranges::AddressRange;
pub use remap::Remaps;

use crate::gf2::{apply, low_mask, row_reduce, span};
use crate::{AddressMap, Region};

/// Most rows between two domains that can be asked for.
pub const MOST_BLAST: u32 = 1024;

/// Rows that are disturbed where nothing else is said: the farthest that DDR5's directed refresh (DRFM) reaches.
pub const USUAL_BLAST: u32 = 4;

/// Bytes of a domain where nothing else is said.
pub const USUAL_BYTES: u64 = 64 << 20;

/// What domains are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomainRequest {
    /// Bytes of a page, a power of two: a page is in one domain, or in none.
    pub page_bytes: u64,
    /// Bytes of a domain with its guards; rounded up to whole rows of all banks.
    pub domain_bytes: u64,
    /// Rows at this distance or less from a row that is hammered may lose bits: no two domains have rows so near.
    pub blast: u32,
    /// How rows may lie.
    pub remaps: Remaps,
}

/// The domains of a machine, or of each of its nodes if their addresses are ranges.
#[derive(Clone, Debug)]
pub struct RowDomains {
    request: DomainRequest,
    /// Rows of a bank.
    rows: u32,
    /// Rows of a domain with its guards.
    rows_each: u32,
    parts: Vec<Part>,
}

/// The domains of a node, or of the machine.
#[derive(Clone, Debug)]
pub struct Part {
    /// The node, if ranges of addresses decide it.
    pub node: Option<u32>,
    /// Bytes of one row of all its banks.
    pub row_bytes: u64,
    /// The most rows of a bank that a page lies in.
    pub page_rows: u32,
    regions: Vec<Region>,
    /// By row: the domain, from 0 on in each part; `None` of a guard, and of rows that are left over.
    owners: Vec<Option<u32>>,
}

impl RowDomains {
    /// Divides the memory of a map.
    ///
    /// # Errors
    /// [`DomainError`].
    ///
    /// # Panics
    /// If `page_bytes` or the block of the remappings is no power of two, or `blast` is 0.
    pub fn new(map: &AddressMap, request: DomainRequest) -> Result<Self, DomainError> {
        assert!(request.page_bytes.is_power_of_two() && request.remaps.block.is_power_of_two() && request.blast > 0);
        let organisation = map.organisation();
        if organisation.odd_ways() > 1 {
            return Err(DomainError::Dealt {
                channels: organisation.channels,
            });
        }
        let by_range = map.regions()[0].node.is_some();
        let nodes: Vec<Option<u32>> = if by_range {
            (0..organisation.nodes).map(Some).collect()
        } else {
            vec![None]
        };
        let bytes = organisation.total_bytes() / nodes.len() as u64;
        let row_bytes = bytes / u64::from(organisation.rows);
        if !(row_bytes..=bytes).contains(&request.domain_bytes) {
            return Err(DomainError::Size {
                found: request.domain_bytes,
                least: row_bytes,
                most: bytes,
            });
        }
        let rows_each = request.domain_bytes.div_ceil(row_bytes) as u32;
        let parts = nodes.into_iter().map(|node| {
            let regions = map.regions().iter().filter(|region| region.node == node).cloned();
            Part::new(
                node,
                regions.collect(),
                row_bytes,
                organisation.rows,
                rows_each,
                &request,
            )
        });
        Ok(Self {
            request,
            rows: organisation.rows,
            rows_each,
            parts: parts.collect::<Result<_, _>>()?,
        })
    }

    /// What was asked for.
    pub fn request(&self) -> &DomainRequest {
        &self.request
    }

    /// Rows of a bank.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Rows of each bank that a domain has, with its guards.
    pub fn rows_each(&self) -> u32 {
        self.rows_each
    }

    /// Domains of a part. Rows behind the last whole domain belong to none.
    pub fn domains_each(&self) -> u32 {
        self.rows / self.rows_each
    }

    /// The nodes, if ranges of addresses decide them, else the machine.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

impl Part {
    fn new(
        node: Option<u32>,
        regions: Vec<Region>,
        row_bytes: u64,
        rows: u32,
        rows_each: u32,
        request: &DomainRequest,
    ) -> Result<Self, DomainError> {
        let page_bytes = request.page_bytes;
        let unaligned = |region: &&Region| !(region.base | region.size | region.offset).is_multiple_of(page_bytes);
        if let Some(region) = regions.iter().find(unaligned) {
            return Err(DomainError::Unaligned {
                base: region.base,
                page_bytes,
            });
        }
        let count = rows / rows_each;
        let owner = |row: u32| Some(row / rows_each).filter(|domain| *domain < count);
        // By region: what the bits within a page do to the row.
        let low = low_mask(page_bytes.trailing_zeros());
        let shifts: Vec<Vec<u64>> = regions
            .iter()
            .map(|region| effects(&region.functions.row, low))
            .collect();
        let mut part = Self {
            node,
            row_bytes,
            page_rows: shifts.iter().map(|shifts| 1 << shifts.len()).max().unwrap_or(1),
            regions,
            owners: (0..rows).map(owner).collect(),
        };
        part.keep_pages_whole(&shifts);
        for order in request.remaps.orders(rows.ilog2()) {
            part.leave_guards(request, |row| order.place(row));
            part.keep_pages_whole(&shifts);
        }
        let kept = part.rows_of_each(count);
        match kept.contains(&0) {
            true => Err(DomainError::NothingLeft {
                rows: rows_each,
                page_rows: part.page_rows,
                blast: request.blast,
                block: request.remaps.block,
            }),
            false => Ok(part),
        }
    }

    /// A page that lies in rows of two domains, or in a guard, is in none; and so the other rows of it are empty as well.
    fn keep_pages_whole(&mut self, shifts: &[Vec<u64>]) {
        let mut changed = true;
        while changed {
            changed = false;
            for shifts in shifts.iter().filter(|shifts| !shifts.is_empty()) {
                let together: Vec<u64> = span(shifts).collect();
                // Of rows that pages have together, one is 0 in the highest bit of each shift.
                let highest = shifts.iter().fold(0, |bits, shift| bits | 1 << shift.ilog2());
                for first in (0..self.owners.len()).filter(|row| row & highest == 0) {
                    let rows = || together.iter().map(|shift| first ^ *shift as usize);
                    let owner = self.owners[first];
                    if rows().any(|row| self.owners[row] != owner) {
                        rows().for_each(|row| self.owners[row] = None);
                        changed = true;
                    }
                }
            }
        }
    }

    /// Goes through the rows as they lie, and empties those of a domain that are too near behind rows of another.
    fn leave_guards(&mut self, request: &DomainRequest, place: impl Fn(u32) -> u32) {
        let block = request.remaps.block.min(self.owners.len() as u32);
        // Rows of blocks so far apart may be neighbors within the blast radius, if devices put them where they are nearest.
        let reach = match block {
            1 => request.blast,
            _ => 1 + (request.blast - 1) / block,
        };
        let mut last: Option<(u32, u32)> = None;
        for at in 0..self.owners.len() as u32 / block {
            let places = at * block..(at + 1) * block;
            let mut first = None;
            for row in places.map(&place) {
                let Some(owner) = self.owners[row as usize] else {
                    continue;
                };
                let near = last.is_some_and(|(domain, place)| domain != owner && at - place <= reach);
                if near || first.is_some_and(|first| first != owner) {
                    self.owners[row as usize] = None;
                } else {
                    first = Some(owner);
                }
            }
            last = first.map(|owner| (owner, at)).or(last);
        }
    }

    /// The domain of a row; `None` of a guard and of what is left over.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn owner(&self, row: u32) -> Option<u32> {
        self.owners[row as usize]
    }

    /// By domain: how many rows of each bank it has without its guards.
    pub fn rows_of_each(&self, domains: u32) -> Vec<u32> {
        let mut rows = vec![0; domains as usize];
        for owner in self.owners.iter().flatten() {
            rows[*owner as usize] += 1;
        }
        rows
    }
}

/// What address bits of `mask` do to the row: a basis of the changes, no two of which have the same highest bit.
fn effects(row_functions: &[u64], mask: u64) -> Vec<u64> {
    let bits = (0..u64::BITS).filter(|bit| mask >> bit & 1 == 1);
    row_reduce(&bits.map(|bit| apply(row_functions, 1 << bit)).collect::<Vec<_>>())
}
