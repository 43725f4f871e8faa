// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores in the order in which they go on.

use fresco_dram::{NEVER, Ps};
use std::ops::{Deref, Index, IndexMut};

/// What has a time at which it goes on.
pub(crate) trait Timed {
    /// When; [`NEVER`] while it waits for others.
    fn next_time(&self) -> Ps;
}

/// Children of a node.
const FAN: usize = 4;

/// Items, and which of them goes next. Every way to change an item notes that its time may have changed.
///
/// A time and the number of its item are one key, so that comparing keys finds both. The order is a tournament (Knuth, The
/// Art of Computer Programming 3, §5.4.1) of four players each: two rounds for sixteen cores, three for sixty-four.
pub(crate) struct InOrder<T> {
    items: Vec<T>,
    /// The node `n` has the least keys of the nodes `4n + 1` to `4n + 4`; those from `leaves` on have the keys of items,
    /// filled up with some that wait for ever.
    nodes: Vec<[u64; FAN]>,
    leaves: usize,
    /// Bits of a key that are the item's number.
    bits: u32,
    /// Items that may have changed since, possibly more than once.
    changed: Vec<u32>,
}

impl<T: Timed> InOrder<T> {
    /// All items may have changed.
    pub fn new(items: Vec<T>) -> Self {
        let (mut leaves, mut room) = (0, FAN);
        while room < items.len() {
            (leaves, room) = (FAN * leaves + 1, FAN * room);
        }
        Self {
            nodes: vec![[NEVER; FAN]; leaves + room / FAN],
            leaves,
            bits: items.len().next_power_of_two().ilog2(),
            changed: (0..items.len() as u32).collect(),
            items,
        }
    }

    /// The item that goes next, and when: the earliest, then the first. [`NEVER`] if all wait.
    #[inline]
    pub fn next(&mut self) -> (usize, Ps) {
        while let Some(item) = self.changed.pop() {
            self.play(item as usize);
        }
        let first = least(&self.nodes[0]);
        let time = if first == NEVER { NEVER } else { first >> self.bits };
        debug_assert_eq!(time, self.items.iter().map(T::next_time).min().unwrap_or(NEVER));
        ((first & !(NEVER << self.bits)) as usize, time)
    }

    /// The time of an item has changed: its matches are played again, as far as they end otherwise.
    #[inline]
    fn play(&mut self, item: usize) {
        let time = self.items[item].next_time();
        debug_assert!(time == NEVER || time < NEVER >> self.bits, "{time} ps is beyond a run");
        let mut key = if time == NEVER {
            NEVER
        } else {
            time << self.bits | item as u64
        };
        let (mut node, mut place) = (self.leaves + item / FAN, item % FAN);
        while self.nodes[node][place] != key {
            self.nodes[node][place] = key;
            if node == 0 {
                return;
            }
            key = least(&self.nodes[node]);
            (node, place) = ((node - 1) / FAN, (node - 1) % FAN);
        }
    }

    /// The items, by number.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }
}

#[inline]
fn least(&[a, b, c, d]: &[u64; FAN]) -> u64 {
    a.min(b).min(c.min(d))
}

impl<T> Deref for InOrder<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> Index<usize> for InOrder<T> {
    type Output = T;

    #[inline]
    fn index(&self, item: usize) -> &T {
        &self.items[item]
    }
}

impl<T> IndexMut<usize> for InOrder<T> {
    #[inline]
    fn index_mut(&mut self, item: usize) -> &mut T {
        if self.changed.last() != Some(&(item as u32)) {
            self.changed.push(item as u32);
        }
        &mut self.items[item]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    impl Timed for Ps {
        fn next_time(&self) -> Ps {
            *self
        }
    }

    #[test]
    fn the_earliest_goes_first_then_the_one_with_the_lowest_number() {
        let mut items = InOrder::new(vec![7, 5, 5]);
        assert_eq!(items.next(), (1, 5));
        items[1] = NEVER;
        assert_eq!(items.next(), (2, 5));
        items[0] = 5;
        assert_eq!(items.next(), (0, 5));
        (0..3).for_each(|item| items[item] = NEVER);
        assert_eq!(items.next().1, NEVER);
        assert_eq!(InOrder::<Ps>::new(Vec::new()).next().1, NEVER);
        assert_eq!(InOrder::new(vec![3]).next(), (0, 3));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(29), failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn it_finds_what_a_search_finds(count in 1usize..70, changes in prop::collection::vec((0usize..70, 0u64..20), 0..200)) {
            let mut items = InOrder::new(vec![0; count]);
            for (item, time) in changes {
                items[item % count] = time;
                let least = *items.iter().min().expect("there are items");
                let first = items.iter().position(|time| *time == least).expect("it is one of them");
                prop_assert_eq!(items.next(), (first, least));
            }
        }
    }
}
