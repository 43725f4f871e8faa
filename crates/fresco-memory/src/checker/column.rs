// SPDX-License-Identifier: MIT OR Apache-2.0
//! RD, WR and their auto-precharge forms: to an open row, not too soon after other column commands.

use super::findings::Findings;
use super::state::{Channel, Rank};
use super::{CommandRecord, Constraint};
use fresco_dram::{CommandKind, Timing};

pub(super) fn check(t: &Timing, channel: &Channel, c: &CommandRecord, found: &mut Findings) {
    for (r, rank) in channel.ranks.iter().enumerate() {
        if r == c.rank as usize {
            bank(t, rank, c, found);
            same_rank(t, rank, c, found);
        } else {
            other_rank(t, rank, c, found);
        }
    }
}

fn bank(t: &Timing, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
    let bank = rank.bank(c);
    match bank.open {
        Some(act) if act.row == c.row => found.distance(Constraint::Rcd, Some(act), c, t.rcd),
        Some(act) => found.fault(Constraint::RowNotOpen, Some(act), c),
        None => found.fault(Constraint::RowNotOpen, bank.precharge.map(|p| p.by), c),
    }
    if c.kind == CommandKind::RdA {
        // It precharges tRTP later, whether the data of an earlier write are in the array by then or not.
        found.distance(
            Constraint::Wr,
            bank.write,
            c,
            (t.cwl + t.burst() + t.wr).saturating_sub(t.rtp),
        );
    }
}

fn same_rank(t: &Timing, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
    for (g, group) in rank.groups.iter().enumerate() {
        let same = g == c.bank_group as usize;
        match (c.is_read(), same) {
            (true, true) => {
                found.distance(Constraint::CcdL, group.read, c, t.ccd_l);
                found.distance(Constraint::WtrL, group.write, c, t.cwl + t.burst() + t.wtr_l);
            }
            (true, false) => {
                found.distance(Constraint::CcdS, group.read, c, t.ccd_s);
                found.distance(Constraint::WtrS, group.write, c, t.cwl + t.burst() + t.wtr_s);
            }
            (false, true) => found.distance(Constraint::CcdLWr, group.write, c, t.ccd_l_wr),
            (false, false) => found.distance(Constraint::CcdS, group.write, c, t.ccd_s),
        }
    }
    if !c.is_read() {
        found.distance(
            Constraint::Rtw,
            rank.read,
            c,
            (t.cl + t.burst() + t.rtw_gap).saturating_sub(t.cwl),
        );
    }
}

fn other_rank(t: &Timing, rank: &Rank, c: &CommandRecord, found: &mut Findings) {
    let latency = if c.is_read() { t.cl } else { t.cwl };
    // From the end of the other rank's data to the start of ours.
    found.distance(
        Constraint::Rtrs,
        rank.read,
        c,
        (t.cl + t.burst() + t.rtrs).saturating_sub(latency),
    );
    found.distance(
        Constraint::Rtrs,
        rank.write,
        c,
        (t.cwl + t.burst() + t.rtrs).saturating_sub(latency),
    );
}
