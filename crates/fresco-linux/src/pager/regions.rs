// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which addresses are watched, and for which set of colors.

use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges that do not overlap, each with the number of its set of colors.
#[derive(Debug, Default)]
pub struct Regions {
    /// First address, then the first after it.
    parts: BTreeMap<u64, (u64, u32)>,
}

impl Regions {
    /// From now on the range is of `set`, whatever it was.
    pub fn put(&mut self, range: &Range<u64>, set: u32) {
        let mut whole = range.clone();
        let touching: Vec<u64> = self.parts.range(..=range.end).rev().map(|(&start, _)| start).collect();
        for start in touching {
            let (end, other) = self.parts[&start];
            if end < range.start {
                break;
            }
            self.parts.remove(&start);
            if other == set {
                whole = whole.start.min(start)..whole.end.max(end);
                continue;
            }
            if start < range.start {
                self.parts.insert(start, (range.start.min(end), other));
            }
            if end > range.end {
                self.parts.insert(range.end.max(start), (end, other));
            }
        }
        self.parts.insert(whole.start, (whole.end, set));
    }

    /// The set of an address, and where its region ends.
    pub fn at(&self, address: u64) -> Option<(u32, u64)> {
        let (_, &(end, set)) = self.parts.range(..=address).next_back()?;
        (address < end).then_some((set, end))
    }

    /// The first region that ends after an address: what of it comes after.
    pub fn from(&self, address: u64) -> Option<(Range<u64>, u32)> {
        if let Some((set, end)) = self.at(address) {
            return Some((address..end, set));
        }
        let (&start, &(end, set)) = self.parts.range(address..).next()?;
        Some((start..end, set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn later_ranges_take_the_place_of_earlier_ones() {
        let mut regions = Regions::default();
        regions.put(&(100..200), 0);
        regions.put(&(200..300), 0);
        assert_eq!(regions.from(0), Some((100..300, 0)), "they are one");
        regions.put(&(150..160), 3);
        assert_eq!(regions.at(149), Some((0, 150)));
        assert_eq!(regions.at(150), Some((3, 160)));
        assert_eq!(regions.from(160), Some((160..300, 0)));
        assert_eq!((regions.at(99), regions.at(300), regions.from(300)), (None, None, None));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_address_has_the_set_that_was_put_there_last(
            puts in prop::collection::vec((0u64..60, 1u64..20, 0u32..3), 1..20),
        ) {
            let mut regions = Regions::default();
            let mut plain = [None; 80];
            for (start, size, set) in puts {
                regions.put(&(start..start + size), set);
                plain[start as usize..(start + size) as usize].fill(Some(set));
            }
            for (address, set) in (0..).zip(plain) {
                prop_assert_eq!(regions.at(address).map(|(set, _)| set), set, "{}", address);
            }
            let mut at = 0;
            let mut covered = 0;
            while let Some((range, _)) = regions.from(at) {
                covered += range.end - range.start;
                at = range.end;
            }
            prop_assert_eq!(covered, plain.iter().flatten().count() as u64);
        }
    }
}
