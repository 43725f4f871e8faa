// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a job copies that runs in another memory than the one before.

use crate::os::copying::CopyTo;
use crate::os::pages::{PageTable, Translation};
use fresco_dram::{PhysAddr, VirtAddr};
use fresco_load::Area;

/// The lines of the first `bytes` of a program's areas.
pub(super) fn global_lines(areas: &[Area], bytes: u64, line: u64) -> Vec<VirtAddr> {
    let mut left = bytes;
    let mut lines = Vec::new();
    for area in areas {
        let here = left.min(area.bytes);
        lines.extend((0..here.div_ceil(line)).map(|i| VirtAddr(area.base.0 + i * line)));
        left -= here;
    }
    lines
}

/// Where these lines are in a memory, and where they go in another. Pages that no job has touched hold nothing to copy.
pub(super) fn to_copy(lines: &[VirtAddr], from: &mut PageTable) -> Vec<(PhysAddr, CopyTo)> {
    let place = |line: &VirtAddr| match from.translate(*line) {
        Translation::Mapped(addr) => Some((addr, CopyTo::Page(*line))),
        Translation::Fault(_) | Translation::Outside => None,
    };
    lines.iter().filter_map(place).collect()
}
