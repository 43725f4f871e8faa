// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random numbers, all from one seed.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use std::ops::Range;

/// Bytes of a line: what a probe loads, and the least that may differ between two probes.
pub const LINE: u64 = 64;

/// A seeded source of numbers, lines and noise.
#[derive(Clone, Debug)]
pub struct Draws(Pcg64);

impl Draws {
    /// The source of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    /// A number below `bound`, which is at least 1. The remainder's bias is below 2^-20 for bounds up to 2^44.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number of the normal distribution with mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A line anywhere in `ranges`, which hold at least one.
    pub fn line(&mut self, ranges: &[Range<u64>]) -> u64 {
        let total: u64 = ranges.iter().map(|range| (range.end - range.start) / LINE).sum();
        let mut place = self.below(total.max(1));
        for range in ranges {
            let lines = (range.end - range.start) / LINE;
            if place < lines {
                return range.start + place * LINE;
            }
            place -= lines;
        }
        ranges[0].start
    }

    /// Puts items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}
