// SPDX-License-Identifier: MIT OR Apache-2.0
//! `PAGEMAP_SCAN`: which pages of a range are in memory, without a look at each of those that are not.
//!
//! Numbers and layouts are those of `include/uapi/linux/fs.h`, from Linux 6.7 on.

use rustix::io::Errno;
use rustix::ioctl::{Updater, ioctl, opcode};
use std::fs::File;
use std::ops::Range;

const PRESENT: u64 = 1 << 3;

#[repr(C)]
struct ScanArgument {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walked_to: u64,
    regions: u64,
    most_regions: u64,
    most_pages: u64,
    inverted: u64,
    all_of: u64,
    any_of: u64,
    returned: u64,
}

#[repr(C)]
#[derive(Default)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

/// The first pages of the range that are in memory, side by side and at most `most`, by the open `pagemap` of a process;
/// an empty range at the end if there are none.
///
/// # Errors
/// `ENOTTY` before Linux 6.7.
pub fn first_present(pagemap: &File, range: Range<u64>, most: u64) -> Result<Range<u64>, Errno> {
    let mut region = Region::default();
    let mut argument = ScanArgument {
        size: size_of::<ScanArgument>() as u64,
        flags: 0,
        start: range.start,
        end: range.end,
        walked_to: 0,
        regions: (&raw mut region).expose_provenance() as u64,
        most_regions: 1,
        most_pages: most,
        inverted: 0,
        all_of: PRESENT,
        any_of: 0,
        returned: PRESENT,
    };
    // SAFETY: PAGEMAP_SCAN reads and writes such a structure, and one region, which lives through the call.
    unsafe {
        let operation = Updater::<{ opcode::read_write::<ScanArgument>(b'f', 16) }, _>::new(&mut argument);
        ioctl(pagemap, operation)?;
    }
    match region.start < region.end {
        true => Ok(region.start..region.end),
        false => Ok(range.end..range.end),
    }
}
