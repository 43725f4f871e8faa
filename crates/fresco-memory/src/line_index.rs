// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small table from lines to numbers, for the lines that are under way.

use fresco_dram::PhysAddr;

/// Which number a line has: open addressing with linear probing, at most a quarter full. Removal moves back what it would cut
/// off, so that there are no marks of removed lines and a search ends at the first empty place (Knuth, The Art of Computer
/// Programming 3, §6.4, algorithm R).
///
/// It is never iterated over: the order of the places reaches no result.
#[derive(Clone, Debug)]
pub struct LineIndex {
    places: Vec<Place>,
    /// By how much a hash is shifted to be a place.
    shift: u32,
    count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    /// [`EMPTY`], or the address of a line.
    key: u64,
    number: u32,
}

/// No line has this address: lines are aligned.
const EMPTY: u64 = u64::MAX;

/// Places of a new table.
const FIRST: usize = 32;

/// 2^64 divided by the golden ratio, odd: Fibonacci hashing (Knuth, as above).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Default for LineIndex {
    fn default() -> Self {
        Self::with_places(FIRST)
    }
}

impl LineIndex {
    fn with_places(places: usize) -> Self {
        Self {
            places: vec![Place { key: EMPTY, number: 0 }; places],
            shift: u64::BITS - places.trailing_zeros(),
            count: 0,
        }
    }

    /// Lines in the table.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if no line is in the table.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of a line.
    #[inline]
    pub fn get(&self, line: PhysAddr) -> Option<u32> {
        let place = self.places[self.find(line.0)];
        (place.key != EMPTY).then_some(place.number)
    }

    /// Gives a line a number, in place of the one it may have.
    #[inline]
    pub fn insert(&mut self, line: PhysAddr, number: u32) {
        debug_assert_ne!(line.0, EMPTY, "no line is there");
        let mut at = self.find(line.0);
        if self.places[at].key == EMPTY {
            if 4 * (self.count + 1) > self.places.len() {
                self.grow();
                at = self.find(line.0);
            }
            self.count += 1;
        }
        self.places[at] = Place { key: line.0, number };
    }

    /// Forgets a line if it has this number.
    pub fn remove(&mut self, line: PhysAddr, number: u32) {
        let mut hole = self.find(line.0);
        if self.places[hole].key == EMPTY || self.places[hole].number != number {
            return;
        }
        self.count -= 1;
        let mask = self.places.len() - 1;
        let mut at = (hole + 1) & mask;
        let mut place = self.places[at];
        while place.key != EMPTY {
            // A line that is found from its home on without passing the hole stays.
            let from_home = at.wrapping_sub(self.home(place.key)) & mask;
            if from_home >= at.wrapping_sub(hole) & mask {
                self.places[hole] = place;
                hole = at;
            }
            at = (at + 1) & mask;
            place = self.places[at];
        }
        self.places[hole].key = EMPTY;
    }

    /// The place of a line, or the empty one where it would be.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut at = self.home(key);
        loop {
            let found = self.places[at].key;
            if found == key || found == EMPTY {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// Where the search for a line begins.
    #[inline]
    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(GOLDEN) >> self.shift) as usize
    }

    #[cold]
    fn grow(&mut self) {
        let larger = Self::with_places(2 * self.places.len());
        let former = std::mem::replace(self, larger);
        for place in former.places.iter().filter(|place| place.key != EMPTY) {
            self.insert(PhysAddr(place.key), place.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use std::collections::BTreeMap;

    #[test]
    fn a_line_has_the_last_number_it_was_given() {
        let mut index = LineIndex::default();
        index.insert(PhysAddr(64), 1);
        index.insert(PhysAddr(64), 2);
        assert_eq!((index.get(PhysAddr(64)), index.len()), (Some(2), 1));
        index.remove(PhysAddr(64), 1);
        assert_eq!(index.get(PhysAddr(64)), Some(2), "it has another number");
        index.remove(PhysAddr(64), 2);
        assert_eq!((index.get(PhysAddr(64)), index.is_empty()), (None, true));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(23), failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0u64..96, any::<bool>(), any::<u32>()), 0..600)) {
            let (mut index, mut model) = (LineIndex::default(), BTreeMap::new());
            for (line, inserts, number) in steps {
                let line = PhysAddr(line << 6);
                if inserts {
                    index.insert(line, number);
                    model.insert(line, number);
                } else if let Some(number) = model.remove(&line) {
                    index.remove(line, number);
                }
                prop_assert_eq!(index.len(), model.len());
                for line in (0..96).map(|n| PhysAddr(n << 6)) {
                    prop_assert_eq!(index.get(line), model.get(&line).copied());
                }
            }
        }
    }
}
