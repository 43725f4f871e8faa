// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole map of a machine.

use super::group::Group;
use super::region::check_ranges;
use super::{Field, MapError, ModuloInterleave, Region};
use crate::{Location, Organisation, PhysAddr};
use std::collections::BTreeMap;

/// A bijection between the physical addresses of a machine and the bytes of its DRAM (MAP-1).
///
/// Every byte of every bank has exactly one physical address; [`AddressMap::new`] proves it or says why not. It is linear
/// over GF(2) but for channels that are no power of two, whose odd part is dealt in turn ([`ModuloInterleave`]).
///
/// ```
/// use fresco_dram::{AddressMap, Functions, Location, Organisation, PhysAddr, Region};
///
/// // 256 KiB in four banks of 16 rows. Bank bit 0 is the parity of address bits 12 and 14, bank bit 1 is address bit 13.
/// let organisation =
///     Organisation { nodes: 1, channels: 1, ranks: 1, bank_groups: 1, banks: 4, rows: 16, columns: 512, bus_bytes: 8 };
/// let functions = Functions {
///     bank: vec![1 << 12 | 1 << 14, 1 << 13],
///     row: (14..18).map(|bit| 1 << bit).collect(),
///     column: (3..12).map(|bit| 1 << bit).collect(),
///     ..Functions::default()
/// };
/// let region = Region { base: 0, size: 256 << 10, offset: 0, node: None, functions };
/// let map = AddressMap::new(organisation, vec![region])?;
///
/// let place = Location { bank: 1, row: 1, column: 2, ..Location::default() };
/// assert_eq!(map.decode(PhysAddr(0x4010)), Some(place));
/// assert_eq!(map.encode(&place), PhysAddr(0x4010));
/// assert_eq!(map.decode(PhysAddr(256 << 10)), None); // behind the last byte
/// # Ok::<(), fresco_dram::MapError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AddressMap {
    organisation: Organisation,
    regions: Vec<Region>,
    groups: Vec<Group>,
    /// The lowest span: most machines have no other, and decoding looks there first.
    first: Span,
    /// The other spans, sorted by base.
    others: Box<[Span]>,
    /// All spans, sorted by base, where granules are dealt over an odd number of channels; then `first` is empty and there
    /// are no others, so that decoding a linear map asks nothing about it.
    dealt: Box<[Span]>,
}

/// What decoding needs of a region.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    base: u64,
    size: u64,
    offset: u64,
    group: u32,
}

impl Span {
    #[inline]
    fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.size
    }
}

impl AddressMap {
    /// Checks and prepares a map.
    ///
    /// # Errors
    /// [`MapError`] if a count other than that of the channels is no power of two, or these are not dealt as they must be; if regions are empty, overlap, are larger or smaller than the
    /// organisation, or leave a normalised address twice or never used; if nodes are fixed by range in some regions
    /// only; if a field has the wrong number of functions; or if functions are dependent or leave bits unused.
    pub fn new(organisation: Organisation, regions: Vec<Region>) -> Result<Self, MapError> {
        check_organisation(&organisation)?;
        check_ranges(&organisation, &regions)?;
        let mut members: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
        for (index, region) in regions.iter().enumerate() {
            members.entry(region.node).or_default().push(index);
        }
        if regions[0].node.is_some() {
            for node in 0..organisation.nodes {
                if !members.contains_key(&Some(node)) {
                    let needed = organisation.total_bytes() / u64::from(organisation.nodes);
                    return Err(MapError::SizeMismatch {
                        node: Some(node),
                        found: 0,
                        needed,
                    });
                }
            }
        }
        let mut groups = Vec::new();
        let mut spans = Vec::new();
        for (group, members) in members.values().enumerate() {
            groups.push(Group::new(&organisation, &regions, members)?);
            spans.extend(members.iter().map(|&member| {
                let Region { base, size, offset, .. } = regions[member];
                Span {
                    base,
                    size,
                    offset,
                    group: group as u32,
                }
            }));
        }
        spans.sort_unstable_by_key(|span| span.base);
        let (first, others, dealt) = match organisation.odd_ways() {
            1 => (spans.remove(0), spans, Vec::new()),
            _ => (Span::default(), Vec::new(), spans),
        };
        Ok(Self {
            organisation,
            regions,
            groups,
            first,
            others: others.into_boxed_slice(),
            dealt: dealt.into_boxed_slice(),
        })
    }

    /// The place of the bus transfer that holds the byte at `address`; `None` where there is no memory.
    // Always: for each request.
    #[inline(always)]
    pub fn decode(&self, address: PhysAddr) -> Option<Location> {
        let (group, normalised) = if self.first.contains(address.0) {
            (self.first.group, address.0 - self.first.offset)
        } else {
            match self.others.iter().find(|span| span.contains(address.0)) {
                Some(span) => (span.group, address.0 - span.offset),
                None => self.dealt(address.0)?,
            }
        };
        Some(self.groups[group as usize].decode(normalised))
    }

    /// Group of an address and what it decodes, where granules are dealt over an odd number of channels; `None` where there
    /// is no memory.
    fn dealt(&self, address: u64) -> Option<(u32, u64)> {
        let span = self.dealt.iter().find(|span| span.contains(address))?;
        Some((
            span.group,
            self.groups[span.group as usize].dealt(address - span.offset),
        ))
    }

    /// The physical address of the first byte of the bus transfer at `location`.
    ///
    /// Every part of `location` must be below its count in the organisation (checked in debug builds).
    pub fn encode(&self, location: &Location) -> PhysAddr {
        debug_assert!(
            Field::ALL
                .iter()
                .all(|field| field.of(location) < field.count(&self.organisation)),
            "{location:?} is outside {:?}",
            self.organisation
        );
        // Groups stand in ascending order of node where nodes are fixed by range; else there is one group.
        let group = if self.groups.len() == 1 {
            0
        } else {
            location.node & (self.organisation.nodes - 1)
        };
        let normalised = self.groups[group as usize].encode(location);
        let span = std::iter::once(&self.first)
            .chain(&self.others)
            .chain(&self.dealt)
            .find(|span| span.group == group && span.contains(normalised + span.offset))
            .expect("the regions of a group fill its block");
        PhysAddr(normalised + span.offset)
    }

    /// The shape of the memory.
    pub fn organisation(&self) -> &Organisation {
        &self.organisation
    }

    /// The regions, as given.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Bytes of memory.
    pub fn capacity(&self) -> u64 {
        self.organisation.total_bytes()
    }

    /// The parts of the map that have functions of their own: one per node where nodes are fixed by range, in
    /// ascending order of node, else one. Each with its regions, and how granules are dealt before functions read addresses.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Vec<&Region>, Option<ModuloInterleave>)> + '_ {
        self.groups.iter().map(|group| {
            (
                self.regions
                    .iter()
                    .filter(|region| region.node == group.node())
                    .collect(),
                group.interleave(),
            )
        })
    }
}

/// log2 of the banks that a machine may have: far more than any has, few enough to list.
pub(super) const MAX_BANK_BITS: u32 = 20;

/// Counts that parity functions can number, but for the odd part of the channels, and a size that fits 64 bits.
pub(super) fn check_organisation(org: &Organisation) -> Result<(), MapError> {
    let channels = Field::Channel.to_string();
    let counts = Field::ALL.map(|field| (field.to_string(), field.count(org)));
    let mut bits = 0;
    for (what, count) in counts.into_iter().chain([("bus byte".to_owned(), org.bus_bytes)]) {
        let dealt = what == channels && count != 0;
        if !dealt && !count.is_power_of_two() {
            return Err(MapError::NotPowerOfTwo { what, count });
        }
        bits += count.trailing_zeros();
    }
    // The bits that number the odd part of the channels.
    let odd = u32::BITS - (org.odd_ways() - 1).leading_zeros();
    bits += odd;
    let bank_bits = odd + Field::SELECTORS.iter().map(|field| field.width(org)).sum::<u32>();
    if bank_bits > MAX_BANK_BITS {
        return Err(MapError::TooManyBanks { bits: bank_bits });
    }
    // One bit less than a u64 holds, so that the size of the whole fits too.
    if bits > 63 {
        Err(MapError::TooLarge { bits })
    } else {
        Ok(())
    }
}
