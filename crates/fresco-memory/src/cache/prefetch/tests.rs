// SPDX-License-Identifier: MIT OR Apache-2.0
//! What prefetchers want, access by access, by hand.

use super::*;
use crate::cache::{Cache, PrivateCaches, PrivateOutcome};
use fresco_machine::{CacheConfig, Replacement, Stream, Stride};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const LINE: u64 = 64;

/// The numbers of the lines that are wanted at each of these accesses to lines; all lines of 64 bytes, 64 of them in a region.
fn wanted(prefetch: Prefetch, accesses: &[u64]) -> Vec<Vec<u64>> {
    let mut prefetcher = Prefetcher::new(&prefetch);
    let mut learn = |line: &u64| {
        let mut out = Vec::new();
        prefetcher.learn(PhysAddr(line * LINE), LINE, &mut out);
        out.iter().map(|wanted| wanted.line.0 / LINE).collect()
    };
    accesses.iter().map(&mut learn).collect()
}

fn next_line() -> Prefetch {
    Prefetch {
        next_line: true,
        ..Prefetch::default()
    }
}

fn stride(regions: u32, degree: u32) -> Prefetch {
    Prefetch {
        stride: Some(Stride { regions, degree }),
        ..Prefetch::default()
    }
}

fn stream(streams: u32, degree: u32, distance: u32) -> Prefetch {
    let stream = Stream {
        streams,
        degree,
        distance,
    };
    Prefetch {
        stream: Some(stream),
        ..Prefetch::default()
    }
}

#[test]
fn the_next_line_is_wanted_within_the_region() {
    assert_eq!(
        wanted(next_line(), &[64, 62, 63, 127]),
        [vec![65], vec![63], vec![], vec![]]
    );
}

#[test]
fn a_stride_is_known_from_its_third_access_on() {
    let none = Vec::new;
    assert_eq!(
        wanted(stride(4, 1), &[0, 5, 10, 15, 60]),
        [none(), none(), vec![15], vec![20], none()]
    );
    // Downwards, two at a time, and not beyond the first line.
    assert_eq!(
        wanted(stride(4, 2), &[100, 91, 82, 73, 73]),
        [none(), none(), vec![73, 64], vec![64], none()]
    );
    // Two regions in turns keep their strides apart, unless one has to be forgotten.
    let turns = [0, 64, 3, 71, 6, 78];
    let last_two = |regions| wanted(stride(regions, 1), &turns)[4..].to_vec();
    assert_eq!(last_two(2), [vec![9], vec![85]]);
    assert_eq!(last_two(1), [none(), none()]);
}

#[test]
fn a_stream_runs_ahead_by_degree_up_to_its_distance() {
    let none = Vec::new;
    assert_eq!(
        wanted(stream(4, 2, 5), &[10, 11, 12, 13, 14, 15, 16]),
        [
            none(),
            none(),
            vec![13, 14],
            vec![15, 16],
            vec![17, 18],
            // Five ahead: one for each access from now on.
            vec![19, 20],
            vec![21],
        ]
    );
    // Downwards, with lines left out; line 64 is the first of its region.
    assert_eq!(
        wanted(stream(4, 2, 20), &[70, 69, 67, 66]),
        [none(), none(), vec![66, 65], vec![64]]
    );
    // Upwards to the end of the region.
    assert_eq!(wanted(stream(4, 2, 20), &[60, 61, 62])[2], [63]);
}

#[test]
fn a_stream_outlasts_swapped_neighbors_and_turns_after_a_second_step_back() {
    let none = Vec::new;
    assert_eq!(
        wanted(stream(4, 1, 20), &[10, 11, 13, 12, 14, 15]),
        [none(), none(), vec![14], none(), vec![15], vec![16]]
    );
    let back = wanted(stream(4, 1, 20), &[10, 11, 12, 9, 8, 7]);
    assert_eq!(back, [none(), none(), vec![13], none(), none(), vec![6]]);
}

#[test]
fn one_access_in_each_region_wants_no_stream() {
    let accesses: Vec<u64> = (0..1000).map(|n| n * 77 % 1024 * 64 + n % 64).collect();
    let wanted = wanted(stream(32, 4, 20), &accesses);
    assert_eq!(wanted.iter().flatten().count(), 0);
}

fn cache(ways: u32, sets: u64) -> CacheConfig {
    CacheConfig {
        size: u64::from(ways) * sets * LINE,
        ways,
        line: LINE as u32,
        latency: 7,
        replacement: Replacement::Lru,
    }
}

fn addr(line: u64) -> PhysAddr {
    PhysAddr(line * LINE)
}

fn want(line: u64, level: u8) -> Wanted {
    let line = addr(line);
    Wanted { line, level }
}

#[test]
fn what_is_prefetched_is_useful_once_and_useless_if_it_leaves() {
    let (l1, l2) = (cache(2, 1), cache(4, 1));
    let mut caches = PrivateCaches::new(Some(&l1), Some(&l2)).prefetching(&next_line());
    let counts = |caches: &PrivateCaches| {
        let counts = caches.prefetch_counts().expect("there are prefetchers");
        (counts.issued, counts.useful, counts.useless)
    };
    let first_use = |outcome| match outcome {
        PrivateOutcome::Hit { level, watched, .. } => Some((level, watched.map(|watched| watched.first_use))),
        PrivateOutcome::Miss => None,
    };
    // Line 1 into level 2. It is there, and a use of it is a hit of level 2.
    assert_eq!(caches.prefetch(want(1, 2)).0, Prefetched::FromShared);
    assert!(!caches.lacks(want(1, 2)) && caches.lacks(want(1, 1)));
    assert_eq!(first_use(caches.access(addr(1), false)), Some((2, Some(true))));
    assert_eq!(counts(&caches), (1, 1, 0));
    assert_eq!(
        caches.stats().map(|stats| stats.map(|s| (s.hits, s.misses))),
        [Some((0, 1)), Some((1, 0))]
    );
    // Used again, it is a hit that nobody watches.
    assert_eq!(first_use(caches.access(addr(1), true)), Some((1, None)));
    // Line 2 into both levels, where it is found in level 1 at its first use.
    caches.prefetch(want(2, 1));
    assert_eq!(first_use(caches.access(addr(2), false)), Some((1, Some(true))));
    // Line 3 into level 2, and from there into level 1: that uses the one, and the other is unused yet.
    caches.prefetch(want(3, 2));
    assert_eq!(caches.prefetch(want(3, 1)).0, Prefetched::FromL2(7));
    assert_eq!(counts(&caches), (4, 3, 0));
    // Lines 4 and 5 push it out of level 1.
    for line in [4, 5] {
        assert_eq!(first_use(caches.access(addr(line), false)), None);
        caches.fill(addr(line), false);
    }
    assert_eq!(counts(&caches), (4, 3, 1));
    // An inclusive cache takes line 6 away.
    caches.prefetch(want(6, 2));
    assert_eq!(caches.invalidate(addr(6)), Some(false));
    assert_eq!(counts(&caches), (5, 3, 2));
    assert!(caches.lacks(want(6, 2)));
}

#[test]
fn code_uses_what_was_prefetched_into_level_2() {
    let small = cache(2, 1);
    let mut caches = PrivateCaches::new(Some(&small), Some(&small)).with_code(Some(&small));
    caches = caches.prefetching(&next_line());
    caches.prefetch(want(1, 2));
    assert!(matches!(caches.fetch(addr(1)), PrivateOutcome::Hit { level: 2, .. }));
    assert_eq!(caches.prefetch_counts().map(|counts| counts.useful), Some(1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    /// A cache holds and displaces the same whether lines are prefetched or brought in by accesses, and counts the same.
    #[test]
    fn a_prefetched_line_is_a_line(ops in prop::collection::vec((0u64..24, 0u8..8), 1..400)) {
        for replacement in [Replacement::Lru, Replacement::TreePlru, Replacement::Srrip] {
            let config = CacheConfig { replacement, ..cache(4, 2) };
            let mut marked = Cache::new(&config, &[], 1).with_prefetches();
            let mut plain = Cache::new(&config, &[], 1);
            for (line, kind) in &ops {
                let addr = addr(*line);
                match kind {
                    0 | 1 if !plain.contains(addr) => {
                        prop_assert_eq!(marked.prefetch(addr, 0), plain.allocate(addr, false, 0));
                    }
                    2 => prop_assert_eq!(marked.invalidate(addr), plain.invalidate(addr)),
                    3 => prop_assert_eq!(marked.make_dirty(addr), plain.make_dirty(addr)),
                    _ => {
                        let hit = plain.access(addr, *kind == 4, 0);
                        prop_assert_eq!(marked.access(addr, *kind == 4, 0) || marked.first_use(addr, *kind == 4, 0), hit);
                        if !hit {
                            prop_assert_eq!(marked.allocate(addr, false, 0), plain.allocate(addr, false, 0));
                        }
                    }
                }
                prop_assert_eq!(marked.contains(addr), plain.contains(addr));
            }
            prop_assert_eq!(marked.stats(), plain.stats());
            prop_assert!(marked.lines().eq(plain.lines()));
        }
    }
}
