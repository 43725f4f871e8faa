// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores in the order in which they go on.

use fresco_dram::{NEVER, Ps};
use std::ops::{Deref, Index, IndexMut};

/// What has a time at which it goes on.
pub(crate) trait Timed {
    /// When; [`NEVER`] while it waits for others.
    fn next_time(&self) -> Ps;
}

/// Items, and which of them goes next. Every way to change an item notes that its time may have changed.
///
/// The order is a tournament (Knuth, The Art of Computer Programming 3, §5.4.1): each node of a binary tree has the least time
/// of its half, so that a changed time costs no more comparisons than the tree has levels.
pub(crate) struct InOrder<T> {
    items: Vec<T>,
    /// The node `n` has the children `2n` and `2n + 1`; the last half are the items, filled up with some that wait for ever.
    nodes: Vec<Ps>,
    /// Items that may have changed since, possibly more than once.
    changed: Vec<u32>,
}

impl<T: Timed> InOrder<T> {
    /// All items may have changed.
    pub fn new(items: Vec<T>) -> Self {
        Self {
            nodes: vec![NEVER; 2 * items.len().next_power_of_two()],
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
        let nodes = &self.nodes[..];
        let (first, half) = (nodes[1], nodes.len() / 2);
        let mut node = 1;
        while node < half {
            node = 2 * node + usize::from(nodes[2 * node] != first);
        }
        debug_assert_eq!(first, self.items.iter().map(T::next_time).min().unwrap_or(NEVER));
        (node - half, first)
    }

    /// The time of an item has changed: its matches are played again, as far as they end otherwise.
    #[inline]
    fn play(&mut self, item: usize) {
        let nodes = &mut self.nodes[..];
        let mut node = nodes.len() / 2 + item;
        let mut first = self.items[item].next_time();
        while nodes[node] != first {
            nodes[node] = first;
            if node == 1 {
                return;
            }
            first = first.min(nodes[node ^ 1]);
            node /= 2;
        }
    }

    /// The items, by number.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }
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
        fn it_finds_what_a_search_finds(count in 1usize..40, changes in prop::collection::vec((0usize..40, 0u64..20), 0..200)) {
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
