// SPDX-License-Identifier: MIT OR Apache-2.0
//! What detectors need of a machine: something that can be timed.

use crate::evidence::Stage;
use std::ops::Range;

/// A chain of lines that one core walks, over and over.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// Physical addresses of the lines, in the order of the walk; never empty.
    pub lines: &'a [u64],
    /// Loads under way at once, at least 1; 1 is a pointer chase.
    pub outstanding: u32,
}

/// One load of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// When it began, in nanoseconds of [`Timer::now`].
    pub at: f64,
    /// How long it took, in nanoseconds.
    pub took: f64,
}

/// A machine whose memory can be timed. Addresses are physical addresses as the timer knows them, which is what the
/// operating system says: whether that is true is for the detector to find out.
///
/// No line is in a cache when it is loaded: a timer flushes, or has no caches.
pub trait Timer {
    /// The ranges of physical addresses that may be accessed, ascending, each a multiple of 4096 bytes.
    fn ranges(&self) -> &[Range<u64>];

    /// Ranges within which whatever stands before the memory controllers shifts all addresses alike: those of the
    /// firmware's table of memory, with holes between them. They hold [`Self::ranges`], and ascend.
    fn regions(&self) -> Vec<Range<u64>> {
        self.ranges().to_vec()
    }

    /// Told when a stage begins, for those who wait.
    fn begins(&mut self, stage: Stage) {
        let _ = stage;
    }

    /// Loads both lines at the same time, waits for both, `rounds` times over. Time of all rounds in nanoseconds.
    /// Makes at most `2 × rounds` accesses. `a` and `b` may be the same line.
    fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64;

    /// Walks all streams at the same time, each on a core of its own, until they have made `accesses` accesses
    /// together. Mean time of an access of the first stream in nanoseconds; NaN if it made none.
    fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64;

    /// Loads a line `accesses` times, one load after the other.
    fn series(&mut self, line: u64, accesses: u32) -> Vec<Load>;

    /// Lets time pass without touching memory, in nanoseconds.
    fn wait(&mut self, nanoseconds: f64);

    /// Time since some start, in nanoseconds.
    fn now(&self) -> f64;
}
