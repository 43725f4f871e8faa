// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the private levels owe to the levels below, and to the core.

use super::{LINE, config, proptest_config};
use crate::cache::{PrivateCaches, PrivateOutcome};
use fresco_dram::PhysAddr;
use fresco_machine::{CacheConfig, Replacement};
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(proptest_config())]

    /// No store is lost and none is invented: a line comes out at most once per store to it, and after the last one.
    #[test]
    fn every_store_comes_out(accesses in prop::collection::vec((0u64..9, any::<bool>()), 1..200)) {
        let (small, large) = (config(2, 1, Replacement::Lru), config(2, 2, Replacement::Lru));
        // A second level smaller than the first leaves many lines in the first alone.
        for (l1, l2) in [
            (None, None), (Some(&small), None), (None, Some(&small)), (Some(&small), Some(&small)),
            (Some(&small), Some(&large)), (Some(&large), Some(&small)),
        ] {
            check_stores(&mut PrivateCaches::new(l1, l2), &accesses)?;
        }
    }
}

fn check_stores(caches: &mut PrivateCaches, accesses: &[(u64, bool)]) -> Result<(), TestCaseError> {
    let mut stored = BTreeMap::<u64, Stored>::new();
    // Loads of other lines push everything out in the end.
    let flush = (1000..1020).map(|line| (line, false));
    for (line, write) in accesses.iter().copied().chain(flush) {
        let addr = PhysAddr(line * LINE);
        let access = caches.access(addr, write);
        if write {
            let line = stored.entry(line).or_default();
            line.stores += 1;
            line.out_since = false;
        }
        let out = match access {
            PrivateOutcome::Hit { leaves, .. } => leaves.into_iter().collect(),
            PrivateOutcome::Miss => caches.fill(addr, write).as_slice().to_vec(),
        };
        for gone in out {
            prop_assert!(gone.dirty);
            let line = stored
                .get_mut(&(gone.line.0 / LINE))
                .expect("a line without stores is clean");
            line.outs += 1;
            line.out_since = true;
        }
    }
    for (line, counts) in stored {
        prop_assert!(
            counts.outs <= counts.stores && counts.out_since,
            "line {}: {:?}",
            line,
            counts
        );
    }
    Ok(())
}

/// Stores to one line, and its write-backs.
#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    stores: u32,
    outs: u32,
    out_since: bool,
}

#[test]
fn levels_answer_with_their_total_latency() {
    let with_latency = |sets, latency| CacheConfig {
        latency,
        ..config(2, sets, Replacement::Lru)
    };
    let (l1, l2) = (with_latency(1, 1_000), with_latency(8, 5_000));
    let mut caches = PrivateCaches::new(Some(&l1), Some(&l2));
    let lines = [0, 4096, 8192].map(PhysAddr);
    assert_eq!(caches.access(lines[0], true), PrivateOutcome::Miss);
    assert_eq!(caches.fill(lines[0], true).as_slice(), []);
    let hit = |level, latency, leaves| PrivateOutcome::Hit {
        level,
        latency,
        leaves,
        watched: None,
    };
    assert_eq!(caches.access(lines[0], false), hit(1, 1_000, None));
    // Two more lines push the first out of the one set of level 1 and out of its set of level 2 …
    assert_eq!(caches.fill(lines[1], false).as_slice(), []);
    let out = caches.fill(lines[2], false);
    // … which it leaves clean (its level 2 copy never saw the store) before the dirty copy arrives from level 1.
    assert_eq!(out.as_slice(), []);
    assert_eq!(caches.access(lines[0], false), hit(2, 5_000, None));
    assert_eq!(caches.access(lines[0], false), hit(1, 1_000, None));
    let [l1, l2] = caches.stats();
    assert_eq!(l1.map(|s| (s.hits, s.misses)), Some((2, 2)));
    assert_eq!(l2.map(|s| (s.hits, s.misses)), Some((1, 1)));
}

#[test]
fn code_has_a_cache_of_its_own_if_there_is_one() {
    let (small, large) = (config(2, 1, Replacement::Lru), config(2, 8, Replacement::Lru));
    let lines = [0, 4096, 8192].map(PhysAddr);
    let level = |outcome| match outcome {
        PrivateOutcome::Hit { level, .. } => level,
        PrivateOutcome::Miss => 0,
    };
    let mut caches = PrivateCaches::new(Some(&small), Some(&large)).with_code(Some(&small));
    assert_eq!(level(caches.fetch(lines[0])), 0);
    assert_eq!(caches.fill_code(lines[0]).as_slice(), []);
    // Level 2 holds both; level 1 of data does not have it.
    assert_eq!(
        [level(caches.fetch(lines[0])), level(caches.access(lines[0], true))],
        [1, 2]
    );
    assert_eq!(level(caches.access(lines[0], false)), 1);
    // Two lines more push the first out of the cache of code; of data there is nothing lost.
    for line in [lines[1], lines[2]] {
        assert_eq!(level(caches.fetch(line)), 0);
        caches.fill_code(line);
    }
    assert_eq!(
        [level(caches.fetch(lines[0])), level(caches.access(lines[0], false))],
        [0, 1]
    );
    // Level 2 has two ways: the clean copy of the first line has left it.
    caches.fill_code(lines[0]);
    assert_eq!(level(caches.fetch(lines[2])), 1);
    let of = |stats: Option<&crate::SourceStats>| stats.map(|stats| (stats.hits, stats.misses));
    let [l1, l2] = caches.stats();
    assert_eq!(
        [of(l1), of(l2), of(caches.code_stats())],
        [Some((2, 1)), Some((1, 4)), Some((2, 4))]
    );
    caches.reset_stats();
    assert_eq!(of(caches.code_stats()), Some((0, 0)));

    // Without one, code is in level 1 with the data, and can push dirty lines out.
    let mut one = PrivateCaches::new(Some(&small), None);
    one.access(lines[0], true);
    one.fill(lines[0], true);
    for line in [lines[1], lines[2]] {
        assert_eq!(level(one.fetch(line)), 0);
        let out = one.fill_code(line);
        let leaves: Vec<PhysAddr> = out.as_slice().iter().map(|leaving| leaving.line).collect();
        assert_eq!(leaves, if line == lines[2] { &lines[..1] } else { &[] });
    }
    assert_eq!((level(one.fetch(lines[1])), one.code_stats()), (1, None));
    // And without any, every fetch is one of the memory.
    let mut none = PrivateCaches::new(None, None);
    assert_eq!(level(none.fetch(lines[0])), 0);
    assert_eq!(none.fill_code(lines[0]).as_slice(), []);
}
