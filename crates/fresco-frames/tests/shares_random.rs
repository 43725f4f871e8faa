// SPDX-License-Identifier: MIT OR Apache-2.0
//! TintMalloc's shares on any map.

use crate::common::machine;
use fresco_frames::ColorSet;
use fresco_frames::shares::{Seat, Share, Taken, Tint, Variant, tintmalloc};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const VARIANTS: [Variant; 5] = [
    Variant::Mem,
    Variant::Llc,
    Variant::MemLlc,
    Variant::MemLlcPart,
    Variant::LlcMemPart,
];

/// No two different sets meet.
fn are_disjoint(sets: &[&Option<ColorSet>], may_be_equal: bool) -> bool {
    let set = |at: usize| sets[at].as_ref().expect("has colors of its own");
    (0..sets.len()).all(|a| (0..a).all(|b| set(a).is_disjoint(set(b)) || may_be_equal && set(a) == set(b)))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// On any map: what is private is disjoint, and every thread has frames, or there is an error that counts right.
    #[test]
    fn private_is_private(
        bits in proptest::sample::subsequence((12u32..20).collect::<Vec<_>>(), 1..5),
        top in 13u32..20, nodes in prop_oneof![Just(1u32), Just(2), Just(4)],
        cores in proptest::collection::vec(0u32..16, 1..20), variant in 0usize..5, by_cache: bool, groups in 1u32..6,
        taken in proptest::collection::btree_set(0u32..16, 0..4),
    ) {
        let space = machine(nodes, 20, &bits, 12..top).space();
        let seats: Vec<Seat> = cores.iter().map(|core| Seat { node: core % nodes, cache: core % 2 }).collect();
        let tint = Tint { variant: VARIANTS[variant], groups, by_cache };
        let taken = Taken { banks: taken.iter().copied().collect(), llc: taken.into_iter().take(1).collect() };
        match tintmalloc(&space, &seats, tint, &taken) {
            Ok(shares) => {
                let free = |set: &Option<ColorSet>, taken: &ColorSet| set.as_ref().is_none_or(|set| set.is_disjoint(taken));
                prop_assert!(shares.iter().all(|share| share.pairs(&space) > 0));
                prop_assert!(shares.iter().all(|share| free(&share.banks, &taken.banks) && free(&share.llc, &taken.llc)));
                let banks: Vec<_> = shares.iter().map(|share| &share.banks).collect();
                if tint.variant != Variant::Llc {
                    prop_assert!(are_disjoint(&banks, tint.variant == Variant::LlcMemPart), "{banks:?}");
                }
                for cache in 0..2 {
                    let here = |(seat, _): &(&Seat, &Share)| !by_cache || seat.cache == cache;
                    let llc: Vec<_> = seats.iter().zip(&shares).filter(here).map(|(_, share)| &share.llc).collect();
                    if tint.variant != Variant::Mem {
                        prop_assert!(are_disjoint(&llc, tint.variant == Variant::MemLlcPart), "{llc:?}");
                    }
                }
            }
            Err(error) => {
                prop_assert!(error.fit < seats.len());
                prop_assert!(tintmalloc(&space, &seats[..error.fit], tint, &taken).is_ok());
            }
        }
    }
}
