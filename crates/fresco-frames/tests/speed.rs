// SPDX-License-Identifier: MIT OR Apache-2.0
//! Allocation must not be felt: neither a million pages on a machine of 4 GiB nor the size of a large machine.

use crate::common::{A, machine, xeon};
use fresco_frames::{Camc, Codesign, FramesConfig, MAX_ORDER, Palloc, Policy, TaskMemory};
use std::time::{Duration, Instant};

/// Time that this thread had a processor, which other work on the machine does not lengthen much; a kernel that does not tell leaves the clock.
fn processor_time(since: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = told.and_then(|text| text.split(' ').next()?.parse().ok());
    ns.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

#[test]
fn a_million_allocations_take_a_fraction_of_a_second() {
    for policy in [
        Policy::Buddy,
        Policy::Palloc(Palloc::default()),
        Policy::Camc(Camc::default()),
        Policy::Codesign(Codesign::default()),
    ] {
        let mut frames = xeon().frames(
            FramesConfig {
                policy,
                ..FramesConfig::default()
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
        let now = Instant::now();
        let start = processor_time(now);
        for _ in 0..1_000_000 {
            frames.alloc(A).unwrap();
        }
        let taken = processor_time(now) - start;
        println!("{policy:?}: {taken:?}, table {} KiB", frames.table_bytes() >> 10);
        // About 0.1 s on a quiet machine, debug assertions on; the bound leaves room for caches that others use.
        assert!(taken < Duration::from_secs(3), "{policy:?}: {taken:?}");
        frames.check().unwrap();
    }
}

#[test]
fn a_machine_of_64_gib_costs_memory_only_where_blocks_are_split() {
    let large = machine(1, 36, &[13, 14, 15, 16], 0..0);
    let untouched = large.frames(FramesConfig::pristine(Policy::Buddy), 0);
    assert_eq!(untouched.free_blocks(0).unwrap()[MAX_ORDER as usize], 1 << 14);
    assert_eq!(untouched.table_bytes(), 256 << 10);
    let mut booted = large.frames(FramesConfig::default(), 0);
    assert!(
        booted.table_bytes() < 10 << 20,
        "4 % of the blocks: {}",
        booted.table_bytes()
    );
    booted.register(A, TaskMemory::local(0)).unwrap();
    (0..1 << 18).for_each(|_| _ = booted.alloc(A).unwrap());
    assert!(
        booted.table_bytes() < 16 << 20,
        "1 GiB more is 3 MiB of entries: {}",
        booted.table_bytes()
    );
}
