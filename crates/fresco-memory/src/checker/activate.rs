// SPDX-License-Identifier: MIT OR Apache-2.0
//! ACT: to a closed and precharged bank, not too soon after other ACTs.

use super::findings::Findings;
use super::precharge;
use super::state::Rank;
use super::{CommandRecord, Constraint};
use fresco_dram::Timing;

pub(super) fn check(t: &Timing, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
    let bank = rank.bank(c);
    if bank.open.is_some() {
        found.fault(Constraint::BankOpen, bank.open, c);
    } else if let Some(p) = bank.precharge {
        let (constraint, required) = precharge::to_activate(t, &p);
        found.distance(constraint, Some(p.by), c, required);
    }
    found.distance(Constraint::Rc, bank.act, c, t.rc);
    for (g, group) in rank.groups.iter().enumerate() {
        if g == c.bank_group as usize {
            found.distance(Constraint::RrdL, group.act, c, t.rrd_l);
        } else {
            found.distance(Constraint::RrdS, group.act, c, t.rrd_s);
        }
    }
    if rank.acts.len() == 4 {
        found.distance(Constraint::Faw, rank.acts.front().copied(), c, t.faw);
    }
}
