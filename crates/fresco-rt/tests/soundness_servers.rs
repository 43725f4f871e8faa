// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the server tests accept never misses: a bounded run of the claims in `soundness/`; `examples/soundness.rs` runs more.

use crate::soundness::servers::{Accepted, check};

#[test]
fn accepted_sets_never_miss() {
    let mut accepted = Accepted::default();
    for seed in 0..6000 {
        accepted.add(check(seed));
    }
    // The chain is exercised at every link, and no link is all there is.
    assert!(accepted.linear > 200, "{accepted:?}");
    assert!(accepted.periodic > accepted.linear + 100, "{accepted:?}");
    assert!(accepted.table > accepted.periodic + 100, "{accepted:?}");
    assert!(accepted.deferrable > 100, "{accepted:?}");
    assert!(accepted.flat > accepted.table, "{accepted:?}");
    println!("{accepted:?}");
}
