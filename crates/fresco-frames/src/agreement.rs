// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the zones agree with the address map.

use crate::{FrameError, MAX_ORDER, Memory};
use fresco_dram::{ColorSpace, FrameNumber};

/// Regions lie in the map's memory, and the frames of a zone on its node. Within an aligned block colors are linear in
/// the address, so the block's first frame and one frame for each address bit tell.
pub(crate) fn agree(space: &ColorSpace, memory: &Memory) -> Result<(), FrameError> {
    for region in memory.regions() {
        let end = region.first.0 + region.frames;
        let blocks = (region.first.0 >> MAX_ORDER)..((end - 1) >> MAX_ORDER) + 1;
        for block in blocks.map(|block| block << MAX_ORDER) {
            let samples = std::iter::once(block).chain((0..MAX_ORDER).map(|bit| block | 1 << bit));
            let edges = [region.first.0.max(block), (end - 1).min(block | ((1 << MAX_ORDER) - 1))];
            for frame in samples
                .filter(|frame| (region.first.0..end).contains(frame))
                .chain(edges)
            {
                let color = space
                    .try_bank_color(FrameNumber(frame))
                    .ok_or_else(|| FrameError::Memory {
                        what: format!("the address map has no memory at frame {frame:#x}; end the region before it"),
                    })?;
                let node = space.node_of_color(color);
                if memory.zones() > 1 && node != region.zone {
                    let zone = region.zone;
                    let help = "correct the regions, or use a single zone where nodes are interleaved";
                    let what = format!("frame {frame:#x} of zone {zone} is on node {node}; {help}");
                    return Err(FrameError::Memory { what });
                }
            }
        }
    }
    Ok(())
}
