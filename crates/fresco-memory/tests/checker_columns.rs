// SPDX-License-Identifier: MIT OR Apache-2.0
//! Column commands and the two buses: each rule one cycle too early, and in time.

use crate::checker_support::{TIMING_ONLY, check, ddr4, ddr5, lpddr4, tight, trace, violated};
use fresco_memory::checker::Constraint::{self, *};

/// ACT of two banks of groups 0 and one of group 1, all rows open from 30 on.
const OPEN: &str = "0 ACT 0 0 0 0 7 -; 6 ACT 0 0 0 1 7 -; 10 ACT 0 0 1 0 7 -; 14 ACT 0 1 0 0 7 -;";

fn open(then: &str) -> String {
    format!("{OPEN} {then}")
}

#[test]
fn column_to_column_of_the_same_direction() {
    let t = ddr4();
    tight(&t, CcdS, &open("30 RD 0 0 0 0 7 0; @ RD 0 0 1 0 7 0"), 36);
    tight(&t, CcdL, &open("30 RD 0 0 0 0 7 0; @ RD 0 0 0 1 7 0"), 38);
    tight(&t, CcdS, &open("30 WR 0 0 0 0 7 0; @ WR 0 0 1 0 7 0"), 36);
    tight(&t, CcdLWr, &open("30 WR 0 0 0 0 7 0; @ WR 0 0 0 1 7 0"), 40);
    // The bank itself is part of its group.
    tight(&t, CcdL, &open("30 RD 0 0 0 0 7 0; @ RDA 0 0 0 0 7 8"), 38);
}

#[test]
fn write_to_read_in_the_rank() {
    // CWL + BL/2 + tWTR = 12 + 4 + 3, 9
    tight(&ddr4(), WtrS, &open("30 WR 0 0 0 0 7 0; @ RD 0 0 1 0 7 0"), 49);
    tight(&ddr4(), WtrL, &open("30 WR 0 0 0 0 7 0; @ RD 0 0 0 1 7 0"), 55);
}

#[test]
fn read_to_write_in_the_rank() {
    // CL + BL/2 + 2 - CWL = 10, in whichever group
    tight(&ddr4(), Rtw, &open("30 RD 0 0 0 0 7 0; @ WR 0 0 1 0 7 0"), 40);
    tight(&ddr4(), Rtw, &open("30 RD 0 0 0 0 7 0; @ WR 0 0 0 0 7 0"), 40);
}

#[test]
fn column_to_column_across_ranks() {
    let t = ddr4();
    tight(&t, Rtrs, &open("30 RD 0 0 0 0 7 0; @ RD 0 1 0 0 7 0"), 36); // BL/2 + 2
    tight(&t, Rtrs, &open("30 WR 0 0 0 0 7 0; @ WR 0 1 0 0 7 0"), 36); // BL/2 + 2
    tight(&t, Rtrs, &open("30 RD 0 0 0 0 7 0; @ WR 0 1 0 0 7 0"), 40); // CL + BL/2 + 2 - CWL
    tight(&t, Rtrs, &open("30 WR 0 0 0 0 7 0; @ RD 0 1 0 0 7 0"), 32); // CWL + BL/2 + 2 - CL
}

#[test]
fn column_to_precharge() {
    let t = ddr4();
    tight(&t, Rtp, "0 ACT 0 0 0 0 7 -; 35 RD 0 0 0 0 7 0; @ PRE 0 0 0 0 - -", 44);
    // CWL + BL/2 + tWR = 46
    tight(&t, Wr, "0 ACT 0 0 0 0 7 -; 20 WR 0 0 0 0 7 0; @ PRE 0 0 0 0 - -", 66);
    tight(&t, Wr, "0 ACT 0 0 0 0 7 -; 20 WR 0 0 0 0 7 0; @ PREA 0 0 - - - -", 66);
    // RDA precharges tRTP later and does not wait for an earlier write: 66 - 9
    tight(&t, Wr, "0 ACT 0 0 0 0 7 -; 20 WR 0 0 0 0 7 0; @ RDA 0 0 0 0 7 8", 57);
}

#[test]
fn the_precharge_that_a_column_command_implies() {
    let t = ddr4();
    // After tRTP: 40 + 9 + 16; after the write: 20 + 46 + 16.
    tight(&t, Rp, "0 ACT 0 0 0 0 7 -; 40 RDA 0 0 0 0 7 0; @ ACT 0 0 0 0 8 -", 65);
    tight(&t, Rp, "0 ACT 0 0 0 0 7 -; 20 WRA 0 0 0 0 7 0; @ ACT 0 0 0 0 8 -", 82);
    // Not before tRAS: 39 + 16, not 16 + 9 + 16; tRC out of the way.
    let short = fresco_dram::Timing { rc: 50, ..ddr4() };
    tight(
        &short,
        Rp,
        "0 ACT 0 0 0 0 7 -; 16 RDA 0 0 0 0 7 0; @ REFab 0 0 - - - -",
        55,
    );
    // The row is gone with the command.
    let again = "0 ACT 0 0 0 0 7 -; 16 RDA 0 0 0 0 7 0; 30 RD 0 0 0 0 7 8";
    assert_eq!(violated(&t, again), [RowNotOpen]);
}

#[test]
fn command_bus() {
    tight(&ddr4(), CommandBus, "5 ACT 0 0 0 0 7 -; @ ACT 0 1 0 0 7 -", 6);
    // Two-clock commands of DDR5, four- and two-clock commands of LPDDR4.
    tight(&ddr5(), CommandBus, "0 ACT 0 0 0 0 7 -; @ ACT 0 1 0 0 7 -", 2);
    tight(&lpddr4(), CommandBus, "0 ACT 0 0 0 0 7 -; @ ACT 0 1 0 0 7 -", 4);
    tight(&lpddr4(), CommandBus, "0 REFab 0 0 - - - -; @ ACT 0 1 0 0 7 -", 2);
    let column = "0 ACT 0 0 0 0 7 -; 40 RD 0 0 0 0 7 0;";
    tight(&lpddr4(), CommandBus, &format!("{column} @ REFab 0 1 - - - -"), 44);
    tight(&ddr5(), CommandBus, &format!("{column} @ REFab 0 1 - - - -"), 42);
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
            [Rtrs, DataBus],
            "{first} {second}"
        );
    }
    // A later command may have earlier data.
    t.cwl = 2;
    let before = |cycle| format!("{OPEN} 30 RD 0 0 0 0 7 0; {cycle} WR 0 1 0 0 7 0");
    assert_eq!(violated(&t, &before(40)), [Rtrs], "data 42..46 before 46..50");
    assert_eq!(violated(&t, &before(41)), [Rtrs, DataBus], "data 43..47 and 46..50");
    assert_eq!(violated(&t, &before(48)), []);
}

/// A published simulator lets a write to one rank follow a read of another after BL/2 + 2 cycles.
#[test]
fn read_then_write_of_another_rank_with_overlapping_data() {
    let report = check(
        &ddr4(),
        TIMING_ONLY,
        &trace(&open("100 RD 0 0 0 0 7 0; 106 WR 0 1 0 0 7 0")),
        0,
    );
    let rules: Vec<Constraint> = report.violations.iter().map(|v| v.constraint).collect();
    assert_eq!(rules, [Rtrs, DataBus]);
    let overlap = &report.violations[1];
    assert_eq!(
        (overlap.found, overlap.required),
        (6, 8),
        "read data 116..120, write data 118..122"
    );
}
