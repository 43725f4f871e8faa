// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a job copies that runs in another memory than the one before.

use crate::os::copying::Copying;
use crate::os::pages::{PageTable, Translation};
use fresco_dram::VirtAddr;
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

/// The copy of these lines from one memory to another, both mapped.
pub(super) fn copying(lines: &[VirtAddr], from: &mut PageTable, to: &mut PageTable) -> Copying {
    let place = |table: &mut PageTable, line: VirtAddr| match table.translate(line) {
        Translation::Mapped(addr) => addr,
        Translation::Fault(_) | Translation::Outside => unreachable!("all pages are mapped before the run"),
    };
    Copying::new(
        lines
            .iter()
            .map(|line| (place(from, *line), place(to, *line)))
            .collect(),
    )
}
