// SPDX-License-Identifier: MIT OR Apache-2.0
//! The caches against naive models of them, by random accesses.

mod against_naive;
mod naive;
mod private;

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
