// SPDX-License-Identifier: MIT OR Apache-2.0
//! No false map: adversaries of each kind, few here, many in `examples/adversaries.rs`.

use fresco_detect::synthetic::Adversary;
use fresco_detect::{Method, Options, detect};

const SEEDS: u64 = 6;

#[test]
fn no_adversary_is_given_a_false_map() {
    for adversary in Adversary::ALL {
        for seed in 0..SEEDS {
            let (mut timer, truth) = adversary.timer(seed);
            let found = detect(
                &mut timer,
                Options {
                    seed,
                    method: Method::Solver,
                    all: false,
                },
            );
            let masks = found.solution.as_ref().and_then(|solution| solution.model.masks());
            let is_true = masks.is_some_and(|masks| truth.is(&masks));
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
