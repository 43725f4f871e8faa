// SPDX-License-Identifier: MIT OR Apache-2.0
//! True least-recently-used order of every set.

/// One byte per way: its age, 0 for the most recently used way, `ways - 1` for the victim. The ages of a set are
/// always a permutation of `0..ways`. Ageing a set is one compare-and-add over adjacent bytes, a few vector
/// instructions even at 96 ways.
#[derive(Clone, Debug)]
pub(super) struct Lru {
    ways: usize,
    /// Bytes from one set to the next: `ways` rounded up to [`LANES`].
    stride: usize,
    age: Vec<u8>,
}

/// Bytes handled together; rows are padded to a multiple so that no loop has a remainder.
const LANES: usize = 8;
/// Age of the padding: older than every way, so never aged, and never the victim.
const PADDING: u8 = u8::MAX;

impl Lru {
    /// All sets in the order that makes way 0 the first victim. `ways` is 1 to 128.
    pub fn new(sets: usize, ways: usize) -> Self {
        debug_assert!((1..=128).contains(&ways));
        let stride = ways.next_multiple_of(LANES);
        let row = (0..stride).map(|way| if way < ways { (ways - 1 - way) as u8 } else { PADDING });
        let age = row.collect::<Vec<u8>>().repeat(sets);
        Self { ways, stride, age }
    }

    /// Makes `way` the most recently used of its set.
    #[inline]
    pub fn touch(&mut self, set: usize, way: usize) {
        let row = &mut self.age[set * self.stride..][..self.stride];
        let age = row[way];
        if age == 0 {
            return;
        }
        for lanes in row.chunks_exact_mut(LANES) {
            for other in lanes {
                *other += u8::from(*other < age);
            }
        }
        row[way] = 0;
    }

    /// The least recently used way.
    #[inline]
    pub fn victim(&self, set: usize) -> usize {
        let row = &self.age[set * self.stride..][..self.stride];
        let oldest = (self.ways - 1) as u8;
        row.iter().position(|age| *age == oldest).expect("the ages of a set are a permutation")
    }

    /// Makes `way` the next victim.
    pub fn demote(&mut self, set: usize, way: usize) {
        let row = &mut self.age[set * self.stride..][..self.ways];
        let age = row[way];
        for other in row.iter_mut() {
            *other -= u8::from(*other > age);
        }
        row[way] = (self.ways - 1) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_follows_use() {
        let mut lru = Lru::new(2, 3);
        assert_eq!(lru.victim(1), 0);
        for way in [0, 1, 2, 0] {
            lru.touch(1, way);
        }
        assert_eq!(lru.victim(1), 1);
        lru.demote(1, 0);
        assert_eq!(lru.victim(1), 0);
        lru.touch(1, 0);
        assert_eq!(lru.victim(1), 1, "the rest of the order is kept");
        assert_eq!(lru.victim(0), 0, "other sets are untouched");
    }

    #[test]
    fn ages_stay_a_permutation() {
        for ways in [1, 2, 7, 8, 9, 48, 96, 128] {
            let mut lru = Lru::new(1, ways);
            for step in 0..4 * ways {
                lru.touch(0, step * 37 % ways);
                lru.demote(0, step * 11 % ways);
                lru.touch(0, step * 5 % ways);
                let mut ages: Vec<usize> = lru.age[..ways].iter().map(|age| usize::from(*age)).collect();
                ages.sort_unstable();
                assert!(ages.into_iter().eq(0..ways), "{ways} ways, step {step}");
            }
        }
    }
}
