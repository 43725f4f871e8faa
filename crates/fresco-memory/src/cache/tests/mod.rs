// SPDX-License-Identifier: MIT OR Apache-2.0
//! The caches against naive models of them, by random accesses.

mod against_naive;
mod naive;
mod private;
mod ways;

use super::Cache;
use fresco_dram::PhysAddr;
use fresco_machine::{CacheConfig, Replacement};
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Bytes of a line.
const LINE: u64 = 64;

fn config(ways: u32, sets: u64, replacement: Replacement) -> CacheConfig {
    CacheConfig {
        size: u64::from(ways) * sets * LINE,
        ways,
        line: LINE as u32,
        latency: 1,
        replacement,
    }
}

/// The same few cases in every run.
fn proptest_config() -> ProptestConfig {
    ProptestConfig {
        cases: 48,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// What SRRIP is for (Jaleel and others, ISCA 2010): lines in use outlast a scan of lines that are used once, as they do not with LRU.
#[test]
fn lines_in_use_outlast_a_scan_with_srrip() {
    let misses_of_lines_in_use = |replacement| {
        let mut cache = Cache::new(&config(8, 4, replacement), &[], 2);
        for round in 0..10 {
            // Half of the cache twice, then a scan of all its size.
            let in_use = (0..16).chain(0..16).map(|line| (line, 0));
            let scan = (0..32).map(|line| (1000 + 32 * round + line, 1));
            for (line, source) in in_use.chain(scan) {
                cache.access_or_allocate(PhysAddr(line * LINE), false, source);
            }
        }
        cache.stats()[0].misses
    };
    assert_eq!(misses_of_lines_in_use(Replacement::Srrip), 16);
    assert_eq!(misses_of_lines_in_use(Replacement::Lru), 160);
}

/// What BRRIP is for: of a loop over more lines than a cache has, a part stays; LRU and SRRIP keep none. DRRIP finds out which of the two misses less.
#[test]
fn drrip_keeps_a_part_of_what_thrashes() {
    let hits = |replacement, lines: u64| {
        let mut cache = Cache::new(&config(4, 1024, replacement), &[], 1);
        let rounds = (0..20).flat_map(|_| 0..lines);
        for line in rounds {
            cache.access_or_allocate(PhysAddr(line * LINE), false, 0);
        }
        cache.stats()[0].hits as f64 / (20 * lines) as f64
    };
    let twice = 2 * 4 * 1024;
    assert_eq!(
        (hits(Replacement::Lru, twice), hits(Replacement::Srrip, twice)),
        (0.0, 0.0)
    );
    let kept = hits(Replacement::Drrip, twice);
    assert!((0.25..0.5).contains(&kept), "{kept}");
    // What fits stays, whatever the policy.
    let fits = 4 * 1024;
    for replacement in [Replacement::Lru, Replacement::Drrip, Replacement::QlruH11M1R0U0] {
        assert_eq!(hits(replacement, fits), 0.95, "{replacement:?}");
    }
}
