// SPDX-License-Identifier: MIT OR Apache-2.0
//! Allocation must not be felt: a million pages on a machine of 4 GiB, under every policy.

mod common;

use common::{A, xeon};
use fresco_frames::{Camc, Config, Palloc, Policy, TaskMemory};
use std::time::{Duration, Instant};

#[test]
fn a_million_allocations_take_a_fraction_of_a_second() {
    for policy in [
        Policy::Buddy,
        Policy::Palloc(Palloc::default()),
        Policy::Camc(Camc::default()),
    ] {
        let mut frames = xeon().frames(
            Config {
                policy,
                ..Config::default()
            },
            0,
        );
        let memory = TaskMemory::local(0);
        let all = (0..16).collect();
        let memory = if policy == Policy::Buddy {
            memory
        } else {
            memory.with_banks(all)
        };
        frames.register(A, memory).unwrap();
        let start = Instant::now();
        for _ in 0..1_000_000 {
            frames.alloc(A).unwrap();
        }
        let taken = start.elapsed();
        println!("{policy:?}: {taken:?}, table {} KiB", frames.table_bytes() >> 10);
        // About 0.1 s on a quiet machine, debug assertions on; the bound leaves room for a busy one.
        assert!(taken < Duration::from_secs(3), "{policy:?}: {taken:?}");
        frames.check().unwrap();
    }
}
