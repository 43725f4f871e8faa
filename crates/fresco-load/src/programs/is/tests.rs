// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::Batch;
use crate::recorder::ExecutionState;
use crate::testing::run;

fn is(class: usize, buckets: bool) -> Is {
    Is::new(&IsConfig {
        class: &CLASSES[class],
        buckets,
    })
}

/// Runs `kernel` through `passes` passes and keeps nothing.
fn passes(kernel: &mut Is, passes: u32) {
    let (mut execution, mut batch) = (ExecutionState::default(), Batch::new());
    for _ in 0..passes {
        while !kernel.step(&mut execution.record(&mut batch)) {
            batch.clear();
        }
    }
}

#[test]
fn the_published_ranks_of_ten_iterations_and_beyond() {
    for buckets in [true, false] {
        let mut kernel = is(0, buckets);
        for _ in 0..13 {
            passes(&mut kernel, 1);
            assert_eq!(kernel.verify(), Ok(()));
        }
    }
}

#[test]
fn the_published_ranks_of_larger_classes() {
    let mut kernel = is(1, true);
    passes(&mut kernel, 3);
    assert_eq!(kernel.verify(), Ok(()));
    let mut kernel = is(2, false);
    passes(&mut kernel, 1);
    assert_eq!(kernel.verify(), Ok(()));
}

#[test]
fn increments_wait_for_the_key() {
    let run = run(Looped::new(is(0, true), Passes::new(0, 1)));
    let (keys, values, buckets) = (1 << 16, 1 << 11, 1 << 9);
    let ops = run.ops();
    // Start 7; count buckets 3, distribute 4, count keys 3 per key; clear 1, sum 2 per value; clear 1, place 2 per
    // bucket but one; check 5.
    assert_eq!(ops.len(), 7 + 10 * keys + 3 * values + 3 * buckets - 1 + 5);
    let of_key = &ops[7 + buckets..][..3];
    assert_eq!(
        of_key.iter().map(|op| (op.write, op.dep)).collect::<Vec<_>>(),
        [(false, 0), (false, 1), (true, 1)]
    );
    let distribute = &ops[7 + buckets + 3 * keys + 2 * buckets - 1..][..4];
    let shape: Vec<_> = distribute.iter().map(|op| (op.write, op.dep)).collect();
    assert_eq!(shape, [(false, 0), (false, 1), (true, 1), (true, 2)]);
}

#[test]
fn a_wrong_rank_or_a_lost_key_is_found() {
    let mut kernel = is(0, true);
    passes(&mut kernel, 1);
    kernel.ranks.data[700] += 1;
    assert!(kernel.verify().unwrap_err().contains("key 700"));
    kernel.ranks.data[700] -= 1;
    kernel.sorted.data[9] = kernel.sorted.data[10];
    kernel.sorted.data[9] ^= 1;
    kernel.sorted.data[10] ^= 1;
    assert!(kernel.verify().is_err());
}
