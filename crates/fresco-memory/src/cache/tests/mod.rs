// SPDX-License-Identifier: MIT OR Apache-2.0
//! The caches against naive models of them, by random accesses.

mod against_naive;
mod naive;
mod private;

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
