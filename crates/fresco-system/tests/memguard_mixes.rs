// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random mixes: hard reservations are kept, soft ones but for few periods (MG-7, LIM-28). `examples/memguard_mixes.rs`
//! runs many more.

use crate::mixes::Missed;
use rayon::prelude::*;

#[test]
fn reservations_are_kept() {
    let all = [1, 2, 4, 25, 28, 50].into_par_iter().map(crate::mixes::missed);
    let all = all.reduce(Missed::default, Missed::and);
    println!("{all:?}");
    assert_eq!((all.hard_errors, all.hungry_short), (0, 0), "{all:?}");
    assert!(all.hungry > 50 && all.soft > 100 && all.donated > 0, "{all:?}");
    assert!(all.soft_errors > 0 && 20 * all.soft_errors < all.soft, "{all:?}");
}

#[test]
fn hard_reservations_are_kept_with_two_periodic_tasks_on_each_core() {
    let all = (0..8).into_par_iter().map(crate::mixes::periodic::missed);
    let all = all.reduce(Missed::default, Missed::and);
    println!("{all:?}");
    assert_eq!((all.hard_errors, all.hungry_short), (0, 0), "{all:?}");
    assert!(all.hungry > 250 && all.soft > 300 && all.donated > 0, "{all:?}");
}
