// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two buses of a channel: one command at a time, one burst at a time.

use super::findings::Findings;
use super::state::{Burst, Channel};
use super::{CommandRecord, Constraint};
use fresco_dram::{CommandKind, Cycle, Timing};

/// Returns true if the command is no earlier than the one before it; otherwise reports it.
pub(super) fn in_order(channel: &Channel, c: &CommandRecord, found: &mut Findings) -> bool {
    let in_order = channel.last.is_none_or(|before| before.cycle <= c.cycle);
    if !in_order {
        found.fault(Constraint::Order, channel.last, c);
    }
    in_order
}

/// Cycles that a command occupies the command bus.
fn slots(t: &Timing, kind: CommandKind) -> Cycle {
    match kind {
        CommandKind::Act => t.act_slots,
        CommandKind::Rd | CommandKind::RdA | CommandKind::Wr | CommandKind::WrA => t.column_slots,
        CommandKind::Pre
        | CommandKind::PreAll
        | CommandKind::RefAb
        | CommandKind::RefAb4
        | CommandKind::RefPb
        | CommandKind::RefSb
        | CommandKind::RfmAb
        | CommandKind::RfmSb => t.pre_slots,
    }
}

/// Checks that the command before has left the command bus, or that of the two which the command takes.
pub(super) fn command_bus(t: &Timing, channel: &Channel, c: &CommandRecord, found: &mut Findings) {
    let before = match t.column_bus {
        true => channel.last_on[usize::from(c.kind.is_column())],
        false => channel.last,
    };
    if let Some(before) = before {
        found.distance(Constraint::CommandBus, Some(before), c, slots(t, before.kind));
    }
}

/// Checks that the data of a column command overlap no other data, from the cycles of the bursts alone: a wrong
/// turnaround formula cannot hide here.
pub(super) fn data_bus(t: &Timing, channel: &Channel, c: &CommandRecord, found: &mut Findings) {
    let new = Burst::of(t, c);
    for old in &channel.bursts {
        if new.from < old.to && old.from < new.to {
            // Whichever comes first, the later command would have to wait until the old burst is over.
            let required = (old.to - new.from).saturating_add(c.cycle - old.by.cycle);
            found.distance(Constraint::DataBus, Some(old.by), c, required);
        }
    }
}
