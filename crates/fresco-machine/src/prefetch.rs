// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a core fetches before it is asked for.

use serde::{Deserialize, Serialize};

/// The hardware prefetchers of a core; each may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefetch {
    /// The line after the one that level 1 missed, or that was prefetched and is used now, comes into level 1. What Intel calls the DCU
    /// prefetcher.
    pub next_line: bool,
    /// Lines at equal distances, into level 1: Intel's DCU IP prefetcher, AMD's L1 stride prefetcher.
    pub stride: Option<Stride>,
    /// Ascending and descending lines, into level 2: Intel's L2 streamer, the L2 stream prefetchers of AMD and Arm.
    pub stream: Option<Stream>,
}

impl Prefetch {
    /// No prefetch leaves the region of this many bytes in which its access is: "data prefetchers do not prefetch across a 4 KB page" is
    /// what the Intel 64 and IA-32 Optimization Reference Manual says of all of them, whatever the size of the pages.
    pub const REGION: u64 = 4096;

    /// Lines of the memory that may share a set of a cache that is prefetched into: what the simulator's tags, of 31 bits then, tell apart.
    pub const MOST_LINES_OF_SET: u64 = (1 << 31) - 1;

    /// Returns true if nothing is prefetched.
    pub fn is_off(&self) -> bool {
        *self == Self::default()
    }
}

/// A stride prefetcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stride {
    /// Regions of 4 KiB that it remembers, 1 to 256.
    pub regions: u32,
    /// Lines that it prefetches at an access, 1 to 16.
    pub degree: u32,
}

/// A stream prefetcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// Streams that it follows, each within 4 KiB, 1 to 256.
    pub streams: u32,
    /// Lines that it prefetches at an access, 1 to 16.
    pub degree: u32,
    /// Lines that it runs ahead of the accesses at most, 1 to 63.
    pub distance: u32,
}

impl Default for Stride {
    /// One line at an access, as Intel's manual describes it; no source says how many it remembers: as many as the pages of a
    /// small TLB.
    fn default() -> Self {
        Self { regions: 64, degree: 1 }
    }
}

impl Default for Stream {
    /// 32 streams, up to 20 lines ahead, two requests at an access: the streamer of Sandy Bridge (Intel 64 and IA-32 Optimization
    /// Reference Manual, Data Prefetching).
    fn default() -> Self {
        Self {
            streams: 32,
            degree: 2,
            distance: 20,
        }
    }
}
