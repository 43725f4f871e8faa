// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hardware prefetchers of a core, and what the private levels do with what they fetch.
//!
//! They learn from the accesses that level 1 misses, and from the first access to each line that was prefetched, which is one that would have
//! missed. So a stream that is prefetched in time goes on being prefetched (tagged prefetching: Smith, Cache Memories, ACM Computing
//! Surveys 14, 1982). What is prefetched is at most a region of [`Prefetch::REGION`] bytes away; who drives the caches decides whether it is.

mod fill;
mod stream;
mod stride;
#[cfg(test)]
mod tests;

pub use fill::Prefetched;

use fresco_dram::PhysAddr;
use fresco_machine::Prefetch;
use serde::{Deserialize, Serialize};
use stream::Streams;
use stride::Strides;

/// A line that a prefetcher asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Address of its first byte.
    pub line: PhysAddr,
    /// 1 or 2: where it is to go. Where there is no such level it goes to the other.
    pub level: u8,
}

/// What became of the prefetches of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefetchCounts {
    /// Lines that were brought into a private level, or from level 2 into level 1, before they were asked for.
    pub issued: u64,
    /// Those of `issued` that the last-level cache did not have: they came from memory, or joined a line under way from there.
    pub from_memory: u64,
    /// Those that were used, by an access or (of level 2) by a prefetch into level 1.
    pub useful: u64,
    /// Those of `useful` whose data were still on the way at the first use.
    pub late: u64,
    /// Those that left their level, and had not been used. What is neither useful nor useless is still there.
    pub useless: u64,
    /// Wanted, and not issued: no miss register was free, of the core or of the last-level cache.
    pub dropped: u64,
}

/// The prefetchers of a core.
#[derive(Clone, Debug)]
pub(super) struct Prefetcher {
    next_line: bool,
    strides: Option<Strides>,
    streams: Option<Streams>,
    pub counts: PrefetchCounts,
}

impl Prefetcher {
    /// They have seen nothing.
    pub fn new(prefetch: &Prefetch) -> Self {
        Self {
            next_line: prefetch.next_line,
            strides: prefetch.stride.as_ref().map(Strides::new),
            streams: prefetch.stream.as_ref().map(Streams::new),
            counts: PrefetchCounts::default(),
        }
    }

    /// An access to a line of so many bytes. What is to be prefetched is appended to `out`, the most urgent first.
    pub fn learn(&mut self, line: PhysAddr, line_bytes: u64, out: &mut Vec<Wanted>) {
        let region = line.0 / Prefetch::REGION;
        let (first, lines) = (region * Prefetch::REGION, (Prefetch::REGION / line_bytes) as i32);
        let access = Access {
            region,
            number: ((line.0 - first) / line_bytes) as i32,
            lines,
        };
        let mut want = |number: i32, level| {
            let line = PhysAddr(first + number as u64 * line_bytes);
            out.push(Wanted { line, level });
        };
        if self.next_line && access.number + 1 < lines {
            want(access.number + 1, 1);
        }
        if let Some(strides) = &mut self.strides {
            strides.learn(&access, &mut |number| want(number, 1));
        }
        if let Some(streams) = &mut self.streams {
            streams.learn(&access, &mut |number| want(number, 2));
        }
    }
}

/// An access as prefetchers see it.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// Number of its region.
    region: u64,
    /// Number of the line within the region.
    number: i32,
    /// Lines of a region.
    lines: i32,
}

/// What is remembered of the regions that were accessed last, the most recent first.
#[derive(Clone, Debug)]
struct Recent<T> {
    entries: Vec<(u64, T)>,
    most: usize,
}

impl<T> Recent<T> {
    fn new(most: u32) -> Self {
        Self {
            entries: Vec::with_capacity(most as usize),
            most: most as usize,
        }
    }

    /// What is remembered of a region, which is the most recent now. One that is new takes the place of the one accessed least recently, and
    /// `None` is returned.
    fn of(&mut self, region: u64, new: impl FnOnce() -> T) -> Option<&mut T> {
        match self.entries.iter().position(|(of, _)| *of == region) {
            Some(at) => {
                self.entries[..=at].rotate_right(1);
                Some(&mut self.entries[0].1)
            }
            None => {
                self.entries.truncate(self.most - 1);
                self.entries.insert(0, (region, new()));
                None
            }
        }
    }
}
