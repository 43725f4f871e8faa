// SPDX-License-Identifier: MIT OR Apache-2.0
//! PRE and PREA: not before the row is restored, read and written. To a closed bank they do nothing but restart tRP.

use super::findings::Findings;
use super::state::{Precharge, Rank};
use super::{CommandRecord, Constraint};
use fresco_dram::{CommandKind, Cycle, Timing};

pub(super) fn check(t: &Timing, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
    found.distance(Constraint::Ppd, rank.precharge, c, t.ppd);
    for bank in rank.targets(c).filter(|b| b.open.is_some()) {
        found.distance(Constraint::Ras, bank.act, c, t.ras);
        found.distance(Constraint::Rtp, bank.read, c, t.rtp);
        found.distance(Constraint::Wr, bank.write, c, t.cwl + t.burst() + t.wr);
    }
}

/// The distance from the command of a precharge to ACT or refresh, and its name.
pub(super) fn to_activate(t: &Timing, p: &Precharge) -> (Constraint, Cycle) {
    let delay = p.start - p.by.cycle;
    match p.by.kind {
        CommandKind::PreAll => (Constraint::RpAb, delay.saturating_add(t.rp_ab)),
        _ => (Constraint::Rp, delay.saturating_add(t.rp)),
    }
}
