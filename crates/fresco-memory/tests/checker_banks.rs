// SPDX-License-Identifier: MIT OR Apache-2.0
//! ACT, PRE, PREA and the state of banks: each rule one cycle too early, and in time.

use crate::checker_support::{TIMING_ONLY, check, ddr4, ddr5, lpddr4, tight, trace, violated};
use fresco_memory::checker::Constraint::*;

#[test]
fn activate_to_column() {
    tight(&ddr4(), Rcd, "0 ACT 0 0 0 0 7 -; @ RD 0 0 0 0 7 0", 16);
    tight(&ddr4(), Rcd, "0 ACT 0 0 0 0 7 -; @ WR 0 0 0 0 7 0", 16);
}

#[test]
fn precharge_to_activate() {
    tight(
        &ddr4(),
        Rp,
        "0 ACT 0 0 0 0 7 -; 50 PRE 0 0 0 0 - -; @ ACT 0 0 0 0 8 -",
        66,
    );
    tight(
        &ddr4(),
        RpAb,
        "0 ACT 0 0 0 0 7 -; 50 PREA 0 0 - - - -; @ ACT 0 0 0 0 8 -",
        70,
    );
}

#[test]
fn activate_to_precharge() {
    tight(&ddr4(), Ras, "0 ACT 0 0 0 0 7 -; @ PRE 0 0 0 0 - -", 39);
    tight(&ddr4(), Ras, "0 ACT 0 0 3 2 7 -; @ PREA 0 0 - - - -", 39);
}

#[test]
fn activate_to_activate() {
    tight(
        &ddr4(),
        Rc,
        "0 ACT 0 0 0 0 7 -; 39 PRE 0 0 0 0 - -; @ ACT 0 0 0 0 8 -",
        60,
    );
    tight(&ddr4(), RrdS, "0 ACT 0 0 0 0 7 -; @ ACT 0 0 1 0 7 -", 4);
    tight(&ddr4(), RrdL, "0 ACT 0 0 0 0 7 -; @ ACT 0 0 0 1 7 -", 6);
    let four = "0 ACT 0 0 0 0 7 -; 6 ACT 0 0 1 0 7 -; 10 ACT 0 0 2 0 7 -; 14 ACT 0 0 3 0 7 -;";
    tight(&ddr4(), Faw, &format!("{four} @ ACT 0 0 0 1 7 -"), 40);
    // The sixth is measured against the second.
    tight(
        &ddr4(),
        Faw,
        &format!("{four} 40 ACT 0 0 0 1 7 -; @ ACT 0 0 1 1 7 -"),
        46,
    );
    // Another rank is free.
    assert_eq!(violated(&ddr4(), &format!("{four} 15 ACT 0 1 0 1 7 -")), []);
}

#[test]
fn precharge_to_precharge() {
    let open = "0 ACT 0 0 0 0 7 -; 6 ACT 0 0 0 1 7 -; 50 PRE 0 0 0 0 - -;";
    tight(&ddr4(), Ppd, &format!("{open} @ PRE 0 0 0 1 - -"), 53);
    tight(&ddr4(), Ppd, &format!("{open} @ PREA 0 0 - - - -"), 53);
}

#[test]
fn state_of_banks() {
    let t = ddr4();
    assert_eq!(violated(&t, "0 RD 0 0 0 0 7 0"), [RowNotOpen]);
    assert_eq!(violated(&t, "0 ACT 0 0 0 0 7 -; 20 WR 0 0 0 0 8 0"), [RowNotOpen]);
    assert_eq!(
        violated(&t, "0 ACT 0 0 0 0 7 -; 50 PRE 0 0 0 0 - -; 60 RD 0 0 0 0 7 0"),
        [RowNotOpen]
    );
    assert_eq!(violated(&t, "0 ACT 0 0 0 0 7 -; 100 ACT 0 0 0 0 8 -"), [BankOpen]);
    assert_eq!(
        violated(&t, "0 ACT 0 0 0 0 7 -; 100 REFab 0 0 - - - -"),
        [RefreshOpenBank]
    );
    assert_eq!(
        violated(&lpddr4(), "0 ACT 0 0 1 2 7 -; 100 REFpb 0 0 1 2 - -"),
        [RefreshOpenBank]
    );
    assert_eq!(
        violated(&ddr5(), "0 ACT 0 0 1 2 7 -; 100 REFsb 0 0 - 2 - -"),
        [RefreshOpenBank]
    );
    // Refresh of the others.
    assert_eq!(violated(&lpddr4(), "0 ACT 0 0 1 2 7 -; 100 REFpb 0 0 2 2 - -"), []);
    assert_eq!(violated(&ddr5(), "0 ACT 0 0 1 2 7 -; 100 REFsb 0 0 - 1 - -"), []);
}

#[test]
fn precharge_of_closed_banks_is_counted_and_allowed() {
    let commands = trace("0 PRE 0 0 0 0 - -; 10 ACT 0 0 3 0 7 -; 60 PREA 0 0 - - - -; 70 PREA 0 0 - - - -");
    let report = check(&ddr4(), TIMING_ONLY, &commands, 100);
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.idle_precharges, 2);
    assert_eq!(report.commands_total(), 4);
}

#[test]
fn order_and_address() {
    let t = ddr4();
    assert_eq!(violated(&t, "10 ACT 0 0 0 0 7 -; 9 ACT 0 1 0 0 7 -"), [Order]);
    for outside in [
        "0 ACT 1 0 0 0 0 -",
        "0 ACT 0 2 0 0 0 -",
        "0 ACT 0 0 4 0 0 -",
        "0 ACT 0 0 0 4 0 -",
        "0 ACT 0 0 0 0 8192 -",
        "0 RD 0 0 0 0 0 1024",
        "0 REFsb 0 0 - 4 - -",
        "0 REFab 0 2 - - - -",
    ] {
        assert_eq!(violated(&t, outside), [Address], "{outside}");
    }
}

#[test]
fn findings_beyond_the_limit_are_counted() {
    let options = fresco_memory::checker::Options { keep: 2, ..TIMING_ONLY };
    let report = check(&ddr4(), options, &trace(&"0 RD 9 0 0 0 0 0;".repeat(5)), 0);
    assert_eq!((report.violations.len(), report.violations_total()), (2, 5));
    assert!(!report.is_clean());
    assert!(report.to_string().contains("5 x address"), "{report}");
}
