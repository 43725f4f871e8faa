// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a sweep: shards, and the groups of neighbours that these are made of.

/// Groups that points are claimed and dealt to shards by: at most so many shards are of use, and so many files lie in `claims/`.
pub const MOST_GROUPS: u32 = 4096;

/// One of several parts of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 0.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { number: 0, of: 1 };

    /// The numbers of its points, ascending. Groups of neighbours are dealt to shards in turn: neighbours take similar times, and far points do not.
    pub fn points(self, points: u32) -> impl Iterator<Item = u32> {
        groups(points, self).flat_map(move |group| members(group, points))
    }
}

/// How many points a group has.
pub(crate) fn group_size(points: u32) -> u32 {
    points.div_ceil(MOST_GROUPS).max(1)
}

/// The groups of a shard, ascending.
pub(crate) fn groups(points: u32, shard: Shard) -> impl Iterator<Item = u32> {
    (shard.number..points.div_ceil(group_size(points))).step_by(shard.of as usize)
}

/// The points of a group.
pub(crate) fn members(group: u32, points: u32) -> impl Iterator<Item = u32> {
    let size = group_size(points);
    group * size..((group + 1) * size).min(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_all_points_and_no_point_twice() {
        for (points, of) in [(1, 1), (6, 8), (1000, 8), (4096, 3), (4097, 7), (1_000_000, 1000)] {
            let mut all: Vec<u32> = (0..of).flat_map(|number| Shard { number, of }.points(points)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..points).collect::<Vec<_>>(), "{points} {of}");
            let counts: Vec<usize> = (0..of)
                .map(|number| Shard { number, of }.points(points).count())
                .collect();
            let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
            assert!(
                most <= least.map(|least| least + group_size(points) as usize),
                "{counts:?}"
            );
        }
        let second: Vec<u32> = Shard { number: 1, of: 3 }.points(8).collect();
        assert_eq!(second, [1, 4, 7]);
    }
}
