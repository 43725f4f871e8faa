// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the zones agree with the address map.

use crate::{FrameError, Memory, Region};
use fresco_dram::{ColorSpace, FrameNumber};

/// Regions lie in the map's memory, and the frames of a zone on its node. Frames are counted by color, and none is visited.
pub(crate) fn agree(space: &ColorSpace, memory: &Memory) -> Result<(), FrameError> {
    let fits = |region: &Region, frames: u64| {
        let by_pair = space.frames_of_pairs(region.first, frames);
        let of_zone = by_pair
            .chunks(space.llc_colors() as usize)
            .zip(0..)
            .filter(|&(_, bank)| {
                memory.zones_of_part() == 1 || space.node_of_color(bank) == region.zone % memory.zones_of_part()
            });
        of_zone.flat_map(|(pairs, _)| pairs).sum::<u64>() == frames
    };
    match memory.regions().iter().find(|region| !fits(region, region.frames)) {
        None => Ok(()),
        Some(region) => Err(disagreement(space, region, |frames| fits(region, frames))),
    }
}

/// What is wrong with the first frame of a region that does not fit. `fits` tells whether so many frames of it do.
fn disagreement(space: &ColorSpace, region: &Region, fits: impl Fn(u64) -> bool) -> FrameError {
    let (mut right, mut wrong) = (0, region.frames);
    while right + 1 < wrong {
        let middle = right.midpoint(wrong);
        if fits(middle) { right = middle } else { wrong = middle }
    }
    let frame = region.first.0 + right;
    let what = match space.try_bank_color(FrameNumber(frame)) {
        None => format!("the address map has no memory at frame {frame:#x}; end the region before it"),
        Some(color) => format!(
            "frame {frame:#x} of zone {} is on node {}; correct the regions, or use a single zone where nodes are interleaved",
            region.zone,
            space.node_of_color(color)
        ),
    };
    FrameError::Memory { what }
}
