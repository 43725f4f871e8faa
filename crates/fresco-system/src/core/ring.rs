// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue of bounded length whose items keep the numbers that they were given when they came in.

/// Items numbered from 0 on, of which the last ones are kept: each in the place of its number modulo the length, a power of two.
#[derive(Clone, Debug)]
pub(super) struct Ring<T> {
    places: Box<[T]>,
    /// Number of the oldest item.
    first: u64,
    /// Number that the next item will have.
    next: u64,
}

impl<T: Copy> Ring<T> {
    /// Room for `capacity` items; `unused` is what lies in places without one.
    pub fn new(capacity: usize, unused: T) -> Self {
        Self {
            places: vec![unused; capacity.next_power_of_two()].into(),
            first: 0,
            next: 0,
        }
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.places.len() - 1)
    }

    #[inline]
    fn holds(&self, number: u64) -> bool {
        self.first <= number && number < self.next
    }

    /// Adds an item; returns its number.
    #[inline]
    pub fn push(&mut self, item: T) -> u64 {
        let number = self.next;
        *self.claim() = item;
        number
    }

    /// Adds what lies in the next place, from before, to be written over.
    #[inline(always)]
    pub fn claim(&mut self) -> &mut T {
        debug_assert!(self.len() < self.places.len(), "older ones leave first");
        let place = self.place(self.next);
        self.next += 1;
        &mut self.places[place]
    }

    /// Items in the queue.
    #[inline]
    pub fn len(&self) -> usize {
        (self.next - self.first) as usize
    }

    /// Number of the oldest item, or of the next one if there is none.
    #[inline]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Number that the next item will have.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The oldest item.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        (self.first < self.next).then(|| &self.places[self.place(self.first)])
    }

    /// Drops the oldest item, which must be there.
    #[inline]
    pub fn pop_front(&mut self) {
        debug_assert!(self.first < self.next);
        self.first += 1;
    }

    /// The item with a number, if it is in the queue.
    #[inline]
    pub fn get(&self, number: u64) -> Option<&T> {
        self.holds(number).then(|| &self.places[self.place(number)])
    }

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let place = self.place(number);
        self.holds(number).then(|| &mut self.places[place])
    }

    /// The item with this key, if the keys of the items ascend.
    pub fn find_mut(&mut self, key: u64, key_of: impl Fn(&T) -> u64) -> Option<&mut T> {
        let (mut from, mut to) = (self.first, self.next);
        while from < to {
            let middle = from + (to - from) / 2;
            match key_of(&self.places[self.place(middle)]) < key {
                true => from = middle + 1,
                false => to = middle,
            }
        }
        self.get_mut(from).filter(|item| key_of(item) == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn it_is_a_queue_with_numbers() {
        let (mut ring, mut queue) = (Ring::new(5, 0), VecDeque::new());
        for step in 0..100u64 {
            // Fuller and emptier in turn.
            if queue.len() < 8 && (step / 8 % 2 == 0 || step % 3 == 0) {
                assert_eq!(ring.push(3 * step), ring.next() - 1);
                queue.push_back(3 * step);
            } else if !queue.is_empty() {
                ring.pop_front();
                queue.pop_front();
            }
            assert_eq!((ring.len(), ring.front()), (queue.len(), queue.front()));
            for (number, item) in (ring.first()..).zip(&queue) {
                assert_eq!(ring.get(number), Some(item));
                assert_eq!(ring.get_mut(number), Some(&mut item.clone()));
                assert_eq!(ring.find_mut(*item, |item| *item), Some(&mut item.clone()));
                assert_eq!(ring.find_mut(item + 1, |item| *item), None);
            }
            let outside = [ring.first().wrapping_sub(1), ring.next()];
            assert_eq!(outside.map(|number| ring.get(number)), [None, None]);
        }
    }
}
