// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who makes which iterations of a loop.

use std::ops::Range;

/// Bounds of the threads' shares of `iterations`: thread t makes those from bound t up to bound t + 1. Shares differ by one
/// iteration at most, the first threads have the longer ones: OpenMP's static schedule without a chunk size.
pub(crate) fn bounds(iterations: usize, threads: usize) -> Vec<usize> {
    let (each, more) = (iterations / threads, iterations % threads);
    (0..=threads).map(|thread| thread * each + thread.min(more)).collect()
}

/// Bounds of the threads' shares of one thing that is `owner`'s.
pub(crate) fn owned(owner: usize, threads: usize) -> Vec<usize> {
    (0..=threads).map(|bound| usize::from(bound > owner)).collect()
}

/// The first `percent` of a share.
pub(super) fn head(share: &Range<usize>, percent: u64) -> Range<usize> {
    let iterations = share.len() as u64;
    // Below 2^57 iterations of a share the product fits.
    share.start..share.start + (iterations * percent / 100) as usize
}

/// Ranges of iterations, gone through in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    /// Last range first.
    ranges: Vec<Range<usize>>,
}

impl Walk {
    /// All iterations of `ranges`, in this order.
    pub fn new(ranges: impl IntoIterator<Item = Range<usize>>) -> Self {
        let mut ranges: Vec<_> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        ranges.reverse();
        Self { ranges }
    }

    /// All iterations of one range.
    pub fn over(range: Range<usize>) -> Self {
        Self::new(std::iter::once(range))
    }

    /// The iteration to make next.
    pub fn iteration(&self) -> Option<usize> {
        self.ranges.last().map(|range| range.start)
    }

    /// That iteration is made.
    pub fn made(&mut self) {
        if let Some(range) = self.ranges.last_mut() {
            range.start += 1;
            if range.start == range.end {
                self.ranges.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_as_openmp_deals_them_out() {
        assert_eq!(bounds(10, 4), [0, 3, 6, 8, 10]);
        assert_eq!(bounds(2, 3), [0, 1, 2, 2]);
        assert_eq!(bounds(0, 2), [0, 0, 0]);
        assert_eq!(owned(1, 3), [0, 0, 1, 1]);
    }

    #[test]
    fn heads_are_so_many_percent() {
        assert_eq!(head(&(10..20), 0), 10..10);
        assert_eq!(head(&(10..20), 35), 10..13);
        assert_eq!(head(&(10..20), 100), 10..20);
    }

    #[test]
    fn a_walk_makes_every_trip_once() {
        let mut walk = Walk::new([3..5, 9..9, 0..2]);
        let mut iterations = vec![];
        while let Some(iteration) = walk.iteration() {
            iterations.push(iteration);
            walk.made();
        }
        assert_eq!(iterations, [3, 4, 0, 1]);
    }
}
