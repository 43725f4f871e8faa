// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of several fully associative caches, each twice as large as the one before, have a line that is accessed.
//!
//! All lines stand in one list, the one used last first. A cache of n lines that replaces the line used longest ago holds the first n of
//! the list, so that one list serves all sizes (Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage hierarchies, IBM
//! Systems Journal 9(2), 1970). Of each size it is remembered which line is the last within it (Kim, Hill, Wood: Implementing stack
//! simulation for highly-associative memories, SIGMETRICS 1991): an access moves each of these by one at most, whatever its distance.

use super::{CACHES, LINE, SMALLEST};
use crate::trace::fibonacci::Fibonacci;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// No place in the list.
const NONE: u32 = u32::MAX;

struct Node {
    line: u64,
    newer: u32,
    older: u32,
    /// The smallest size within which it is.
    size: u8,
}

/// The lines that the largest of the caches holds.
pub(in crate::trace) struct Lru {
    places: HashMap<u64, u32, BuildHasherDefault<Fibonacci>>,
    nodes: Vec<Node>,
    newest: u32,
    oldest: u32,
    /// Lines of the smallest cache.
    least: usize,
    /// Of each size the last line within it; none as long as there are fewer lines.
    last: Vec<u32>,
}

impl Default for Lru {
    fn default() -> Self {
        Self::new((SMALLEST / LINE) as usize, CACHES)
    }
}

impl Lru {
    /// Caches of `least` lines, at least two, twice as many, and so on: `sizes` of them.
    pub fn new(least: usize, sizes: usize) -> Self {
        Self {
            places: HashMap::default(),
            nodes: Vec::new(),
            newest: NONE,
            oldest: NONE,
            least,
            last: vec![NONE; sizes],
        }
    }

    /// An access to a line: how many of the caches, from the smallest one on, did not have it.
    #[inline]
    pub fn access(&mut self, line: u64) -> usize {
        if let Some(newest) = self.nodes.get(self.newest as usize)
            && newest.line == line
        {
            return 0;
        }
        match self.places.get(&line) {
            Some(place) => self.again(*place),
            None => {
                self.first(line);
                self.last.len()
            }
        }
    }

    /// A line that is in the list, but not the newest.
    fn again(&mut self, place: u32) -> usize {
        let Node { newer, size, .. } = self.nodes[place as usize];
        let size = usize::from(size);
        // What is newer than this line is one further from the begin then.
        (0..size).for_each(|size| self.push_out(size));
        if self.last[size] == place {
            self.last[size] = newer;
        }
        self.unlink(place);
        self.link(place);
        size
    }

    /// A line that is not in the list.
    fn first(&mut self, line: u64) {
        let count = self.places.len();
        let (least, sizes) = (self.least, self.last.len());
        let full = (0..sizes).take_while(|size| least << size <= count);
        full.for_each(|size| self.push_out(size));
        let place = if count == least << (sizes - 1) {
            let place = self.oldest;
            self.unlink(place);
            self.places.remove(&self.nodes[place as usize].line);
            self.nodes[place as usize].line = line;
            place
        } else {
            self.nodes.push(Node {
                line,
                newer: NONE,
                older: NONE,
                size: 0,
            });
            count as u32
        };
        self.places.insert(line, place);
        self.link(place);
        let count = self.places.len();
        if let Some(size) = (0..sizes).find(|size| least << size == count)
            && self.last[size] == NONE
        {
            self.last[size] = self.oldest;
        }
    }

    /// The last line within a size is no longer within it.
    #[inline]
    fn push_out(&mut self, size: usize) {
        let last = &mut self.nodes[self.last[size] as usize];
        last.size = size as u8 + 1;
        self.last[size] = last.newer;
    }

    fn unlink(&mut self, place: u32) {
        let Node { newer, older, .. } = self.nodes[place as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.nodes[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.nodes[older as usize].newer = newer,
        }
    }

    /// Puts a line first.
    fn link(&mut self, place: u32) {
        let newest = std::mem::replace(&mut self.newest, place);
        let node = &mut self.nodes[place as usize];
        (node.newer, node.older, node.size) = (NONE, newest, 0);
        match newest {
            NONE => self.oldest = place,
            newest => self.nodes[newest as usize].newer = place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Where the line is in the list, as caches of 2, 4, 8 and 16 lines see it.
    fn naive(list: &mut Vec<u64>, line: u64) -> usize {
        let place = list.iter().position(|other| *other == line);
        if let Some(place) = place {
            list.remove(place);
        }
        list.insert(0, line);
        let held = |size: &usize| place.is_some_and(|place| place < 2 << size);
        (0..4).find(held).unwrap_or(4)
    }

    proptest! {
        #![proptest_config(crate::testing::cases(128))]
        #[test]
        fn as_a_list_that_is_searched(lines in proptest::collection::vec((0u64..40, 0u64..4), 1..600)) {
            let (mut lru, mut list) = (Lru::new(2, 4), Vec::new());
            for (far, near) in lines {
                for line in [far, near] {
                    prop_assert_eq!(lru.access(line), naive(&mut list, line));
                }
            }
            prop_assert!(lru.nodes.len() <= 16);
        }
    }
}
