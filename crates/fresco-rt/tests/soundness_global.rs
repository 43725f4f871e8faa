// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks on shared cores: a bounded run of the claims in `soundness/global.rs`.

use crate::soundness::global::{Forgotten, check};

/// Sets that are drawn; `RT_SETS` in the environment draws more.
fn sets() -> u64 {
    std::env::var("RT_SETS")
        .ok()
        .and_then(|sets| sets.parse().ok())
        .unwrap_or(4000)
}

#[test]
fn what_is_accepted_meets_its_deadlines_and_bounds() {
    let found: Vec<_> = (0..sets()).map(|seed| check(seed, Forgotten::Nothing)).collect();
    let accepted = found.iter().filter(|found| found.accepted).count() as u64;
    let by_density = found.iter().filter(|found| found.by_density).count();
    assert!(
        accepted > sets() / 10 && by_density > 0,
        "{accepted} accepted, {by_density}"
    );
    println!("{accepted} accepted, {by_density} of them by density alone");
}

/// An analysis that forgets one fact accepts sets that miss, or gives bounds that are exceeded: so each fact is needed, and a run finds it.
#[test]
fn each_fact_is_needed() {
    for fact in Forgotten::FACTS {
        let found = (0..sets()).find(|&seed| check(seed, fact).missed);
        println!("{fact:?}: set {found:?}");
        assert!(found.is_some(), "{fact:?} is never missed");
    }
}
