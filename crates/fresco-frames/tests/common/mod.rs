// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machines for the tests.
#![allow(dead_code, reason = "each test program uses some of them")]

use fresco_dram::{AddressMap, ColorSpace, Functions, Organisation, Region};
use fresco_frames::{FrameError, Frames, FramesConfig, Memory, TaskId};
use std::sync::Arc;

pub const A: TaskId = TaskId(1);
pub const B: TaskId = TaskId(2);
pub const C: TaskId = TaskId(3);

/// Address map, LLC functions and hops: all that an allocator needs to know.
pub struct Machine {
    pub map: AddressMap,
    pub llc: Vec<u64>,
    pub hops: Vec<Vec<u32>>,
}

impl Machine {
    pub fn memory(&self) -> Memory {
        Memory::of_map(&self.map, 12, &self.hops).unwrap()
    }

    pub fn space(&self) -> Arc<ColorSpace> {
        Arc::new(ColorSpace::new(&self.map, &self.llc, 12).unwrap())
    }

    pub fn frames(&self, config: FramesConfig, seed: u64) -> Frames {
        self.try_frames(config, seed).unwrap()
    }

    pub fn try_frames(&self, config: FramesConfig, seed: u64) -> Result<Frames, FrameError> {
        Frames::new(self.space(), self.memory(), config, seed)
    }
}

fn bits(bits: impl IntoIterator<Item = u32>) -> Vec<u64> {
    bits.into_iter().map(|bit| 1 << bit).collect()
}

/// `nodes` nodes in ranges of `2^node_bits` bytes with one rank of banks selected by `bank_bits`; columns are bits 3 to 11.
pub fn machine(nodes: u32, node_bits: u32, bank_bits: &[u32], llc_bits: std::ops::Range<u32>) -> Machine {
    let row = (12..node_bits).filter(|bit| !bank_bits.contains(bit));
    let functions = Functions {
        bank: bits(bank_bits.iter().copied()),
        row: bits(row),
        column: bits(3..12),
        ..Functions::default()
    };
    let organisation = Organisation {
        nodes,
        channels: 1,
        ranks: 1,
        bank_groups: 1,
        banks: 1 << bank_bits.len(),
        rows: 1 << functions.row.len(),
        columns: 512,
        bus_bytes: 8,
    };
    let size = 1 << node_bits;
    let region = |node: u32| {
        let node_of_range = (nodes > 1).then_some(node);
        Region {
            base: u64::from(node) * size,
            size,
            offset: 0,
            node: node_of_range,
            functions: functions.clone(),
        }
    };
    let map = AddressMap::new(organisation, (0..nodes).map(region).collect()).unwrap();
    let hops = (0..nodes)
        .map(|from| (0..nodes).map(|to| from.abs_diff(to)).collect())
        .collect();
    Machine {
        map,
        llc: bits(llc_bits),
        hops,
    }
}

/// Three channels of `2^way_bits` bytes, dealt by granules, with banks selected by `bank_bits` within the channel.
pub fn three_channels(granule_bits: u32, way_bits: u32, bank_bits: &[u32], llc_bits: std::ops::Range<u32>) -> Machine {
    let one = machine(1, way_bits, bank_bits, llc_bits);
    let mut region = one.map.regions()[0].clone();
    region.size *= 3;
    region.functions.granule_bits = Some(granule_bits);
    let organisation = Organisation {
        channels: 3,
        ..*one.map.organisation()
    };
    let map = AddressMap::new(organisation, vec![region]).unwrap();
    Machine { map, ..one }
}

/// 64 frames, four banks: the color of frame `f` is `f % 4`.
pub fn small() -> Machine {
    machine(1, 18, &[12, 13], 0..0)
}

/// Two nodes of 64 frames; color `4 * node + f % 4`.
pub fn two_nodes() -> Machine {
    machine(2, 18, &[12, 13], 0..0)
}

/// MAP-7: 4 GiB, 16 banks selected by bits 12, 13, 19 and 20, the L3 indexed by bits 6 to 18.
pub fn xeon() -> Machine {
    machine(1, 32, &[12, 13, 19, 20], 6..19)
}

/// Four nodes of 1 GiB with 32 bank colors each: the 128 colors of the Opteron, without channel interleaving.
pub fn opteron() -> Machine {
    machine(4, 30, &[15, 16, 17, 18, 19], 0..0)
}
