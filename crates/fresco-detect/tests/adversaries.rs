// SPDX-License-Identifier: MIT OR Apache-2.0
//! No false map: adversaries of each kind, few here, many in `examples/adversaries.rs`.

use fresco_detect::synthetic::Adversary;

const SEEDS: u64 = 6;

#[test]
fn no_adversary_is_given_a_false_map() {
    for adversary in Adversary::ALL {
        for seed in 0..SEEDS {
            let (found, is_true) = adversary.detection(seed);
            let failed = found.evidence.failed();
            println!("{adversary:?} {seed}: {} {failed:?}", found.verdict);
            assert!(
                adversary.allows(found.verdict, is_true),
                "{adversary:?} {seed}: {} {failed:?}",
                found.verdict
            );
        }
    }
}
