// SPDX-License-Identifier: MIT OR Apache-2.0
//! True least-recently-used order within a set.
//!
//! Each way has an age, 0 for the most recently used one, `ways - 1` for the victim: the ages of a set are always a
//! permutation of `0..ways`. A use ages the younger ways of the set, one compare-and-add over adjacent bytes.

use super::group::{Group, LANES};

/// Makes `way` the most recently used of its set.
#[inline]
pub(super) fn touch(set: &mut [Group], way: usize) {
    let age = set[way / LANES].ages[way % LANES];
    if age == 0 {
        return;
    }
    for group in &mut *set {
        for other in &mut group.ages {
            *other += u8::from(*other < age);
        }
    }
    set[way / LANES].ages[way % LANES] = 0;
}

/// Makes the least recently used of `ways` ways the most recently used, and returns it.
#[inline]
pub(super) fn replace(set: &mut [Group], ways: usize) -> usize {
    let oldest = (ways - 1) as u8;
    let mut victim = 0;
    for (at, group) in set.iter_mut().enumerate() {
        // All lanes without a branch between them: one comparison and one addition of vectors.
        if group.ages.iter().fold(false, |found, age| found | (*age == oldest)) {
            victim = at;
        }
        for age in &mut group.ages {
            // Saturating: ways that do not exist stay the oldest.
            *age = age.saturating_add(1);
        }
    }
    let lane = set[victim].ages.iter().position(|age| *age == oldest + 1);
    let lane = lane.expect("the ages of a set are a permutation");
    set[victim].ages[lane] = 0;
    victim * LANES + lane
}

/// Makes `way` of `ways` ways the next victim.
pub(super) fn demote(set: &mut [Group], ways: usize, way: usize) {
    let age = set[way / LANES].ages[way % LANES];
    for (at, other) in set.iter_mut().flat_map(|group| &mut group.ages).enumerate() {
        *other -= u8::from(at < ways && *other > age);
    }
    set[way / LANES].ages[way % LANES] = (ways - 1) as u8;
}

#[cfg(test)]
mod tests {
    use super::super::group::{NO_AGE, empty_set};
    use super::*;

    #[test]
    fn order_follows_use() {
        let mut set = empty_set(3);
        assert_eq!([(); 4].map(|()| replace(&mut set, 3)), [0, 1, 2, 0]);
        touch(&mut set, 1);
        assert_eq!(replace(&mut set, 3), 2);
        demote(&mut set, 3, 1);
        assert_eq!(replace(&mut set, 3), 1);
        assert_eq!(replace(&mut set, 3), 0, "the rest of the order is kept");
    }

    #[test]
    fn ages_stay_a_permutation() {
        for ways in [1, 2, 7, 8, 9, 48, 96, 128] {
            let mut set = empty_set(ways);
            for step in 0..4 * ways {
                touch(&mut set, step * 37 % ways);
                demote(&mut set, ways, step * 11 % ways);
                touch(&mut set, step * 5 % ways);
                replace(&mut set, ways);
                let all: Vec<u8> = set.iter().flat_map(|group| group.ages).collect();
                let (ages, beyond) = all.split_at(ways);
                let mut ages: Vec<usize> = ages.iter().map(|age| usize::from(*age)).collect();
                ages.sort_unstable();
                assert!(ages.into_iter().eq(0..ways), "{ways} ways, step {step}");
                assert!(beyond.iter().all(|age| *age == NO_AGE));
            }
        }
    }
}
