// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh commands: each rule on distance one cycle too early, and in time.

use crate::checker_support::{ddr4, ddr5, lpddr4, tight, timing, violated};
use fresco_memory::checker::Constraint::*;

#[test]
fn precharge_to_refresh() {
    tight(
        &ddr4(),
        Rp,
        "0 ACT 0 0 2 1 7 -; 50 PRE 0 0 2 1 - -; @ REFab 0 0 - - - -",
        66,
    );
    tight(
        &ddr4(),
        RpAb,
        "0 ACT 0 0 2 1 7 -; 50 PREA 0 0 - - - -; @ REFab 0 0 - - - -",
        70,
    );
    tight(
        &lpddr4(),
        Rp,
        "0 ACT 0 0 2 1 7 -; 80 PRE 0 0 2 1 - -; @ REFpb 0 0 2 1 - -",
        109,
    );
    // One of the banks of the number.
    tight(
        &ddr5(),
        Rp,
        "0 ACT 0 0 2 1 7 -; 80 PRE 0 0 2 1 - -; @ REFsb 0 0 - 1 - -",
        119,
    );
    // A useless precharge restarts tRP.
    let twice = "0 ACT 0 0 2 1 7 -; 50 PRE 0 0 2 1 - -; 60 PRE 0 0 2 1 - -; @ REFab 0 0 - - - -";
    tight(&ddr4(), Rp, twice, 76);
}

#[test]
fn row_cycle_before_refresh() {
    // A tRC longer than tRAS and tRP, which else bind first.
    let long = |name| timing(name, &[("rc", 150)]);
    let opened_and_closed = "0 ACT 0 0 2 1 7 -; 90 PRE 0 0 2 1 - -; ";
    for (t, refresh) in [
        (long("ddr4-2400"), "@ REFab 0 0 - - - -"),
        (long("lpddr4-3200"), "@ REFpb 0 0 2 1 - -"),
        (long("ddr5-4800"), "@ REFsb 0 0 - 1 - -"),
    ] {
        tight(&t, Rc, &format!("{opened_and_closed}{refresh}"), 150);
    }
}

#[test]
fn all_bank_refresh_to_anything() {
    tight(&ddr4(), RfcAb, "0 REFab 0 0 - - - -; @ ACT 0 0 3 3 7 -", 420);
    tight(&ddr4(), RfcAb, "0 REFab 0 0 - - - -; @ REFab 0 0 - - - -", 420);
    tight(&ddr4(), RfcAb, "0 REFab 0 0 - - - -; @ PREA 0 0 - - - -", 420);
    tight(&lpddr4(), RfcAb, "0 REFab 0 0 - - - -; @ REFpb 0 0 1 1 - -", 448);
    // The other rank works on.
    assert_eq!(
        violated(&ddr4(), "0 REFab 0 0 - - - -; 1 ACT 0 1 0 0 7 -; 2 REFab 0 0 - - - -").len(),
        1
    );
}

#[test]
fn quarter_refresh() {
    let t = ddr4();
    // tRFC4 of 8 Gb: 160 ns.
    tight(&t, RfcAb4, "0 REFab4 0 0 - - - -; @ ACT 0 0 3 3 7 -", 192);
    tight(&t, RfcAb4, "0 REFab4 0 0 - - - -; @ REFab4 0 0 - - - -", 192);
    tight(&t, RfcAb, "0 REFab 0 0 - - - -; @ REFab4 0 0 - - - -", 420);
    // The granularity changes only after four of them.
    let quarters = "0 REFab4 0 0 - - - -; 200 REFab4 0 0 - - - -; 400 REFab4 0 0 - - - -; 600 REFab4 0 1 - - - -; ";
    let amid = format!("{quarters}700 REFab 0 0 - - - -");
    assert_eq!(violated(&t, &amid), [QuarterRefreshes]);
    let after = format!("{quarters}700 REFab4 0 0 - - - -; 900 REFab 0 0 - - - -");
    assert_eq!(violated(&t, &after), []);
    // DDR3 has none, nor has a device whose mode is fixed.
    assert_eq!(
        violated(&timing("ddr3-1600", &[]), "0 REFab4 0 0 - - - -"),
        [Unsupported]
    );
    assert_eq!(
        violated(&timing("ddr4-2400", &[("rfc_ab4", 0)]), "0 REFab4 0 0 - - - -"),
        [Unsupported]
    );
}

#[test]
fn per_bank_refresh() {
    let t = lpddr4();
    tight(&t, RfcPb, "0 REFpb 0 0 1 2 - -; @ ACT 0 0 1 2 7 -", 224);
    tight(&t, RfcPb, "0 REFpb 0 0 1 2 - -; @ REFpb 0 0 1 2 - -", 224);
    tight(&t, RfcPb, "0 REFpb 0 0 1 2 - -; @ REFab 0 0 - - - -", 224);
    tight(&t, RefreshToRefresh, "0 REFpb 0 0 1 2 - -; @ REFpb 0 0 1 3 - -", 144);
    tight(&t, RefreshToAct, "0 REFpb 0 0 1 2 - -; @ ACT 0 0 2 2 7 -", 16);
    tight(&t, RrdL, "0 ACT 0 0 2 2 7 -; @ REFpb 0 0 1 2 - -", 16);
}

#[test]
fn same_bank_refresh() {
    let t = ddr5();
    tight(&t, RfcSb, "0 REFsb 0 0 - 2 - -; @ ACT 0 0 3 2 7 -", 276); // 115 ns
    tight(&t, RfcSb, "0 REFsb 0 0 - 2 - -; @ REFab 0 0 - - - -", 276);
    tight(&t, RefreshToRefresh, "0 REFsb 0 0 - 2 - -; @ REFsb 0 0 - 3 - -", 276);
    tight(&t, RefreshToAct, "0 REFsb 0 0 - 2 - -; @ ACT 0 0 3 1 7 -", 72); // 30 ns
    tight(&t, RrdL, "0 ACT 0 0 3 1 7 -; @ REFsb 0 0 - 2 - -", 12);
}

#[test]
fn bank_refresh_belongs_to_some_standards_only() {
    assert_eq!(violated(&ddr4(), "0 REFpb 0 0 1 2 - -"), [Unsupported]);
    assert_eq!(violated(&ddr4(), "0 REFsb 0 0 - 2 - -"), [Unsupported]);
    assert_eq!(violated(&lpddr4(), "0 REFsb 0 0 - 2 - -"), [Unsupported]);
    assert_eq!(violated(&ddr5(), "0 REFpb 0 0 1 2 - -"), [Unsupported]);
}

#[test]
fn a_bank_refreshed_again_before_the_others_is_a_warning() {
    let repeats = |timing: &fresco_dram::Timing, text: &str| {
        let options = fresco_memory::checker::Options {
            pro_rata: false,
            ..Default::default()
        };
        let report = crate::checker_support::check(timing, options, &crate::checker_support::trace(text), 0);
        assert!(report.is_clean(), "{report}");
        report
            .retention
            .repeated
            .iter()
            .map(|r| (r.bank_group, r.bank, r.at))
            .collect::<Vec<_>>()
    };
    let lpddr4 = lpddr4();
    assert_eq!(
        repeats(
            &lpddr4,
            "0 REFpb 0 0 1 2 - -; 500 REFpb 0 0 1 3 - -; 1000 REFpb 0 0 1 2 - -; 1500 REFpb 0 0 1 3 - -"
        ),
        [(1, 2, 1000)]
    );
    // A rank of its own, and a REFab ends the round.
    let text = "0 REFpb 0 0 1 2 - -; 500 REFpb 0 1 1 2 - -; 1000 REFab 0 0 - - - -; 1500 REFpb 0 0 1 2 - -";
    assert_eq!(repeats(&lpddr4, text), []);
    let text = "0 REFsb 0 0 - 2 - -; 500 REFsb 0 0 - 1 - -; 1000 REFsb 0 0 - 2 - -";
    assert_eq!(repeats(&ddr5(), text), [(0, 2, 1000)]);
    // Four bank numbers make a round.
    let round = "0 REFsb 0 0 - 2 - -; 500 REFsb 0 0 - 1 - -; 1000 REFsb 0 0 - 0 - -; 1500 REFsb 0 0 - 3 - -";
    assert_eq!(repeats(&ddr5(), &format!("{round}; 2000 REFsb 0 0 - 3 - -")), []);
}
