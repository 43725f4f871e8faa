// SPDX-License-Identifier: MIT OR Apache-2.0
//! A range of physical addresses that shares one set of functions.

use super::{Functions, MapError};
use crate::Organisation;
use serde::{Deserialize, Serialize};

/// A range of physical addresses and its functions.
///
/// The functions read the *normalised* address: physical address − `offset`. AMD processors that remap the memory
/// behind the hole below 4 GiB need this: the functions continue where the memory below the hole ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// First physical address, in bytes.
    pub base: u64,
    /// Bytes.
    pub size: u64,
    /// Subtracted from a physical address before the functions read it; at most `base`.
    pub offset: u64,
    /// The node, where the range alone decides it; then there are no node functions.
    pub node: Option<u32>,
    /// The parity functions.
    pub functions: Functions,
}

impl Region {
    /// First normalised address.
    pub fn normalised_base(&self) -> u64 {
        self.base - self.offset
    }

    /// First address behind the region.
    pub fn end(&self) -> u64 {
        self.base + self.size
    }
}

/// Checks what concerns regions alone: ranges, offsets, overlaps, and how nodes are selected.
pub(super) fn check_ranges(org: &Organisation, regions: &[Region]) -> Result<(), MapError> {
    if regions.is_empty() {
        return Err(MapError::NoRegions);
    }
    for (index, region) in regions.iter().enumerate() {
        if region.size == 0 || region.base.checked_add(region.size).is_none() {
            return Err(MapError::BadRange { region: index });
        }
        if (region.base | region.size | region.offset) % u64::from(org.bus_bytes) != 0 {
            return Err(MapError::SplitTransfer {
                region: index,
                bus_bytes: org.bus_bytes,
            });
        }
        if region.offset > region.base {
            return Err(MapError::OffsetAboveBase { region: index });
        }
        if let Some(reason) = node_fault(org, regions, region) {
            return Err(MapError::NodeSelection { region: index, reason });
        }
    }
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by_key(|&index| regions[index].base);
    for pair in order.windows(2) {
        if regions[pair[0]].end() > regions[pair[1]].base {
            return Err(MapError::Overlap {
                first: pair[0],
                second: pair[1],
            });
        }
    }
    Ok(())
}

fn node_fault(org: &Organisation, regions: &[Region], region: &Region) -> Option<String> {
    if region.node.is_some() != regions[0].node.is_some() {
        return Some("some regions fix the node by range and others do not".into());
    }
    let node = region.node?;
    if node >= org.nodes {
        return Some(format!("node {node} does not exist: there are {} nodes", org.nodes));
    }
    (!region.functions.node.is_empty()).then(|| "the node is fixed by range and also has functions".into())
}
