// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory by the device tree: nodes `memory@…` of `proc/device-tree` (Devicetree specification, 3.4).

use super::text;
use serde::Serialize;
use std::ops::Range;
use std::path::Path;

/// What a device tree says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceTree {
    /// The board.
    pub model: String,
    /// Physical addresses of memory, ascending.
    pub memory: Vec<Range<u64>>,
}

impl DeviceTree {
    /// Reads it under `root`; `None` if the machine has none.
    pub fn read(root: &Path) -> Option<Self> {
        let tree = root.join("proc/device-tree");
        let cells = |name: &str, default: u32| {
            let bytes = std::fs::read(tree.join(name)).ok();
            let value = bytes.and_then(|bytes| Some(u32::from_be_bytes(bytes.try_into().ok()?)));
            value.unwrap_or(default)
        };
        // Where a tree does not say, addresses have two cells and sizes one.
        let (address, size) = (cells("#address-cells", 2), cells("#size-cells", 1));
        let entries = std::fs::read_dir(&tree).ok()?.flatten();
        let mut memory: Vec<Range<u64>> = Vec::new();
        for entry in entries {
            let name = entry.file_name();
            let is_memory = name
                .to_str()
                .is_some_and(|name| name == "memory" || name.starts_with("memory@"));
            if is_memory && let Ok(bytes) = std::fs::read(entry.path().join("reg")) {
                memory.extend(parse_memory_reg(&bytes, address, size).unwrap_or_default());
            }
        }
        memory.sort_by_key(|range| (range.start, range.end));
        let model = text(&tree.join("model")).unwrap_or_default();
        (!memory.is_empty() || !model.is_empty()).then_some(Self { model, memory })
    }
}

/// Ranges of a property `reg`: addresses and sizes of so many cells of four bytes, the most significant first. Empty
/// ranges are left out. `None` if the property does not consist of such pairs, or a range ends beyond 2^64.
pub fn parse_memory_reg(bytes: &[u8], address_cells: u32, size_cells: u32) -> Option<Vec<Range<u64>>> {
    if !(1..=2).contains(&address_cells) || !(1..=2).contains(&size_cells) {
        return None;
    }
    let number = |bytes: &[u8]| bytes.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let address_bytes = 4 * address_cells as usize;
    let pairs = bytes.chunks_exact(address_bytes + 4 * size_cells as usize);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let ranges: Option<Vec<Range<u64>>> = pairs
        .map(|pair| {
            let (address, size) = pair.split_at(address_bytes);
            let start = number(address);
            Some(start..start.checked_add(number(size))?)
        })
        .collect();
    ranges.map(|ranges| ranges.into_iter().filter(|range| !range.is_empty()).collect())
}
