// SPDX-License-Identifier: MIT OR Apache-2.0
//! The zones that an operating system would make of a machine's address map.

use crate::{FrameError, MAX_ORDER, Memory, Region};
use fresco_dram::{AddressMap, FrameNumber, PhysAddr};

impl Memory {
    /// All memory of an address map, in pages of `2^page_bits` bytes.
    ///
    /// One zone per node where nodes lie in ranges of at least one block of the highest order: fixed by region, or chosen by
    /// functions of high address bits alone. Where nodes are interleaved more finely, one zone for all. `distance` as in
    /// [`Memory::new`], one row per node of the map.
    ///
    /// # Errors
    /// [`FrameError::Memory`] if a region does not lie on page boundaries, if `distance` has not one row per node, or for
    /// what [`Memory::new`] refuses.
    pub fn of_map(map: &AddressMap, page_bits: u32, distance: &[Vec<u32>]) -> Result<Self, FrameError> {
        let bad = |what: String| Err(FrameError::Memory { what });
        let nodes = map.organisation().nodes;
        if distance.len() != nodes as usize {
            return bad(format!("{} rows of distances for {nodes} nodes", distance.len()));
        }
        let in_page = |bytes: u64| bytes & ((1 << page_bits) - 1) != 0;
        if let Some(region) = map
            .regions()
            .iter()
            .find(|region| in_page(region.base) || in_page(region.size))
        {
            return bad(format!(
                "the region at address {:#x} begins or ends inside a page",
                region.base
            ));
        }
        match piece_bytes(map, page_bits) {
            Some(piece) => Self::new(pieces(map, page_bits, piece), distance),
            None => Self::single_zone(
                map.regions()
                    .iter()
                    .map(|r| frames(0, r.base, r.end(), page_bits))
                    .collect(),
                nodes,
            ),
        }
    }
}

/// The size of aligned address ranges that are sure to lie on one node; `None` where nodes are interleaved within a block
/// of the highest order.
fn piece_bytes(map: &AddressMap, page_bits: u32) -> Option<u64> {
    let lowest = |region: &fresco_dram::Region| {
        let node_bits = region.functions.node.iter().fold(0u64, |bits, mask| bits | mask);
        // Subtracting the offset must not carry into the bits that are read.
        if node_bits == 0 {
            63
        } else {
            node_bits.trailing_zeros().min(region.offset.trailing_zeros())
        }
    };
    let bit = map.regions().iter().map(lowest).min().unwrap_or(63).min(63);
    (bit >= page_bits + MAX_ORDER).then_some(1 << bit)
}

/// The regions cut at multiples of `piece`; neighbours of one node are joined.
fn pieces(map: &AddressMap, page_bits: u32, piece: u64) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    for region in map.regions() {
        let mut at = region.base;
        while at < region.end() {
            let end = region.end().min((at / piece + 1).saturating_mul(piece));
            let node = region
                .node
                .or_else(|| map.decode(PhysAddr(at)).map(|place| place.node))
                .unwrap_or(0);
            let part = frames(node, at, end, page_bits);
            match regions.last_mut() {
                Some(last) if last.zone == node && last.first.0 + last.frames == part.first.0 => {
                    last.frames += part.frames
                }
                _ => regions.push(part),
            }
            at = end;
        }
    }
    regions
}

fn frames(zone: u32, base: u64, end: u64, page_bits: u32) -> Region {
    Region {
        zone,
        first: FrameNumber(base >> page_bits),
        frames: (end - base) >> page_bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_dram::{Functions, Organisation};

    /// Two nodes of 4 banks and 16 MiB each; bank bits 13 and 14, the node chosen by `node_bit`.
    fn map(node_bit: u32) -> AddressMap {
        let bits = |bits: &mut dyn Iterator<Item = u32>| bits.map(|bit| 1u64 << bit).collect::<Vec<_>>();
        let functions = Functions {
            node: vec![1 << node_bit],
            bank: vec![1 << 13, 1 << 14],
            row: bits(&mut (15..25).filter(|&bit| bit != node_bit)),
            column: bits(&mut (3..13)),
            ..Functions::default()
        };
        let organisation = Organisation {
            nodes: 2,
            channels: 1,
            ranks: 1,
            bank_groups: 1,
            banks: 4,
            rows: 512,
            columns: 1024,
            bus_bytes: 8,
        };
        let region = fresco_dram::Region {
            base: 0,
            size: 32 << 20,
            offset: 0,
            node: None,
            functions,
        };
        AddressMap::new(organisation, vec![region]).unwrap()
    }

    #[test]
    fn nodes_in_ranges_are_zones_and_interleaved_nodes_are_not() {
        let hops = [vec![0, 1], vec![1, 0]];
        let ranges = Memory::of_map(&map(24), 12, &hops).unwrap();
        assert_eq!(ranges.zones(), 2);
        assert_eq!(ranges.zone_of(FrameNumber(4096)), Some(1));
        let coarse = Memory::of_map(&map(22), 12, &hops).unwrap();
        assert_eq!((coarse.zones(), coarse.regions().len()), (2, 8));
        assert_eq!(coarse.zone_of(FrameNumber(3 * 1024 + 5)), Some(1));
        let fine = Memory::of_map(&map(21), 12, &hops).unwrap();
        assert_eq!((fine.zones(), fine.nodes(), fine.zone_frames(0)), (1, 2, 8192));
    }

    #[test]
    fn distances_are_needed_for_every_node() {
        let fault = Memory::of_map(&map(24), 12, &[vec![0]]).unwrap_err().to_string();
        assert!(fault.contains("1 rows of distances for 2 nodes"), "{fault}");
    }
}
