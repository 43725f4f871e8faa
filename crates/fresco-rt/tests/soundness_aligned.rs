// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aligned plans never miss, never meet a refresh, and keep every row: a bounded run of the claims in `soundness/`.

#[test]
fn planned_sets_never_miss_nor_meet_a_refresh() {
    let planned = (0..6000).filter(|&seed| crate::soundness::aligned::check(seed)).count();
    assert!(planned > 500, "{planned} plans");
    println!("{planned} plans");
}
