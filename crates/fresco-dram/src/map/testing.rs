// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random maps for property tests.

use super::{AddressMap, Field, Functions, Region};
use crate::Organisation;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{RngCore, SeedableRng};

/// The same cases on every run.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_140_415),
        failure_persistence: None,
        ..Default::default()
    }
}

/// Uniform enough for tests.
pub(crate) fn below(rng: &mut Pcg64, bound: u64) -> u64 {
    rng.next_u64() % bound
}

/// Organisations of 8 to 2^32 bytes with every field present or not.
pub(crate) fn organisations() -> impl Strategy<Value = Organisation> {
    (0u32..3, 0u32..3, 0u32..3, 0u32..3, 0u32..4, 1u32..9, 1u32..8, 0u32..4).prop_map(|bits| Organisation {
        nodes: 1 << bits.0,
        channels: 1 << bits.1,
        ranks: 1 << bits.2,
        bank_groups: 1 << bits.3,
        banks: 1 << bits.4,
        rows: 1 << bits.5,
        columns: 1 << bits.6,
        bus_bytes: 1 << bits.7,
    })
}

/// Organisations of at most 2^17 bytes, small enough to visit every address.
pub(crate) fn small_organisations() -> impl Strategy<Value = Organisation> {
    (0u32..3, 0u32..3, 0u32..2, 0u32..2, 0u32..3, 1u32..5, 1u32..4, 0u32..3).prop_map(|bits| Organisation {
        nodes: 1 << bits.0,
        channels: 1 << bits.1,
        ranks: 1 << bits.2,
        bank_groups: 1 << bits.3,
        banks: 1 << bits.4,
        rows: 1 << bits.5,
        columns: 1 << bits.6,
        bus_bytes: 1 << bits.7,
    })
}

/// Maps whose functions are `mixing` random row additions away from a random permutation of the address bits.
///
/// Nodes are fixed by range or selected by functions; the blocks are cut at multiples of `2^page_bits` and moved apart,
/// as a hole below 4 GiB does, so that regions have offsets. Of every seven maps three have three or five times the
/// channels, which are dealt by granules of any size; nodes are then fixed by range.
pub(crate) fn maps(
    organisations: impl Strategy<Value = Organisation>,
    page_bits: u32,
) -> impl Strategy<Value = AddressMap> {
    let mixing = prop_oneof![Just(0u32), 1u32..6, 20u32..200];
    let odd = prop_oneof![4 => Just(1u32), 2 => Just(3), 1 => Just(5)];
    (organisations, odd, mixing, any::<bool>(), any::<u64>()).prop_map(move |(org, odd, mixing, by_range, seed)| {
        let by_range = by_range || (odd > 1 && org.nodes > 1);
        let channels = org.channels * odd;
        random_map(Organisation { channels, ..org }, mixing, by_range, page_bits, seed)
    })
}

fn random_map(org: Organisation, mixing: u32, by_range: bool, page_bits: u32, seed: u64) -> AddressMap {
    let rng = &mut Pcg64::seed_from_u64(seed);
    let blocks = if by_range { org.nodes } else { 1 };
    let size = org.total_bytes() / u64::from(blocks);
    let page_bits = page_bits.max(org.bus_bytes.trailing_zeros());
    let mut regions = Vec::new();
    // The first address may itself be above zero.
    let mut physical = below(rng, 4) * size;
    for block in 0..blocks {
        let functions = random_functions(&org, by_range, size.trailing_zeros(), mixing, rng);
        let normalised = if regions.is_empty() {
            0
        } else {
            below(rng, 1 + physical / size) * size
        };
        let node = by_range.then_some(block);
        let mut done = 0;
        while done < size {
            let part = match size >> page_bits {
                pages @ 2.. => (1 + below(rng, pages)) << page_bits,
                _ => size,
            };
            let part = part.min(size - done);
            // Coarse holes, and fine ones whose offsets carry far.
            let coarse = size.trailing_zeros().saturating_sub(2).max(page_bits);
            let hole = below(rng, 4) << if below(rng, 2) == 0 { coarse } else { page_bits };
            physical += hole;
            let offset = physical - (normalised + done);
            regions.push(Region {
                base: physical,
                size: part,
                offset,
                node,
                functions: functions.clone(),
            });
            physical += part;
            done += part;
        }
    }
    AddressMap::new(org, regions).expect("made to be bijective")
}

fn random_functions(org: &Organisation, by_range: bool, bits: u32, mixing: u32, rng: &mut Pcg64) -> Functions {
    let bus_bits = org.bus_bytes.trailing_zeros();
    let mut rows: Vec<u64> = (bus_bits..bits).map(|bit| 1 << bit).collect();
    for i in (1..rows.len()).rev() {
        let j = below(rng, i as u64 + 1) as usize;
        rows.swap(i, j);
    }
    for _ in 0..mixing {
        let (i, j) = (
            below(rng, rows.len() as u64) as usize,
            below(rng, rows.len() as u64) as usize,
        );
        if i != j {
            rows[i] ^= rows[j];
        }
    }
    // Bits above the block are constant in it, but may be read.
    let above = if bits < 40 && below(rng, 2) == 0 { 0xff } else { 0 };
    let mut functions = Functions::default();
    if org.odd_ways() > 1 {
        functions.granule_bits = Some(bus_bits + below(rng, u64::from(bits - bus_bits) + 1) as u32);
    }
    let mut rows = rows.into_iter().map(|row| row | (rng.next_u64() & above) << bits);
    for field in Field::ALL {
        let width = if field == Field::Node && by_range {
            0
        } else {
            field.width(org)
        };
        *functions.get_mut(field) = rows.by_ref().take(width as usize).collect();
    }
    functions
}

/// An address of the map, chosen by `seed`.
pub(crate) fn address_in(map: &AddressMap, seed: u64) -> u64 {
    let rng = &mut Pcg64::seed_from_u64(seed);
    let regions = map.regions();
    let region = &regions[below(rng, regions.len() as u64) as usize];
    region.base + below(rng, region.size)
}

/// What the functions of a region read at an address of it, and its way.
pub(crate) fn within_way(map: &AddressMap, region: &Region, address: u64) -> (u32, u64) {
    let normalised = address - region.offset;
    region.functions.granule_bits.map_or((0, normalised), |granule_bits| {
        let ways = u64::from(map.organisation().odd_ways());
        let (granule, inside) = (normalised >> granule_bits, normalised % (1 << granule_bits));
        ((granule % ways) as u32, ((granule / ways) << granule_bits) + inside)
    })
}
