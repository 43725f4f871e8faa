// SPDX-License-Identifier: MIT OR Apache-2.0
//! True least-recently-used order.

use super::order::Ways;

/// The ways of each set in the order of their last use, the most recent first.
#[derive(Clone, Debug)]
pub(super) struct Lru {
    ways: usize,
    order: Order,
}

#[derive(Clone, Debug)]
enum Order {
    /// Of up to [`FEW`] ways: those of a set are the digits of a word, that of rank 0 the lowest.
    Few(Vec<Digits>),
    /// `[set * ways + rank]`
    Many(Vec<u8>),
}

impl Lru {
    /// No way of a set has been used: way 0 is the next victim, then 1. `ways` is at most 256.
    pub fn new(sets: usize, ways: usize) -> Self {
        let order = (0..ways).rev().map(|way| way as u8);
        let order = if ways <= FEW {
            Order::Few(vec![Digits::of(order); sets])
        } else {
            Order::Many(order.collect::<Vec<u8>>().repeat(sets))
        };
        Self { ways, order }
    }

    /// Makes `way` the most recently used of its set.
    #[inline]
    pub fn touch(&mut self, set: usize, way: usize) {
        match &mut self.order {
            Order::Few(sets) => {
                let order = &mut sets[set];
                *order = order.with_first(order.rank(way));
            }
            Order::Many(order) => to_front(&mut order[set * self.ways..][..self.ways], way as u8),
        }
    }

    /// Makes the least recently used way of a set the most recently used, and returns it.
    #[inline]
    pub fn replace(&mut self, set: usize) -> usize {
        let last = self.ways - 1;
        match &mut self.order {
            Order::Few(sets) => {
                let order = &mut sets[set];
                *order = order.with_first(last as u32);
                order.at(0)
            }
            Order::Many(order) => {
                let order = &mut order[set * self.ways..][..self.ways];
                let way = order[last];
                order.copy_within(..last, 1);
                order[0] = way;
                usize::from(way)
            }
        }
    }

    /// The same among the ways allowed, of which there is one at least.
    pub fn replace_among(&mut self, set: usize, allowed: Ways) -> usize {
        let is_allowed = |way: usize| allowed >> way & 1 == 1;
        let way = match &self.order {
            Order::Few(sets) => (0..self.ways)
                .map(|rank| sets[set].at(rank as u32))
                .rfind(|way| is_allowed(*way)),
            Order::Many(order) => {
                let order = order[set * self.ways..][..self.ways].iter();
                order.map(|way| usize::from(*way)).rfind(|way| is_allowed(*way))
            }
        };
        let way = way.expect("some way is allowed");
        self.touch(set, way);
        way
    }

    /// Makes `way` the next victim of its set.
    pub fn demote(&mut self, set: usize, way: usize) {
        match &mut self.order {
            Order::Few(sets) => {
                let order = &mut sets[set];
                *order = order.with_last(order.rank(way), self.ways as u32 - 1);
            }
            Order::Many(order) => {
                let order = &mut order[set * self.ways..][..self.ways];
                let rank = rank(order, way as u8);
                order[rank..].rotate_left(1);
            }
        }
    }
}

/// Where a way is in the order.
fn rank(order: &[u8], way: u8) -> usize {
    memchr::memchr(way, order).expect("the order of a set is a permutation of its ways")
}

/// Moves a way to the front.
fn to_front(order: &mut [u8], way: u8) {
    if order[0] != way {
        let rank = rank(order, way);
        order.copy_within(..rank, 1);
        order[0] = way;
    }
}

/// Ways that fit into a word.
const FEW: usize = 16;

/// Hexadecimal digits, each at most once among those that have a meaning, which are the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digits(u64);

impl Digits {
    fn of(order: impl DoubleEndedIterator<Item = u8>) -> Self {
        Self(order.rev().fold(0, |digits, way| digits << 4 | u64::from(way)))
    }

    #[inline]
    fn at(self, rank: u32) -> usize {
        (self.0 >> (4 * rank) & 0xf) as usize
    }

    /// The lowest digit that is `way`.
    #[inline]
    fn rank(self, way: usize) -> u32 {
        const EACH: u64 = 0x1111_1111_1111_1111;
        let differences = self.0 ^ (way as u64).wrapping_mul(EACH);
        // The top bit of the lowest digit that is 0, and perhaps of some above it.
        let zeros = differences.wrapping_sub(EACH) & !differences & EACH << 3;
        zeros.trailing_zeros() / 4
    }

    /// The digits below a rank.
    #[inline]
    fn below(self, rank: u32) -> u64 {
        self.0 & !(u64::MAX << (4 * rank))
    }

    /// With the digit at `rank` in the lowest place.
    #[inline]
    fn with_first(self, rank: u32) -> Self {
        let above = self.0 & u64::MAX << (4 * rank) << 4;
        Self(above | self.below(rank) << 4 | self.at(rank) as u64)
    }

    /// With the digit at `rank` at `last`, which is no lower.
    fn with_last(self, rank: u32, last: u32) -> Self {
        let way = self.at(rank) as u64;
        let others = self.below(rank) | self.0 >> 4 & u64::MAX << (4 * rank);
        Self(others & !(0xf << (4 * last)) | way << (4 * last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_follows_use() {
        let mut lru = Lru::new(2, 3);
        assert_eq!([(); 4].map(|()| lru.replace(1)), [0, 1, 2, 0]);
        lru.touch(1, 1);
        assert_eq!(lru.replace(1), 2);
        lru.demote(1, 1);
        assert_eq!(lru.replace(1), 1);
        assert_eq!(lru.replace(1), 0, "the rest of the order is kept");
        assert_eq!(lru.replace(0), 0, "the other set has its own");
        // From the most recent on: 0, 2, 1 by now.
        assert_eq!(
            [0b101, 0b101, 0b010].map(|allowed| lru.replace_among(0, allowed)),
            [2, 0, 1]
        );
    }

    #[test]
    fn it_does_what_a_list_does() {
        for ways in [1, 2, 7, 8, 15, 16, 17, 48, 96, 128] {
            let mut lru = Lru::new(1, ways);
            let mut list: Vec<usize> = (0..ways).rev().collect();
            let take = |list: &mut Vec<usize>, way: usize| {
                let rank = list.iter().position(|other| *other == way);
                list.remove(rank.expect("it is there"))
            };
            for step in 0..4 * ways {
                let used = step * 37 % ways;
                lru.touch(0, used);
                let way = take(&mut list, used);
                list.insert(0, way);
                let least = step * 11 % ways;
                lru.demote(0, least);
                let way = take(&mut list, least);
                list.push(way);
                let victim = list.pop().expect("a set has ways");
                assert_eq!(lru.replace(0), victim, "{ways} ways, step {step}");
                list.insert(0, victim);
                let order: Vec<usize> = match &lru.order {
                    Order::Few(sets) => (0..ways as u32).map(|rank| sets[0].at(rank)).collect(),
                    Order::Many(order) => order.iter().map(|way| usize::from(*way)).collect(),
                };
                assert_eq!(order, list);
            }
        }
    }
}
