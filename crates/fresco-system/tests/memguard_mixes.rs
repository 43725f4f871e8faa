// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random mixes: hard reservations are kept, soft ones but for few periods (MG-7, LIM-28). `examples/memguard_mixes.rs`
//! runs many more.

mod mixes;

#[test]
fn reservations_are_kept() {
    let all = (0..8)
        .map(mixes::missed)
        .reduce(mixes::Missed::and)
        .expect("there are mixes");
    println!("{all:?}");
    assert_eq!((all.hard_errors, all.hungry_short), (0, 0), "{all:?}");
    assert!(all.hungry > 50 && all.soft > 100 && all.donated > 0, "{all:?}");
    assert!(20 * all.soft_errors < all.soft, "{all:?}");
}
