// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queues whose elements come nearly in order.

use std::collections::VecDeque;

/// Puts an element behind all that are not `after` it. It is moved there step by step, since it seldom has far to go.
#[inline]
pub(crate) fn insert_from_behind<T>(queue: &mut VecDeque<T>, element: T, after: impl Fn(&T) -> bool) {
    let mut at = queue.len();
    queue.push_back(element);
    while at > 0 && after(&queue[at - 1]) {
        queue.swap(at - 1, at);
        at -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_keep_their_order() {
        let mut queue = VecDeque::new();
        for (name, key) in (0..).zip([3, 1, 3, 2, 1, 9, 0]) {
            insert_from_behind(&mut queue, (key, name), |other| other.0 > key);
        }
        let expected = [(0, 6), (1, 1), (1, 4), (2, 3), (3, 0), (3, 2), (9, 5)];
        assert_eq!(Vec::from(queue), expected);
    }
}
