// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules with the values of every built-in standard: too early by one cycle is told, in time is clean.

use crate::checker_support::{timing, violated};
use fresco_dram::{Cycle, Timing, standards};
use fresco_memory::checker::Constraint;

/// A trace whose last command may come at `t` (in place of `@`) and not earlier because of `constraint`. Other rules
/// may bind in the same cycle (tCCD_S and the data bus of DDR4).
struct Case {
    constraint: Constraint,
    text: &'static str,
    t: Cycle,
}

fn cases(t: &Timing) -> Vec<Case> {
    // All rows of the columns' banks are open long before 1000.
    const RR: &str = "0 ACT 0 0 0 0 7 -; 100 ACT 0 0 0 1 7 -; 1000 RD 0 0 0 0 7 0; @ RD 0 0 0 1 7 0";
    const WW: &str = "0 ACT 0 0 0 0 7 -; 100 ACT 0 0 0 1 7 -; 1000 WR 0 0 0 0 7 0; @ WR 0 0 0 1 7 0";
    const RW: &str = "0 ACT 0 0 0 0 7 -; 100 ACT 0 0 0 1 7 -; 1000 RD 0 0 0 0 7 0; @ WR 0 0 0 1 7 0";
    const WR: &str = "0 ACT 0 0 0 0 7 -; 100 ACT 0 0 0 1 7 -; 1000 WR 0 0 0 0 7 0; @ RD 0 0 0 1 7 0";
    const RR_OTHER: &str = "0 ACT 0 0 0 0 7 -; 100 ACT 0 1 0 1 7 -; 1000 RD 0 0 0 0 7 0; @ RD 0 1 0 1 7 0";
    const WW_OTHER: &str = "0 ACT 0 0 0 0 7 -; 100 ACT 0 1 0 1 7 -; 1000 WR 0 0 0 0 7 0; @ WR 0 1 0 1 7 0";
    const RW_OTHER: &str = "0 ACT 0 0 0 0 7 -; 100 ACT 0 1 0 1 7 -; 1000 RD 0 0 0 0 7 0; @ WR 0 1 0 1 7 0";
    const RD_PRE: &str = "0 ACT 0 0 0 0 7 -; 1000 RD 0 0 0 0 7 0; @ PRE 0 0 0 0 - -";
    const WR_PRE: &str = "0 ACT 0 0 0 0 7 -; 1000 WR 0 0 0 0 7 0; @ PRE 0 0 0 0 - -";
    const RDA_ACT: &str = "0 ACT 0 0 0 0 7 -; 1000 RDA 0 0 0 0 7 0; @ ACT 0 0 0 0 8 -";
    const WRA_REF: &str = "0 ACT 0 0 0 0 7 -; 1000 WRA 0 0 0 0 7 0; @ REFab 0 0 - - - -";
    let burst = t.burst();
    let case = |constraint, text, t| Case { constraint, text, t };
    vec![
        case(Constraint::Rcd, "0 ACT 0 0 0 0 7 -; @ RD 0 0 0 0 7 0", t.rcd),
        case(Constraint::Ras, "0 ACT 0 0 0 0 7 -; @ PRE 0 0 0 0 - -", t.ras),
        case(
            Constraint::Rp,
            "0 ACT 0 0 0 0 7 -; 1000 PRE 0 0 0 0 - -; @ ACT 0 0 0 0 7 -",
            1000 + t.rp,
        ),
        case(
            Constraint::RpAb,
            "0 ACT 0 0 0 0 7 -; 1000 PREA 0 0 - - - -; @ REFab 0 0 - - - -",
            1000 + t.rp_ab,
        ),
        case(Constraint::RrdL, "0 ACT 0 0 0 0 7 -; @ ACT 0 0 0 1 7 -", t.rrd_l),
        case(Constraint::RrdS, "0 ACT 0 0 0 0 7 -; @ ACT 0 0 1 1 7 -", t.rrd_s),
        case(Constraint::CcdL, RR, 1000 + t.ccd_l),
        case(Constraint::CcdLWr, WW, 1000 + t.ccd_l_wr),
        case(Constraint::Rtw, RW, 1000 + t.cl + burst + t.rtw_gap - t.cwl),
        case(Constraint::WtrL, WR, 1000 + t.cwl + burst + t.wtr_l),
        case(Constraint::Rtrs, RR_OTHER, 1000 + burst + t.rtrs),
        case(Constraint::Rtrs, WW_OTHER, 1000 + burst + t.rtrs),
        case(Constraint::Rtrs, RW_OTHER, 1000 + t.cl + burst + t.rtrs - t.cwl),
        case(Constraint::Rtp, RD_PRE, 1000 + t.rtp),
        case(Constraint::Wr, WR_PRE, 1000 + t.cwl + burst + t.wr),
        case(Constraint::Rp, RDA_ACT, 1000 + t.rtp + t.rp),
        case(Constraint::Rp, WRA_REF, 1000 + t.cwl + burst + t.wr + t.rp),
        case(Constraint::RfcAb, "0 REFab 0 0 - - - -; @ ACT 0 0 0 0 7 -", t.rfc_ab),
    ]
}

#[test]
fn every_rule_of_every_standard_is_tight() {
    for name in standards::names() {
        let t = timing(name, &[]);
        for Case {
            constraint,
            text,
            t: legal,
        } in cases(&t)
        {
            let at = |cycle: Cycle| violated(&t, &text.replace('@', &cycle.to_string()));
            assert_eq!(at(legal), [], "{name} {text} at {legal}");
            assert!(at(legal - 1).contains(&constraint), "{name} {text} at {}", legal - 1);
        }
    }
}
