// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests whose end is known, in the order of their ends.

use fresco_dram::{Cycle, NEVER};
use std::collections::VecDeque;

/// What was known of one request when its end became known.
struct Return<T> {
    at: Cycle,
    order: u64,
    item: T,
}

/// Requests on their way back. They come nearly in order, so that insertion from the back is cheap.
pub(crate) struct Returns<T> {
    /// The cycle of the first of `queue`, or [`NEVER`].
    first: Cycle,
    queue: VecDeque<Return<T>>,
}

impl<T> Returns<T> {
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

    /// One that is back at cycle `at`; those of the same cycle come by `order`, equal ones as they were put in.
    #[inline]
    pub(crate) fn insert(&mut self, at: Cycle, order: u64, item: T) {
        self.first = self.first.min(at);
        let before = |other: &Return<T>| (other.at, other.order) <= (at, order);
        let item = Return { at, order, item };
        if self.queue.back().is_none_or(before) {
            self.queue.push_back(item);
        } else {
            let place = self.queue.iter().rposition(before).map_or(0, |i| i + 1);
            self.queue.insert(place, item);
        }
    }

    /// The first of them, and when it is back.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(Cycle, T)> {
        let first = self.queue.pop_front();
        self.first = self.queue.front().map_or(NEVER, |next| next.at);
        first.map(|first| (first.at, first.item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_cycle_then_by_order_then_as_they_came() {
        let mut returns = Returns::new();
        assert_eq!((returns.first(), returns.pop()), (NEVER, None));
        for (at, order, name) in [(7, 0, 'd'), (5, 2, 'b'), (5, 1, 'a'), (9, 0, 'e'), (5, 2, 'c')] {
            returns.insert(at, order, name);
        }
        assert_eq!(returns.first(), 5);
        let all: Vec<_> = std::iter::from_fn(|| returns.pop()).collect();
        assert_eq!(all, [(5, 'a'), (5, 'b'), (5, 'c'), (7, 'd'), (9, 'e')]);
        assert_eq!(returns.first(), NEVER);
    }
}
