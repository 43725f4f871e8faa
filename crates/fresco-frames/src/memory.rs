// SPDX-License-Identifier: MIT OR Apache-2.0
//! The physical memory as the operating system sees it: zones, their frames, and in which order a node falls back on
//! the zones of others.

use crate::{ColorSet, FrameError};
use fresco_dram::FrameNumber;

/// A contiguous run of frames that belongs to one zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Zone; zones are numbered from 0 without gaps.
    pub zone: u32,
    /// First frame.
    pub first: FrameNumber,
    /// Number of frames; at least 1.
    pub frames: u64,
}

impl Region {
    /// The frame after the last one.
    fn end(&self) -> u64 {
        self.first.0 + self.frames
    }
}

/// All regions, checked, and the fallback order of every node.
///
/// A zone is what one buddy allocator manages. Usually it is the memory of one node ([`Memory::new`]); where the
/// firmware interleaves nodes below the block size, the operating system sees a single zone for all of them
/// ([`Memory::single_zone`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// By first frame, disjoint.
    pub(crate) regions: Vec<Region>,
    /// Zones of all parts.
    pub(crate) zones: u32,
    /// The row domains of each part; one part without any where none have been set apart. Zone `z` of part `p` has number
    /// `p * zones / parts + z`.
    pub(crate) parts: Vec<ColorSet>,
    /// `[node]` → all nodes, nearest first.
    near: Vec<Vec<u32>>,
    /// `[node]` → all zones of part 0, nearest first.
    fallback: Vec<Vec<u32>>,
}

impl Memory {
    /// One zone per node. `distance[from][to]` is any measure that is smallest on the diagonal (hops, latency); a node
    /// falls back on the nearest node first and, of equally distant ones, on the next higher number, wrapping round, as
    /// Linux orders its zone lists so that not all nodes fall back on node 0 (SIM-11).
    ///
    /// # Errors
    /// [`FrameError::Memory`] if regions are empty, overlap, lie beyond frame 2³²−2048, or name a node for which
    /// `distance` has no row; if a node has no region; or if `distance` is not square.
    pub fn new(regions: Vec<Region>, distance: &[Vec<u32>]) -> Result<Self, FrameError> {
        let nodes = distance.len() as u32;
        if let Some(row) = distance.iter().find(|row| row.len() != distance.len()) {
            return Err(bad(format!(
                "a distance table of {nodes} rows has a row of {}",
                row.len()
            )));
        }
        let far = |from: u32, to: u32| (to != from, distance[from as usize][to as usize]);
        let near = by_distance(nodes, far);
        Self::checked(regions, nodes, near.clone(), near)
    }

    /// A single zone that `nodes` nodes share.
    ///
    /// # Errors
    /// As [`Memory::new`]; every region must be of zone 0.
    pub fn single_zone(regions: Vec<Region>, nodes: u32) -> Result<Self, FrameError> {
        let near = by_distance(nodes, |from, to| (to != from, 0));
        Self::checked(regions, 1, near, vec![vec![0]; nodes as usize])
    }

    fn checked(
        mut regions: Vec<Region>,
        zones: u32,
        near: Vec<Vec<u32>>,
        fallback: Vec<Vec<u32>>,
    ) -> Result<Self, FrameError> {
        regions.sort_by_key(|region| region.first);
        for region in &regions {
            if region.frames == 0 {
                return Err(bad(format!("the region at frame {} is empty", region.first)));
            }
            if region.zone >= zones {
                return Err(bad(format!(
                    "the region at frame {} is of zone {} of {zones}",
                    region.first, region.zone
                )));
            }
            // Frame numbers are 32-bit links inside the allocator; the topmost blocks stay free for the end marks.
            if region
                .first
                .0
                .checked_add(region.frames)
                .is_none_or(|end| end > MAX_FRAME_END)
            {
                return Err(bad(format!(
                    "the region at frame {} ends beyond frame {MAX_FRAME_END}",
                    region.first
                )));
            }
        }
        for pair in regions.windows(2) {
            if pair[0].end() > pair[1].first.0 {
                return Err(bad(format!(
                    "the regions at frames {} and {} overlap",
                    pair[0].first, pair[1].first
                )));
            }
        }
        if let Some(zone) = (0..zones).find(|&zone| regions.iter().all(|region| region.zone != zone)) {
            return Err(bad(format!("zone {zone} has no memory")));
        }
        if fallback.is_empty() {
            return Err(bad("there is no node".to_owned()));
        }
        Ok(Self {
            regions,
            zones,
            parts: vec![ColorSet::new()],
            near,
            fallback,
        })
    }

    /// The regions by first frame.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Number of zones.
    pub fn zones(&self) -> u32 {
        self.zones
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.fallback.len() as u32
    }

    /// The zones that are everybody's in the order in which `node` asks them, or `None` if there is no such node.
    pub fn fallback(&self, node: u32) -> Option<&[u32]> {
        self.fallback.get(node as usize).map(Vec::as_slice)
    }

    /// All nodes in the order of their distance from `node`, itself first; `None` if there is no such node.
    pub fn nearest_nodes(&self, node: u32) -> Option<&[u32]> {
        self.near.get(node as usize).map(Vec::as_slice)
    }

    /// Frames of one zone.
    pub fn zone_frames(&self, zone: u32) -> u64 {
        self.regions
            .iter()
            .filter(|region| region.zone == zone)
            .map(|region| region.frames)
            .sum()
    }

    /// The zone of a frame; `None` for a hole.
    pub fn zone_of(&self, frame: FrameNumber) -> Option<u32> {
        let at = self.regions.partition_point(|region| region.first <= frame);
        let region = &self.regions[at.checked_sub(1)?];
        (frame.0 < region.end()).then_some(region.zone)
    }
}

fn by_distance(nodes: u32, far: impl Fn(u32, u32) -> (bool, u32)) -> Vec<Vec<u32>> {
    let order = |from: u32| {
        let mut order: Vec<u32> = (0..nodes).collect();
        order.sort_by_key(|&to| (far(from, to), (to + nodes - from) % nodes));
        order
    };
    (0..nodes).map(order).collect()
}

const MAX_FRAME_END: u64 = (1 << 32) - 2048;

pub(crate) fn bad(what: String) -> FrameError {
    FrameError::Memory { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(zone: u32, first: u64, frames: u64) -> Region {
        Region {
            zone,
            first: FrameNumber(first),
            frames,
        }
    }

    #[test]
    fn nodes_fall_back_on_the_nearest_and_then_on_the_next() {
        // The four-node ring of the two-socket Opteron: node 1 is one hop from node 0, nodes 2 and 3 are two hops.
        let hops = vec![vec![0, 1, 2, 2], vec![1, 0, 2, 2], vec![2, 2, 0, 1], vec![2, 2, 1, 0]];
        let regions = (0..4).map(|n| region(n, u64::from(n) * 16, 16)).collect();
        let memory = Memory::new(regions, &hops).unwrap();
        assert_eq!(memory.fallback(0), Some(&[0, 1, 2, 3][..]));
        assert_eq!(memory.fallback(1), Some(&[1, 0, 2, 3][..]));
        assert_eq!(memory.fallback(3), Some(&[3, 2, 0, 1][..]));
        assert_eq!(memory.fallback(4), None);
        assert_eq!(memory.zone_frames(2), 16);
        // All equally far: the next higher number, wrapping round.
        let even: Vec<Vec<u32>> = (0..4)
            .map(|from| (0..4).map(|to| u32::from(from != to)).collect())
            .collect();
        let memory = Memory::new(memory.regions().to_vec(), &even).unwrap();
        assert_eq!(memory.fallback(2), Some(&[2, 3, 0, 1][..]));
        assert_eq!(memory.nearest_nodes(1), Some(&[1, 2, 3, 0][..]));
    }

    #[test]
    fn a_frame_knows_its_zone_and_holes_have_none() {
        let memory = Memory::single_zone(vec![region(0, 100, 10), region(0, 10, 5)], 1).unwrap();
        let zones: Vec<_> = [9, 10, 14, 15, 100, 110].map(|f| memory.zone_of(FrameNumber(f))).into();
        assert_eq!(zones, [None, Some(0), Some(0), None, Some(0), None]);
    }

    #[test]
    fn wrong_regions_are_told() {
        let one = vec![vec![0]];
        let fault = |regions, distance: &[Vec<u32>]| Memory::new(regions, distance).unwrap_err().to_string();
        assert!(fault(vec![region(0, 0, 0)], &one).contains("empty"));
        assert!(fault(vec![region(0, 0, 9), region(0, 8, 1)], &one).contains("overlap"));
        assert!(fault(vec![region(1, 0, 9)], &one).contains("zone 1 of 1"));
        assert!(fault(vec![region(0, u64::MAX, 9)], &one).contains("beyond"));
        assert!(fault(vec![region(0, 0, 9)], &[vec![0, 1], vec![1, 0]]).contains("zone 1 has no memory"));
        assert!(fault(vec![region(0, 0, 9)], &[vec![0, 1]]).contains("distance table"));
    }
}
