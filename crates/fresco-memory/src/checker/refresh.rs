// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh commands: of closed and precharged banks; and what must wait for a refresh.

use super::findings::Findings;
use super::precharge;
use super::state::Rank;
use super::{CommandRecord, Constraint};
use fresco_dram::{CommandKind, Timing};

/// Returns true if the standard has the command.
pub(super) fn is_supported(t: &Timing, c: &CommandRecord) -> bool {
    match c.kind {
        CommandKind::RefAb4 => t.rfc_ab4 > 0,
        CommandKind::RefPb => t.rfc_pb > 0,
        CommandKind::RefSb => t.rfc_sb > 0,
        CommandKind::RfmAb | CommandKind::RfmSb => !t.management.is_off(),
        _ => true,
    }
}

/// A refresh against the state of its banks, the ACTs of others, and the REFab4 before it.
pub(super) fn check(t: &Timing, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
    for bank in rank.targets(c).filter(|b| b.open.is_some()) {
        found.fault(Constraint::RefreshOpenBank, bank.open, c);
    }
    // One report for all banks: the precharge that is over last.
    let closed = rank.targets(c).filter(|b| b.open.is_none()).filter_map(|b| b.precharge);
    let over = |p: &super::state::Precharge| p.by.cycle.saturating_add(precharge::to_activate(t, p).1);
    if let Some(p) = closed.max_by_key(over) {
        let (constraint, required) = precharge::to_activate(t, &p);
        found.distance(constraint, Some(p.by), c, required);
    }
    // A refresh begins like an ACT: the cycle of the row before has to be over.
    let row_before = rank.targets(c).filter(|b| b.open.is_none()).filter_map(|b| b.act);
    found.distance(Constraint::Rc, row_before.max_by_key(|act| act.cycle), c, t.rc);
    if c.kind != CommandKind::RefAb4 && rank.quarters > 0 {
        found.fault(Constraint::QuarterRefreshes, rank.refresh_all, c);
    }
    if !c.kind.is_of_rank() {
        // A bank refresh activates rows, in REFsb in every bank group.
        found.distance(Constraint::RrdL, rank.acts.back().copied(), c, t.act_delay + t.rrd_l);
    }
}

/// Any command against the refreshes that may still be going on in its rank.
pub(super) fn blocked(t: &Timing, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
    match rank.refresh_all {
        Some(whole) if whole.kind == CommandKind::RefAb => found.distance(Constraint::RfcAb, Some(whole), c, t.rfc_ab),
        Some(rfm) if rfm.kind == CommandKind::RfmAb => {
            found.distance(Constraint::RfmAb, Some(rfm), c, t.management.rfm_ab);
        }
        quarter => found.distance(Constraint::RfcAb4, quarter, c, t.rfc_ab4),
    }
    for refresh in &rank.bank_refreshes {
        let same_banks = works_on(rank, c, refresh);
        match c.kind {
            // Closes the banks that can be closed.
            CommandKind::PreAll => {}
            _ if same_banks && refresh.kind == CommandKind::RefPb => {
                found.distance(Constraint::RfcPb, Some(*refresh), c, t.rfc_pb);
            }
            _ if same_banks && refresh.kind == CommandKind::RfmSb => {
                found.distance(Constraint::RfmSb, Some(*refresh), c, t.management.rfm_sb);
            }
            _ if same_banks => found.distance(Constraint::RfcSb, Some(*refresh), c, t.rfc_sb),
            CommandKind::Act => {
                found.distance(Constraint::RefreshToAct, Some(*refresh), c, t.refresh_to_act_other);
            }
            CommandKind::RefPb | CommandKind::RefSb | CommandKind::RfmSb => {
                let required = match refresh.kind {
                    CommandKind::RfmSb => t.management.rfm_sb,
                    _ => t.refresh_to_refresh_other,
                };
                found.distance(Constraint::RefreshToRefresh, Some(*refresh), c, required);
            }
            _ => {}
        }
    }
}

/// Returns true if the command works on a bank that `refresh`, a REFpb, REFsb or RFMsb, refreshed.
fn works_on(rank: &Rank, c: &CommandRecord, refresh: &CommandRecord) -> bool {
    match c.kind {
        CommandKind::RefAb | CommandKind::RefAb4 | CommandKind::RfmAb | CommandKind::PreAll => true,
        CommandKind::RefSb | CommandKind::RfmSb => c.bank == refresh.bank,
        _ if matches!(refresh.kind, CommandKind::RefSb | CommandKind::RfmSb) => c.bank == refresh.bank,
        _ => rank.refreshed_by(c) == rank.refreshed_by(refresh),
    }
}
