// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh commands: of closed and precharged banks; and what must wait for a refresh.

use super::findings::Findings;
use super::precharge;
use super::state::Rank;
use super::{CommandRecord, Constraint};
use fresco_dram::{CommandKind, Timing};

/// Does the standard have the command?
pub(super) fn is_supported(t: &Timing, c: &CommandRecord) -> bool {
    match c.kind {
        CommandKind::RefPb => t.rfc_pb > 0,
        CommandKind::RefSb => t.rfc_sb > 0,
        _ => true,
    }
}

/// REFab, REFpb, REFsb against the state of their banks and the ACTs of others.
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
    if c.kind != CommandKind::RefAb {
        // A bank refresh activates rows, in REFsb in every bank group.
        found.distance(Constraint::RrdL, rank.acts.back().copied(), c, t.rrd_l);
    }
}

/// Any command against the refreshes that may still be going on in its rank.
pub(super) fn blocked(t: &Timing, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
    found.distance(Constraint::RfcAb, rank.refresh_all, c, t.rfc_ab);
    for refresh in &rank.bank_refreshes {
        let same_banks = works_on(c, refresh);
        match c.kind {
            // Closes the banks that can be closed.
            CommandKind::PreAll => {}
            _ if same_banks && refresh.kind == CommandKind::RefPb => {
                found.distance(Constraint::RfcPb, Some(*refresh), c, t.rfc_pb);
            }
            _ if same_banks => found.distance(Constraint::RfcSb, Some(*refresh), c, t.rfc_sb),
            CommandKind::Act => {
                found.distance(Constraint::RefreshToAct, Some(*refresh), c, t.refresh_to_act_other);
            }
            CommandKind::RefPb | CommandKind::RefSb => {
                found.distance(
                    Constraint::RefreshToRefresh,
                    Some(*refresh),
                    c,
                    t.refresh_to_refresh_other,
                );
            }
            _ => {}
        }
    }
}

/// Does the command work on a bank that REFpb or REFsb refreshed?
fn works_on(c: &CommandRecord, refresh: &CommandRecord) -> bool {
    match c.kind {
        CommandKind::RefAb | CommandKind::PreAll => true,
        CommandKind::RefSb => c.bank == refresh.bank,
        _ => c.bank == refresh.bank && (refresh.kind == CommandKind::RefSb || c.bank_group == refresh.bank_group),
    }
}
