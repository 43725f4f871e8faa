// SPDX-License-Identifier: MIT OR Apache-2.0
//! The regions of one node (or of the whole machine), whose normalised addresses together fill one aligned block.

use super::{Field, FunctionName, MapError, ModuloInterleave, Region};
use crate::gf2::{self, Elimination, LinearMap, bits_of, low_mask};
use crate::{Location, Organisation};

/// A bijection between an aligned block of normalised addresses and the locations of one node, or of all.
///
/// The block has `2^bits` addresses, or so many of each way that granules are dealt over.
#[derive(Clone, Debug)]
pub(super) struct Group {
    node: Option<u32>,
    interleave: Option<ModuloInterleave>,
    /// First normalised address of the block; of each way, where there are ways.
    block: u64,
    /// log2 of the addresses in it.
    bits: u32,
    layout: Layout,
    decode: LinearMap,
    encode: LinearMap,
    /// What the decoder makes of `block`: bits above the block are constant in it, but functions may read them.
    constant: u64,
}

impl Group {
    /// Builds the bijection from the regions at `members` (indices into `regions`, all of the same node).
    pub(super) fn new(org: &Organisation, regions: &[Region], members: &[usize]) -> Result<Self, MapError> {
        let first = members[0];
        let region = &regions[first];
        if let Some(&second) = members
            .iter()
            .find(|&&other| regions[other].functions != region.functions)
        {
            return Err(MapError::DifferentFunctions { first, second });
        }
        check_functions(org, region, first)?;
        let interleave = interleave(org, region, first)?;
        let needed = match region.node {
            Some(_) => org.total_bytes() / u64::from(org.nodes),
            None => org.total_bytes(),
        };
        let block = one_block(regions, members, needed)?;
        let bits = needed.trailing_zeros();
        let block = interleave.map_or(block, |interleave| interleave.split(block).1);
        let bus_bits = org.bus_bytes.trailing_zeros();

        let named = layout_order(region);
        check_bijective(first, &named, bus_bits, bits)?;
        let ways = interleave.map_or(0, way_bits);
        if ways > 0 && (block | low_mask(bits)) >> (u64::BITS - ways) != 0 {
            let reason = format!("addresses of more than {} bits within a way", u64::BITS - ways);
            return Err(MapError::Interleave { region: first, reason });
        }
        let (fields, rows) = with_ways(&named, ways, u64::BITS - ways, u64::MAX);
        let (_, within) = with_ways(&named, ways, bits, low_mask(bits));
        let square: Vec<u64> = (0..bus_bits).map(|bit| 1 << bit).chain(within).collect();
        let inverse = gf2::inverse(&square).expect("checked to be independent");
        // The inverse takes (functions, byte) and a location has byte 0: drop the byte's columns.
        let inverse: Vec<u64> = inverse.iter().map(|row| row >> bus_bits).collect();
        Ok(Self {
            node: region.node,
            interleave,
            block,
            bits,
            layout: Layout::new(region, &fields),
            constant: gf2::apply(&rows, block),
            decode: LinearMap::new(&rows),
            encode: LinearMap::new(&inverse),
        })
    }

    /// The location of a normalised address; where granules are dealt, of what [`Group::dealt`] makes of it.
    #[inline]
    pub(super) fn decode(&self, normalised: u64) -> Location {
        self.layout.unpack(self.decode.apply(normalised))
    }

    /// The address within its way, with the number of the way in the highest bits, which are channel bits to the decoder.
    pub(super) fn dealt(&self, normalised: u64) -> u64 {
        self.interleave.map_or(normalised, |interleave| {
            let (way, within) = interleave.split(normalised);
            within | u64::from(way) << (u64::BITS - way_bits(interleave))
        })
    }

    /// The normalised address of byte 0 of a location; its node is not read where the range fixes it.
    #[inline]
    pub(super) fn encode(&self, location: &Location) -> u64 {
        let offset = self.encode.apply(self.layout.pack(location) ^ self.constant);
        match self.interleave {
            None => self.block | offset,
            Some(interleave) => interleave
                .join((offset >> self.bits) as u32, self.block | offset & low_mask(self.bits))
                .expect("locations lie in the block"),
        }
    }

    pub(super) fn interleave(&self) -> Option<ModuloInterleave> {
        self.interleave
    }

    pub(super) fn node(&self) -> Option<u32> {
        self.node
    }
}

/// Bits that number the ways.
fn way_bits(interleave: ModuloInterleave) -> u32 {
    u32::BITS - (interleave.ways() - 1).leading_zeros()
}

/// The functions, restricted to the bits of `mask`, with one for each of the bits from `first` up that number the `ways`
/// after those of the channel; and the field of each.
fn with_ways(named: &[(FunctionName, u64)], ways: u32, first: u32, mask: u64) -> (Vec<Field>, Vec<u64>) {
    let of_functions = named.iter().map(|(name, function)| (name.field, function & mask));
    let of_ways = (0..ways).map(|way| (Field::Channel, 1 << (first + way)));
    let behind = named.iter().rposition(|(name, _)| name.field == Field::Channel);
    let mut all: Vec<(Field, u64)> = of_functions.collect();
    let at = behind.map_or(all.len(), |last| last + 1);
    all.splice(at..at, of_ways);
    all.into_iter().unzip()
}

/// How granules are dealt over channels that are no power of two.
fn interleave(org: &Organisation, region: &Region, index: usize) -> Result<Option<ModuloInterleave>, MapError> {
    let ways = org.odd_ways();
    let fault = |reason: String| Err(MapError::Interleave { region: index, reason });
    let Some(granule_bits) = region.functions.granule_bits else {
        return match ways {
            1 => Ok(None),
            _ => fault(format!(
                "nothing says by which granule {} channels are dealt",
                org.channels
            )),
        };
    };
    if ways == 1 {
        return fault(format!(
            "a granule, but parity functions choose among {} channels",
            org.channels
        ));
    }
    if !region.functions.node.is_empty() {
        return fault(format!(
            "functions select the node, and a node of {} channels is no power of two",
            org.channels
        ));
    }
    let least = org.bus_bytes.trailing_zeros();
    let most = (org.total_bytes() / u64::from(org.nodes)).trailing_zeros();
    match ModuloInterleave::new(ways, granule_bits).filter(|_| (least..=most).contains(&granule_bits)) {
        None => fault(format!(
            "a granule of 2^{granule_bits} bytes, where it has 2^{least} to 2^{most}"
        )),
        some => Ok(some),
    }
}

/// Number, width and reach of each function.
fn check_functions(org: &Organisation, region: &Region, index: usize) -> Result<(), MapError> {
    let bus_bits = org.bus_bytes.trailing_zeros();
    for field in Field::ALL {
        let functions = region.functions.get(field);
        let needed = if field == Field::Node && region.node.is_some() {
            0
        } else {
            field.width(org)
        };
        if functions.len() != needed as usize {
            return Err(MapError::FunctionCount {
                region: index,
                field,
                found: functions.len(),
                needed,
            });
        }
        for (name, mask) in region.functions.named(field) {
            if mask & low_mask(bus_bits) != 0 {
                return Err(MapError::BelowBus {
                    region: index,
                    name,
                    mask,
                    bus_bits,
                });
            }
        }
    }
    Ok(())
}

/// The start of the aligned block of `needed` bytes that the normalised ranges must fill.
fn one_block(regions: &[Region], members: &[usize], needed: u64) -> Result<u64, MapError> {
    let node = regions[members[0]].node;
    let found = members
        .iter()
        .fold(0u64, |sum, &member| sum.saturating_add(regions[member].size));
    if found != needed {
        return Err(MapError::SizeMismatch { node, found, needed });
    }
    let mut ranges: Vec<(u64, u64)> = members
        .iter()
        .map(|&member| (regions[member].normalised_base(), regions[member].size))
        .collect();
    ranges.sort_unstable();
    let block = ranges[0].0;
    let fault = |reason: String| Err(MapError::NotOneBlock { node, reason });
    if !block.is_multiple_of(needed) {
        return fault(format!(
            "start at normalised address {block:#x}, which is no multiple of their {needed} bytes"
        ));
    }
    let mut next = block;
    for (base, size) in ranges {
        if base != next {
            let what = if base > next { "leave a hole" } else { "overlap" };
            return fault(format!("{what} at normalised address {:#x}", base.min(next)));
        }
        next = base.wrapping_add(size);
    }
    Ok(block)
}

/// The functions with the fields in ascending order of the address bits they read.
///
/// A plain map then decodes by a single shift, whatever the order of its fields in the address.
fn layout_order(region: &Region) -> Vec<(FunctionName, u64)> {
    let mut fields = Field::ALL;
    fields.sort_by_key(|&field| {
        region
            .functions
            .get(field)
            .first()
            .copied()
            .unwrap_or(0)
            .trailing_zeros()
    });
    fields
        .into_iter()
        .flat_map(|field| region.functions.named(field))
        .collect()
}

fn check_bijective(region: usize, named: &[(FunctionName, u64)], bus_bits: u32, bits: u32) -> Result<(), MapError> {
    let mut elimination = Elimination::new();
    let mut used = low_mask(bus_bits);
    let mut dependent = Vec::new();
    for &(name, mask) in named {
        let mask = mask & low_mask(bits);
        used |= mask;
        if let Some(combination) = elimination.insert(mask) {
            dependent.push((name, bits_of(combination).map(|i| named[i as usize].0).collect()));
        }
    }
    let unused: Vec<u32> = bits_of(low_mask(bits) & !used).collect();
    if dependent.is_empty() && unused.is_empty() {
        Ok(())
    } else {
        Err(MapError::Singular {
            region,
            dependent,
            unused,
        })
    }
}

/// Where each field stands in the packed word that the decoder produces.
#[derive(Clone, Debug)]
struct Layout {
    /// Per field of [`Field::ALL`]: shift and mask. A field without functions has mask 0.
    places: [(u32, u32); 7],
    /// The node where it is fixed by range, else 0.
    node: u32,
}

impl Layout {
    /// The field of each bit of the word, those of a field side by side.
    fn new(region: &Region, bits: &[Field]) -> Self {
        let places = Field::ALL.map(|field| match bits.iter().position(|of_bit| *of_bit == field) {
            Some(shift) => {
                let width = bits.iter().filter(|of_bit| **of_bit == field).count();
                (shift as u32, low_mask(width as u32) as u32)
            }
            None => (0, 0),
        });
        Self {
            places,
            node: region.node.unwrap_or(0),
        }
    }

    #[inline]
    fn unpack(&self, packed: u64) -> Location {
        let part = |index: usize| {
            let (shift, mask) = self.places[index];
            (packed >> shift) as u32 & mask
        };
        Location {
            node: self.node | part(0),
            channel: part(1),
            rank: part(2),
            bank_group: part(3),
            bank: part(4),
            row: part(5),
            column: part(6),
        }
    }

    #[inline]
    fn pack(&self, location: &Location) -> u64 {
        let values = [
            location.node,
            location.channel,
            location.rank,
            location.bank_group,
            location.bank,
            location.row,
            location.column,
        ];
        let mut packed = 0;
        for ((shift, mask), value) in self.places.iter().zip(values) {
            packed |= u64::from(value & mask) << shift;
        }
        packed
    }
}
