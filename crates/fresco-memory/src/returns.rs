// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests whose end is known, in the order of their ends.

use fresco_dram::{Cycle, NEVER};
use std::collections::VecDeque;

/// What is kept of a request on its way back.
pub(crate) trait Kept {
    /// Its place among those that are back in the same cycle.
    fn order(&self) -> u64;
}

impl Kept for () {
    #[inline]
    fn order(&self) -> u64 {
        0
    }
}

/// Requests on their way back. They come nearly in order, so that insertion from the back is cheap.
pub(crate) struct Returns<T> {
    /// The cycle of the first of `queue`, or [`NEVER`].
    first: Cycle,
    queue: VecDeque<(Cycle, T)>,
}

impl<T: Kept> Returns<T> {
    pub(crate) fn new() -> Self {
        Self {
            first: NEVER,
            queue: VecDeque::new(),
        }
    }

    /// When the first of them is back; [`NEVER`] if there is none.
    #[inline]
    pub(crate) fn first(&self) -> Cycle {
        self.first
    }

    /// One that is back at cycle `at`; those of the same cycle come by their order, equal ones as they were put in.
    #[inline]
    pub(crate) fn insert(&mut self, at: Cycle, item: T) {
        self.first = self.first.min(at);
        let key = (at, item.order());
        let before = |other: &(Cycle, T)| (other.0, other.1.order()) <= key;
        if self.queue.back().is_none_or(before) {
            self.queue.push_back((at, item));
        } else {
            let place = self.queue.iter().rposition(before).map_or(0, |i| i + 1);
            self.queue.insert(place, (at, item));
        }
    }

    /// The first of them, and when it is back.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(Cycle, T)> {
        let first = self.queue.pop_front();
        self.first = self.queue.front().map_or(NEVER, |next| next.0);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Kept for (u64, char) {
        fn order(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn by_cycle_then_by_order_then_as_they_came() {
        let mut returns = Returns::new();
        assert_eq!((returns.first(), returns.pop()), (NEVER, None));
        for (at, order, name) in [(7, 0, 'd'), (5, 2, 'b'), (5, 1, 'a'), (9, 0, 'e'), (5, 2, 'c')] {
            returns.insert(at, (order, name));
        }
        assert_eq!(returns.first(), 5);
        let all: Vec<_> = std::iter::from_fn(|| returns.pop())
            .map(|(at, (_, name))| (at, name))
            .collect();
        assert_eq!(all, [(5, 'a'), (5, 'b'), (5, 'c'), (7, 'd'), (9, 'e')]);
        assert_eq!(returns.first(), NEVER);
    }
}
