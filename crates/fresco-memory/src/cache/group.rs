// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the lines of a set lie in the host's memory.

use super::index::Index;

/// Ways kept and compared together.
pub(super) const LANES: usize = 8;

/// Eight ways of a set in one cache line of the host. A set is a slice of groups; ways that fill up its last group
/// stay empty for ever. Arrays of one field each, so that the loops over ways become a few vector instructions.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Group {
    /// Tag of each way; [`Index::NO_TAG`] in an empty one.
    pub tags: [u32; LANES],
    /// Who brought the line in.
    pub owners: [u16; LANES],
    /// Whether the line was stored to since it was brought in.
    pub dirty: [bool; LANES],
}

/// An empty set of `ways` ways.
pub(super) fn empty_set(ways: usize) -> Vec<Group> {
    let group = Group {
        tags: [Index::NO_TAG; LANES],
        owners: [0; LANES],
        dirty: [false; LANES],
    };
    vec![group; ways.div_ceil(LANES)]
}

/// The first way of a set that holds `tag`.
#[inline]
pub(super) fn find(set: &[Group], tag: u32) -> Option<usize> {
    // All lanes of a group without a branch between them: one comparison of vectors. Groups in pairs: a miss, which looks
    // at all of them, is the case that costs.
    let holds = |group: &Group| group.tags.iter().fold(false, |found, t| found | (*t == tag));
    let (pairs, last) = set.as_chunks::<2>();
    let at = match pairs.iter().position(|[one, other]| holds(one) | holds(other)) {
        Some(pair) => 2 * pair + usize::from(!holds(&pairs[pair][0])),
        None => 2 * pairs.len() + last.iter().position(holds)?,
    };
    Some(at * LANES + lane_of(&set[at].tags, tag))
}

/// The first lane that holds `tag`; one must. Kept apart from [`find`] so that the compiler does not merge the two
/// searches into one that is slower than either.
#[inline(never)]
fn lane_of(tags: &[u32; LANES], tag: u32) -> usize {
    // A bit for each lane: vector instructions, and no branch.
    let lanes = tags.iter().enumerate();
    let holding = lanes.fold(0u32, |holding, (lane, t)| holding | u32::from(*t == tag) << lane);
    holding.trailing_zeros() as usize
}

/// Returns true if a way of a set holds nothing.
pub(super) fn is_empty(set: &[Group], way: usize) -> bool {
    set[way / LANES].tags[way % LANES] == Index::NO_TAG
}

/// The first way of a set that holds a line, used or not.
#[inline]
pub(super) fn find_any(set: &[Group], tag: u32, mark: u32) -> Option<usize> {
    match find(set, tag) {
        None if mark != 0 => find(set, tag | mark),
        way => way,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_one_cache_line() {
        assert_eq!(size_of::<Group>(), 64);
    }

    #[test]
    fn every_way_is_found() {
        for ways in [1, 8, 9, 96] {
            let mut set = empty_set(ways);
            for way in 0..ways {
                set[way / LANES].tags[way % LANES] = way as u32 + 100;
            }
            for way in 0..ways {
                assert_eq!(find(&set, way as u32 + 100), Some(way));
            }
            assert_eq!(find(&set, 99), None);
        }
    }
}
