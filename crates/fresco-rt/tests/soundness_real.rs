// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts, late jobs, critical sections, switches and reloads: a bounded run of the claims in `soundness/real.rs`.

use crate::soundness::real::{Forgotten, check};

/// Sets that are drawn; `RT_SETS` in the environment draws more.
fn sets() -> u64 {
    std::env::var("RT_SETS")
        .ok()
        .and_then(|sets| sets.parse().ok())
        .unwrap_or(6000)
}

#[test]
fn what_is_accepted_meets_its_deadlines_and_bounds() {
    let accepted = (0..sets()).filter(|&seed| check(seed, Forgotten::Nothing).0).count() as u64;
    assert!(accepted > sets() / 20, "{accepted} accepted");
    println!("{accepted} accepted");
}

/// An analysis that forgets one fact accepts sets that miss, or gives bounds that are exceeded: so each fact is needed, and a run finds it.
#[test]
fn each_fact_is_needed() {
    for fact in Forgotten::FACTS {
        let found = (0..sets()).find(|&seed| check(seed, fact).1);
        assert!(found.is_some(), "{fact:?} is never missed");
        println!("{fact:?}: set {}", found.unwrap_or(0));
    }
}
