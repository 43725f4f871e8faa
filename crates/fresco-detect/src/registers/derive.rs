// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a decoder of single addresses to a map of parity functions, proved on random addresses.

use super::Family;
use crate::random::Draws;
use fresco_dram::map::Field;
use fresco_dram::{AddressMap, Functions, Location, PhysAddr, Region};
use fresco_input::InputError;

/// Random addresses on which map and registers have to agree.
const CHECKED: usize = 20_000;

/// Derives the map of a family's registers.
///
/// # Errors
/// The places are no parity functions of the address, or the map is none that is one to one.
pub fn derive(family: &dyn Family, file: &str) -> Result<AddressMap, InputError> {
    let org = family.organisation();
    let refuse = |found: String| {
        InputError::new(file.to_owned(), found)
            .allowed("memory whose place is parity functions of the address, the same on all nodes")
            .help("find the map by timing: these registers describe one that is not decoded yet")
    };
    let by_range = family.nodes_by_range();
    let node_bytes = if by_range {
        org.total_bytes() / u64::from(org.nodes)
    } else {
        org.total_bytes()
    };
    let mut regions = Vec::new();
    let mut offset_before: Vec<u64> = vec![0; org.nodes as usize];
    for (range, node) in family.ranges() {
        // Memory behind a hole continues where that before it ended: addresses of a node are counted through.
        let done = &mut offset_before[node as usize];
        let offset = range.start - (u64::from(node) * node_bytes + *done).min(range.start);
        *done += range.end - range.start;
        regions.push((range, node, offset));
    }
    let functions = functions(family, &regions, node_bytes)
        .ok_or_else(|| refuse("found no range of memory in which every address bit takes both values".to_owned()))?;
    let regions = regions
        .into_iter()
        .map(|(range, node, offset)| Region {
            base: range.start,
            size: range.end - range.start,
            offset,
            node: by_range.then_some(node),
            functions: functions.clone(),
        })
        .collect();
    let map = AddressMap::new(org, regions).map_err(|error| error.into_input(file.to_owned(), "registers"))?;
    let draws = &mut Draws::new(1);
    let ranges: Vec<_> = family.ranges().into_iter().map(|(range, _)| range).collect();
    for _ in 0..CHECKED {
        let address = draws.line(&ranges);
        let (found, place) = (map.decode(PhysAddr(address)), family.place(address));
        if found != place {
            return Err(refuse(format!(
                "found {place:?} at {address:#x}, where parity functions say {found:?}"
            )));
        }
    }
    Ok(map)
}

/// What each address bit changes, at the beginning of the largest range.
fn functions(family: &dyn Family, regions: &[(std::ops::Range<u64>, u32, u64)], node_bytes: u64) -> Option<Functions> {
    let (range, _, offset) = regions.iter().max_by_key(|(range, ..)| range.end - range.start)?;
    let mut functions = Functions::default();
    let org = family.organisation();
    for field in Field::ALL {
        if field != Field::Node || !family.nodes_by_range() {
            *functions.get_mut(field) = vec![0; field.width(&org) as usize];
        }
    }
    let bits = node_bytes.trailing_zeros();
    let base = family.place(range.start)?;
    for bit in org.bus_bytes.trailing_zeros()..bits {
        let other = ((range.start - offset) ^ 1 << bit) + offset;
        if !range.contains(&other) {
            return None;
        }
        note(&mut functions, bit, &base, &family.place(other)?);
    }
    Some(functions)
}

/// Adds a bit to the functions of everything that it changes.
fn note(functions: &mut Functions, bit: u32, without: &Location, with: &Location) {
    for field in Field::ALL {
        let changed = field.of(without) ^ field.of(with);
        for (i, function) in functions.get_mut(field).iter_mut().enumerate() {
            *function |= u64::from(changed >> i & 1) << bit;
        }
    }
}
