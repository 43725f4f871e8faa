// SPDX-License-Identifier: MIT OR Apache-2.0
//! Masks of ways, by hand.

use super::{LINE, config};
use crate::cache::Cache;
use fresco_dram::PhysAddr;
use fresco_machine::Replacement;

fn line(number: u64) -> PhysAddr {
    PhysAddr(number * LINE)
}

/// Every policy, with eight ways.
fn caches(sets: u64) -> impl Iterator<Item = (&'static str, Cache)> {
    Replacement::NAMES
        .into_iter()
        .map(move |(name, replacement)| (name, Cache::new(&config(8, sets, replacement), &[], 2)))
}

#[test]
fn lines_come_into_the_ways_of_the_mask_alone() {
    for (name, mut cache) in caches(1) {
        cache.set_ways(1, 0b0011_1000);
        // Three ways: three lines stay, a fourth displaces one of them though five ways are empty.
        let victims: Vec<_> = (0..4).map(|number| cache.allocate(line(number), false, 1)).collect();
        assert_eq!(victims[..3], [None; 3], "{name}");
        assert!(victims[3].is_some(), "{name}");
        assert_eq!(cache.lines().count(), 3, "{name}");
        // Without a mask lines come into all ways.
        let victims = (10..15)
            .filter_map(|number| cache.allocate(line(number), false, 0))
            .count();
        assert_eq!((victims, cache.lines().count()), (0, 8), "{name}");
    }
}

#[test]
fn hits_are_found_in_the_ways_of_others() {
    for (name, mut cache) in caches(1) {
        cache.set_ways(0, 0b0000_1111);
        cache.set_ways(1, 0b1111_0000);
        cache.allocate(line(1), false, 0);
        assert!(cache.access(line(1), true, 1), "{name}");
        // A line stays where it is when its owner's mask moves away, and is found there.
        cache.set_ways(0, 0b1000_0000);
        assert!(cache.access(line(1), false, 0), "{name}");
        // What others bring in does not displace it, nor do lines of the new mask.
        (10..30).for_each(|number| _ = cache.access_or_allocate(line(number), false, 1));
        (30..50).for_each(|number| _ = cache.access_or_allocate(line(number), false, 0));
        assert!(cache.access(line(1), false, 0), "{name}");
        let by_others: Vec<u64> = cache.stats().iter().map(|stats| stats.evictions_by_others).collect();
        assert_eq!(by_others, [0, 1], "{name}: the way that both have");
    }
}

#[test]
fn a_neighbor_with_a_disjoint_mask_displaces_nothing() {
    for (name, mut cache) in caches(4) {
        let contention = |cache: &mut Cache| {
            for round in 0..50u64 {
                // Four lines of each set, which are half of it; and far more.
                (0..16).for_each(|number| _ = cache.access_or_allocate(line(number), false, 0));
                (0..40).for_each(|number| _ = cache.access_or_allocate(line(1000 + 40 * round + number), false, 1));
            }
            let stats = cache.stats()[0];
            (stats.misses, stats.evictions_by_others)
        };
        let mut shared = cache.clone();
        cache.set_ways(0, 0b0000_1111);
        cache.set_ways(1, 0b1111_0000);
        assert_eq!(contention(&mut cache), (16, 0), "{name}");
        assert!(contention(&mut shared).1 > 0, "{name}");
    }
}

#[test]
#[should_panic(expected = "a mask has ways of the cache")]
fn a_mask_of_other_ways_is_none() {
    Cache::new(&config(8, 1, Replacement::Lru), &[], 1).set_ways(0, 1 << 8);
}
