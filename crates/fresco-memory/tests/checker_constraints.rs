// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of the checker on a trace written by hand: one violation one cycle too early, none in time.
//!
//! The values are those of the benchmark's DDR4-2400, spread where two rules would bind in the same cycle.

mod checker_support;

use checker_support::{TIMING_ONLY, check, tight, timing, trace, violated};
use fresco_dram::Timing;
use fresco_memory::checker::Constraint;

fn ddr4() -> Timing {
    timing(
        "ddr4-2400",
        &[
            ("cl", 16),
            ("cwl", 12),
            ("rcd", 16),
            ("rp", 16),
            ("rp_ab", 20),
            ("ras", 39),
            ("rc", 60),
            ("rrd_s", 4),
            ("rrd_l", 6),
            ("faw", 40),
            ("ccd_s", 6),
            ("ccd_l", 8),
            ("ccd_l_wr", 10),
            ("wtr_s", 3),
            ("wtr_l", 9),
            ("rtp", 9),
            ("wr", 30),
            ("rtrs", 2),
            ("rtw_gap", 2),
            ("ppd", 3),
            ("rfc_ab", 420),
        ],
    )
}

/// LPDDR4 of few cycles: REFpb.
fn lpddr4() -> Timing {
    timing("lpddr4-3200", &[])
}

/// DDR5: REFsb.
fn ddr5() -> Timing {
    timing("ddr5-4800", &[])
}

#[test]
fn activate_to_column() {
    tight(&ddr4(), Constraint::Rcd, "0 ACT 0 0 0 0 7 -; @ RD 0 0 0 0 7 0", 16);
    tight(&ddr4(), Constraint::Rcd, "0 ACT 0 0 0 0 7 -; @ WR 0 0 0 0 7 0", 16);
}

#[test]
fn precharge_to_activate() {
    tight(
        &ddr4(),
        Constraint::Rp,
        "0 ACT 0 0 0 0 7 -; 50 PRE 0 0 0 0 - -; @ ACT 0 0 0 0 8 -",
        66,
    );
    tight(
        &ddr4(),
        Constraint::RpAb,
        "0 ACT 0 0 0 0 7 -; 50 PREA 0 0 - - - -; @ ACT 0 0 0 0 8 -",
        70,
    );
}

#[test]
fn activate_to_precharge() {
    tight(&ddr4(), Constraint::Ras, "0 ACT 0 0 0 0 7 -; @ PRE 0 0 0 0 - -", 39);
    tight(&ddr4(), Constraint::Ras, "0 ACT 0 0 3 2 7 -; @ PREA 0 0 - - - -", 39);
}

#[test]
fn activate_to_activate() {
    tight(
        &ddr4(),
        Constraint::Rc,
        "0 ACT 0 0 0 0 7 -; 39 PRE 0 0 0 0 - -; @ ACT 0 0 0 0 8 -",
        60,
    );
    tight(&ddr4(), Constraint::RrdS, "0 ACT 0 0 0 0 7 -; @ ACT 0 0 1 0 7 -", 4);
    tight(&ddr4(), Constraint::RrdL, "0 ACT 0 0 0 0 7 -; @ ACT 0 0 0 1 7 -", 6);
    let four = "0 ACT 0 0 0 0 7 -; 6 ACT 0 0 1 0 7 -; 10 ACT 0 0 2 0 7 -; 14 ACT 0 0 3 0 7 -;";
    tight(&ddr4(), Constraint::Faw, &format!("{four} @ ACT 0 0 0 1 7 -"), 40);
    // The sixth is measured against the second.
    tight(
        &ddr4(),
        Constraint::Faw,
        &format!("{four} 40 ACT 0 0 0 1 7 -; @ ACT 0 0 1 1 7 -"),
        46,
    );
    // Another rank is free.
    assert_eq!(violated(&ddr4(), &format!("{four} 15 ACT 0 1 0 1 7 -")), []);
}

/// ACT of two banks of groups 0 and one of group 1, all rows open from 30 on.
const OPEN: &str = "0 ACT 0 0 0 0 7 -; 6 ACT 0 0 0 1 7 -; 10 ACT 0 0 1 0 7 -; 14 ACT 0 1 0 0 7 -;";

#[test]
fn column_to_column_of_the_same_direction() {
    let t = ddr4();
    tight(
        &t,
        Constraint::CcdS,
        &format!("{OPEN} 30 RD 0 0 0 0 7 0; @ RD 0 0 1 0 7 0"),
        36,
    );
    tight(
        &t,
        Constraint::CcdL,
        &format!("{OPEN} 30 RD 0 0 0 0 7 0; @ RD 0 0 0 1 7 0"),
        38,
    );
    tight(
        &t,
        Constraint::CcdS,
        &format!("{OPEN} 30 WR 0 0 0 0 7 0; @ WR 0 0 1 0 7 0"),
        36,
    );
    tight(
        &t,
        Constraint::CcdLWr,
        &format!("{OPEN} 30 WR 0 0 0 0 7 0; @ WR 0 0 0 1 7 0"),
        40,
    );
    // The bank itself is part of its group.
    tight(
        &t,
        Constraint::CcdL,
        &format!("{OPEN} 30 RD 0 0 0 0 7 0; @ RDA 0 0 0 0 7 8"),
        38,
    );
}

#[test]
fn write_to_read_in_the_rank() {
    // CWL + BL/2 + tWTR = 12 + 4 + 3, 9
    tight(
        &ddr4(),
        Constraint::WtrS,
        &format!("{OPEN} 30 WR 0 0 0 0 7 0; @ RD 0 0 1 0 7 0"),
        49,
    );
    tight(
        &ddr4(),
        Constraint::WtrL,
        &format!("{OPEN} 30 WR 0 0 0 0 7 0; @ RD 0 0 0 1 7 0"),
        55,
    );
}

#[test]
fn read_to_write_in_the_rank() {
    // CL + BL/2 + 2 - CWL = 10, in whichever group
    tight(
        &ddr4(),
        Constraint::Rtw,
        &format!("{OPEN} 30 RD 0 0 0 0 7 0; @ WR 0 0 1 0 7 0"),
        40,
    );
    tight(
        &ddr4(),
        Constraint::Rtw,
        &format!("{OPEN} 30 RD 0 0 0 0 7 0; @ WR 0 0 0 0 7 0"),
        40,
    );
}

#[test]
fn column_to_column_across_ranks() {
    let t = ddr4();
    tight(
        &t,
        Constraint::Rtrs,
        &format!("{OPEN} 30 RD 0 0 0 0 7 0; @ RD 0 1 0 0 7 0"),
        36,
    ); // BL/2 + 2
    tight(
        &t,
        Constraint::Rtrs,
        &format!("{OPEN} 30 WR 0 0 0 0 7 0; @ WR 0 1 0 0 7 0"),
        36,
    ); // BL/2 + 2
    tight(
        &t,
        Constraint::Rtrs,
        &format!("{OPEN} 30 RD 0 0 0 0 7 0; @ WR 0 1 0 0 7 0"),
        40,
    ); // CL + BL/2 + 2 - CWL
    tight(
        &t,
        Constraint::Rtrs,
        &format!("{OPEN} 30 WR 0 0 0 0 7 0; @ RD 0 1 0 0 7 0"),
        32,
    ); // CWL + BL/2 + 2 - CL
}

#[test]
fn column_to_precharge() {
    let t = ddr4();
    tight(
        &t,
        Constraint::Rtp,
        "0 ACT 0 0 0 0 7 -; 35 RD 0 0 0 0 7 0; @ PRE 0 0 0 0 - -",
        44,
    );
    // CWL + BL/2 + tWR = 46
    tight(
        &t,
        Constraint::Wr,
        "0 ACT 0 0 0 0 7 -; 20 WR 0 0 0 0 7 0; @ PRE 0 0 0 0 - -",
        66,
    );
    tight(
        &t,
        Constraint::Wr,
        "0 ACT 0 0 0 0 7 -; 20 WR 0 0 0 0 7 0; @ PREA 0 0 - - - -",
        66,
    );
    // RDA precharges tRTP later and does not wait for an earlier write: 66 - 9
    tight(
        &t,
        Constraint::Wr,
        "0 ACT 0 0 0 0 7 -; 20 WR 0 0 0 0 7 0; @ RDA 0 0 0 0 7 8",
        57,
    );
}

#[test]
fn precharge_to_precharge() {
    let open = "0 ACT 0 0 0 0 7 -; 6 ACT 0 0 0 1 7 -; 50 PRE 0 0 0 0 - -;";
    tight(&ddr4(), Constraint::Ppd, &format!("{open} @ PRE 0 0 0 1 - -"), 53);
    tight(&ddr4(), Constraint::Ppd, &format!("{open} @ PREA 0 0 - - - -"), 53);
}

#[test]
fn the_precharge_that_a_column_command_implies() {
    let t = ddr4();
    // After tRTP: 40 + 9 + 16; after the write: 20 + 46 + 16.
    tight(
        &t,
        Constraint::Rp,
        "0 ACT 0 0 0 0 7 -; 40 RDA 0 0 0 0 7 0; @ ACT 0 0 0 0 8 -",
        65,
    );
    tight(
        &t,
        Constraint::Rp,
        "0 ACT 0 0 0 0 7 -; 20 WRA 0 0 0 0 7 0; @ ACT 0 0 0 0 8 -",
        82,
    );
    // Not before tRAS: 39 + 16, not 16 + 9 + 16.
    tight(
        &t,
        Constraint::Rp,
        "0 ACT 0 0 0 0 7 -; 16 RDA 0 0 0 0 7 0; @ REFab 0 0 - - - -",
        55,
    );
    // The row is gone with the command.
    let again = "0 ACT 0 0 0 0 7 -; 16 RDA 0 0 0 0 7 0; 30 RD 0 0 0 0 7 8";
    assert_eq!(violated(&t, again), [Constraint::RowNotOpen]);
}

#[test]
fn precharge_to_refresh() {
    tight(
        &ddr4(),
        Constraint::Rp,
        "0 ACT 0 0 2 1 7 -; 50 PRE 0 0 2 1 - -; @ REFab 0 0 - - - -",
        66,
    );
    tight(
        &ddr4(),
        Constraint::RpAb,
        "0 ACT 0 0 2 1 7 -; 50 PREA 0 0 - - - -; @ REFab 0 0 - - - -",
        70,
    );
    tight(
        &lpddr4(),
        Constraint::Rp,
        "0 ACT 0 0 2 1 7 -; 80 PRE 0 0 2 1 - -; @ REFpb 0 0 2 1 - -",
        109,
    );
    // One of the banks of the number.
    tight(
        &ddr5(),
        Constraint::Rp,
        "0 ACT 0 0 2 1 7 -; 80 PRE 0 0 2 1 - -; @ REFsb 0 0 - 1 - -",
        119,
    );
    // A useless precharge restarts tRP.
    let twice = "0 ACT 0 0 2 1 7 -; 50 PRE 0 0 2 1 - -; 60 PRE 0 0 2 1 - -; @ REFab 0 0 - - - -";
    tight(&ddr4(), Constraint::Rp, twice, 76);
}

#[test]
fn all_bank_refresh_to_anything() {
    tight(
        &ddr4(),
        Constraint::RfcAb,
        "0 REFab 0 0 - - - -; @ ACT 0 0 3 3 7 -",
        420,
    );
    tight(
        &ddr4(),
        Constraint::RfcAb,
        "0 REFab 0 0 - - - -; @ REFab 0 0 - - - -",
        420,
    );
    tight(
        &ddr4(),
        Constraint::RfcAb,
        "0 REFab 0 0 - - - -; @ PREA 0 0 - - - -",
        420,
    );
    tight(
        &lpddr4(),
        Constraint::RfcAb,
        "0 REFab 0 0 - - - -; @ REFpb 0 0 1 1 - -",
        448,
    );
    // The other rank works on.
    assert_eq!(
        violated(&ddr4(), "0 REFab 0 0 - - - -; 1 ACT 0 1 0 0 7 -; 2 REFab 0 0 - - - -").len(),
        1
    );
}

#[test]
fn per_bank_refresh() {
    let t = lpddr4();
    tight(&t, Constraint::RfcPb, "0 REFpb 0 0 1 2 - -; @ ACT 0 0 1 2 7 -", 224);
    tight(&t, Constraint::RfcPb, "0 REFpb 0 0 1 2 - -; @ REFpb 0 0 1 2 - -", 224);
    tight(&t, Constraint::RfcPb, "0 REFpb 0 0 1 2 - -; @ REFab 0 0 - - - -", 224);
    tight(
        &t,
        Constraint::RefreshToRefresh,
        "0 REFpb 0 0 1 2 - -; @ REFpb 0 0 1 3 - -",
        144,
    );
    tight(
        &t,
        Constraint::RefreshToAct,
        "0 REFpb 0 0 1 2 - -; @ ACT 0 0 2 2 7 -",
        16,
    );
    tight(&t, Constraint::RrdL, "0 ACT 0 0 2 2 7 -; @ REFpb 0 0 1 2 - -", 16);
}

#[test]
fn same_bank_refresh() {
    let t = ddr5();
    tight(&t, Constraint::RfcSb, "0 REFsb 0 0 - 2 - -; @ ACT 0 0 3 2 7 -", 276); // 115 ns
    tight(&t, Constraint::RfcSb, "0 REFsb 0 0 - 2 - -; @ REFab 0 0 - - - -", 276);
    tight(
        &t,
        Constraint::RefreshToRefresh,
        "0 REFsb 0 0 - 2 - -; @ REFsb 0 0 - 3 - -",
        276,
    );
    tight(
        &t,
        Constraint::RefreshToAct,
        "0 REFsb 0 0 - 2 - -; @ ACT 0 0 3 1 7 -",
        72,
    ); // 30 ns
    tight(&t, Constraint::RrdL, "0 ACT 0 0 3 1 7 -; @ REFsb 0 0 - 2 - -", 12);
}

#[test]
fn command_bus() {
    tight(
        &ddr4(),
        Constraint::CommandBus,
        "5 ACT 0 0 0 0 7 -; @ ACT 0 1 0 0 7 -",
        6,
    );
    // Two-clock commands of DDR5, four- and two-clock commands of LPDDR4.
    tight(
        &ddr5(),
        Constraint::CommandBus,
        "0 ACT 0 0 0 0 7 -; @ ACT 0 1 0 0 7 -",
        2,
    );
    tight(
        &lpddr4(),
        Constraint::CommandBus,
        "0 ACT 0 0 0 0 7 -; @ ACT 0 1 0 0 7 -",
        4,
    );
    tight(
        &lpddr4(),
        Constraint::CommandBus,
        "0 REFab 0 0 - - - -; @ ACT 0 1 0 0 7 -",
        2,
    );
    let column = "0 ACT 0 0 0 0 7 -; 40 RD 0 0 0 0 7 0;";
    tight(
        &lpddr4(),
        Constraint::CommandBus,
        &format!("{column} @ REFab 0 1 - - - -"),
        44,
    );
    tight(
        &ddr5(),
        Constraint::CommandBus,
        &format!("{column} @ REFab 0 1 - - - -"),
        42,
    );
}

#[test]
fn data_bus() {
    // Without any idle cycles asked for between ranks, the data alone decide; both rules speak.
    let mut t = ddr4();
    t.rtrs = 0;
    for (first, second, distance) in [("RD", "RD", 4), ("WR", "WR", 4), ("RD", "WR", 8)] {
        let at = |cycle| format!("{OPEN} 30 {first} 0 0 0 0 7 0; {cycle} {second} 0 1 0 0 7 0");
        assert_eq!(violated(&t, &at(30 + distance)), []);
        assert_eq!(
            violated(&t, &at(30 + distance - 1)),
            [Constraint::Rtrs, Constraint::DataBus],
            "{first} {second}"
        );
    }
    // A later command may have earlier data.
    t.cwl = 2;
    let before = |cycle| format!("{OPEN} 30 RD 0 0 0 0 7 0; {cycle} WR 0 1 0 0 7 0");
    assert_eq!(
        violated(&t, &before(40)),
        [Constraint::Rtrs],
        "data 42..46 before 46..50"
    );
    assert_eq!(
        violated(&t, &before(41)),
        [Constraint::Rtrs, Constraint::DataBus],
        "data 43..47 and 46..50"
    );
    assert_eq!(violated(&t, &before(48)), []);
}

/// A published simulator lets a write to one rank follow a read of another after BL/2 + 2 cycles.
#[test]
fn read_then_write_of_another_rank_with_overlapping_data() {
    let report = check(
        &ddr4(),
        TIMING_ONLY,
        &trace(&format!("{OPEN} 100 RD 0 0 0 0 7 0; 106 WR 0 1 0 0 7 0")),
        0,
    );
    let rules: Vec<Constraint> = report.violations.iter().map(|v| v.constraint).collect();
    assert_eq!(rules, [Constraint::Rtrs, Constraint::DataBus]);
    let overlap = &report.violations[1];
    assert_eq!(
        (overlap.found, overlap.required),
        (6, 8),
        "read data 116..120, write data 118..122"
    );
}

#[test]
fn state_of_banks() {
    let t = ddr4();
    assert_eq!(violated(&t, "0 RD 0 0 0 0 7 0"), [Constraint::RowNotOpen]);
    assert_eq!(
        violated(&t, "0 ACT 0 0 0 0 7 -; 20 WR 0 0 0 0 8 0"),
        [Constraint::RowNotOpen]
    );
    assert_eq!(
        violated(&t, "0 ACT 0 0 0 0 7 -; 50 PRE 0 0 0 0 - -; 60 RD 0 0 0 0 7 0"),
        [Constraint::RowNotOpen]
    );
    assert_eq!(
        violated(&t, "0 ACT 0 0 0 0 7 -; 100 ACT 0 0 0 0 8 -"),
        [Constraint::BankOpen]
    );
    assert_eq!(
        violated(&t, "0 ACT 0 0 0 0 7 -; 100 REFab 0 0 - - - -"),
        [Constraint::RefreshOpenBank]
    );
    assert_eq!(
        violated(&lpddr4(), "0 ACT 0 0 1 2 7 -; 100 REFpb 0 0 1 2 - -"),
        [Constraint::RefreshOpenBank]
    );
    assert_eq!(
        violated(&ddr5(), "0 ACT 0 0 1 2 7 -; 100 REFsb 0 0 - 2 - -"),
        [Constraint::RefreshOpenBank]
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
    assert_eq!(
        violated(&t, "10 ACT 0 0 0 0 7 -; 9 ACT 0 1 0 0 7 -"),
        [Constraint::Order]
    );
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
        assert_eq!(violated(&t, outside), [Constraint::Address], "{outside}");
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
