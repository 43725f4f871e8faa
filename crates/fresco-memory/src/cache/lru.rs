// SPDX-License-Identifier: MIT OR Apache-2.0
//! True least-recently-used order.

/// The ways of each set in the order of their last use, the most recent first.
#[derive(Clone, Debug)]
pub(super) struct Lru {
    ways: usize,
    /// `[set * ways + rank]`
    order: Vec<u8>,
}

/// Up to so many ways are searched and moved one by one; more of them in blocks, by calls that have a cost of their own.
const FEW: usize = 8;

impl Lru {
    /// No way of a set has been used: way 0 is the next victim, then 1. `ways` is at most 256.
    pub fn new(sets: usize, ways: usize) -> Self {
        let order: Vec<u8> = (0..ways).rev().map(|way| way as u8).collect();
        Self {
            ways,
            order: order.repeat(sets),
        }
    }

    /// Makes `way` the most recently used of its set.
    #[inline]
    pub fn touch(&mut self, set: usize, way: usize) {
        let order = self.of(set);
        if order[0] != way as u8 {
            let rank = rank(order, way as u8);
            to_front(order, rank);
        }
    }

    /// Makes the least recently used way of a set the most recently used, and returns it.
    #[inline]
    pub fn replace(&mut self, set: usize) -> usize {
        let order = self.of(set);
        to_front(order, order.len() - 1);
        usize::from(order[0])
    }

    /// Makes `way` the next victim of its set.
    pub fn demote(&mut self, set: usize, way: usize) {
        let order = self.of(set);
        let rank = rank(order, way as u8);
        order[rank..].rotate_left(1);
    }

    #[inline]
    fn of(&mut self, set: usize) -> &mut [u8] {
        &mut self.order[set * self.ways..][..self.ways]
    }
}

/// Where a way is in the order.
#[inline]
fn rank(order: &[u8], way: u8) -> usize {
    let rank = if order.len() <= FEW {
        order.iter().position(|other| *other == way)
    } else {
        memchr::memchr(way, order)
    };
    rank.expect("the order of a set is a permutation of its ways")
}

/// Moves what is at `rank` to the front, and everything before it one back.
#[inline]
fn to_front(order: &mut [u8], rank: usize) {
    let way = order[rank];
    if rank < FEW {
        for at in (0..rank).rev() {
            order[at + 1] = order[at];
        }
    } else {
        order.copy_within(..rank, 1);
    }
    order[0] = way;
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
    }

    #[test]
    fn it_does_what_a_list_does() {
        for ways in [1, 2, 7, 8, 9, 48, 96, 128] {
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
                assert!(lru.order.iter().map(|way| usize::from(*way)).eq(list.iter().copied()));
            }
        }
    }
}
