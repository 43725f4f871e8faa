// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tree pseudo-LRU.

use super::order::Ways;

/// A binary tree over the ways of each set. Node `n` (root 1, children `2n` and `2n + 1`) is bit `n` of the set's
/// word and points to the half in which the next victim lies: 0 left, 1 right. A use of a way turns every node on its
/// path to the other half.
#[derive(Clone, Debug)]
pub(super) struct TreePlru {
    levels: u32,
    nodes: Vec<u64>,
    /// Of each way: the nodes on its path, and their directions after a use of it.
    paths: Vec<(u64, u64)>,
}

impl TreePlru {
    /// All nodes point left. `ways` is a power of two, at most 64.
    pub fn new(sets: usize, ways: usize) -> Self {
        assert!(
            ways.is_power_of_two() && ways <= 64,
            "tree PLRU has a power of two of ways, at most 64"
        );
        let levels = ways.trailing_zeros();
        let path = |way: usize| {
            let (mut nodes, mut away) = (0, 0);
            for level in 0..levels {
                let node = (ways + way) >> (levels - level);
                let goes_right = way >> (levels - level - 1) & 1;
                nodes |= 1 << node;
                away |= (1 - goes_right as u64) << node;
            }
            (nodes, away)
        };
        Self {
            levels,
            nodes: vec![0; sets],
            paths: (0..ways).map(path).collect(),
        }
    }

    /// Notes a use of `way`.
    #[inline]
    pub fn touch(&mut self, set: usize, way: usize) {
        let (nodes, away) = self.paths[way];
        self.nodes[set] = self.nodes[set] & !nodes | away;
    }

    /// Notes a use of the way the tree points to, and returns it.
    #[inline]
    pub fn replace(&mut self, set: usize) -> usize {
        let way = self.pointed(set);
        self.touch(set, way);
        way
    }

    fn pointed(&self, set: usize) -> usize {
        let word = self.nodes[set];
        let mut node = 1;
        for _ in 0..self.levels {
            node = 2 * node + (word >> node & 1) as usize;
        }
        node - (1 << self.levels)
    }

    /// The same among the ways allowed, of which there is one at least: a node that points to a half without any is passed by in the other direction.
    pub fn replace_among(&mut self, set: usize, allowed: Ways) -> usize {
        let word = self.nodes[set];
        let (mut node, mut first) = (1, 0);
        for level in (0..self.levels).rev() {
            let half = 1 << level;
            let is_there = |first: usize| allowed >> first & ((1 << half) - 1) != 0;
            let points_right = word >> node & 1 == 1;
            let goes_right = is_there(first + half) && (points_right || !is_there(first));
            node = 2 * node + usize::from(goes_right);
            first += half * usize::from(goes_right);
        }
        self.touch(set, first);
        first
    }

    /// Makes `way` the next victim.
    pub fn demote(&mut self, set: usize, way: usize) {
        let (nodes, away) = self.paths[way];
        self.nodes[set] = self.nodes[set] & !nodes | nodes & !away;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_ways_by_hand() {
        let mut plru = TreePlru::new(1, 4);
        // Each victim is used at once: the textbook order 0, 2, 1, 3.
        assert_eq!([(); 4].map(|()| plru.replace(0)), [0, 2, 1, 3]);
        plru.touch(0, 0);
        plru.touch(0, 2);
        assert_eq!(plru.pointed(0), 1);
        plru.demote(0, 3);
        assert_eq!(plru.pointed(0), 3);
    }

    #[test]
    fn a_node_that_points_to_no_allowed_way_is_passed_by() {
        let mut plru = TreePlru::new(1, 8);
        // Ways 1 to 3 of eight: the root does not count, 0 is never chosen.
        let among = |plru: &mut TreePlru| plru.replace_among(0, 0b1110);
        assert_eq!([(); 6].map(|()| among(&mut plru)), [1, 2, 1, 3, 1, 2]);
        // The root points to the other half, from which one way is allowed.
        assert_eq!(plru.replace_among(0, 0b1000_0001), 7);
        assert_eq!(plru.replace_among(0, 0b1000_0001), 0);
    }

    #[test]
    fn a_direct_mapped_set_has_one_victim() {
        let mut plru = TreePlru::new(1, 1);
        plru.touch(0, 0);
        assert_eq!(plru.pointed(0), 0);
    }
}
