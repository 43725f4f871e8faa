// SPDX-License-Identifier: MIT OR Apache-2.0
//! The longest that a read takes in a controller.
//!
//! Requests that are older than the read go before it, wherever they are; younger ones only where they can go earlier. So the commands of its bank,
//! one after the other, wait for those of the older ones in other banks once each, and for the last younger one before each command.

use crate::columns::Columns;
use crate::distances::{Distances, row_cycle, until_precharge};
use crate::drain::drain;
use crate::{Crowd, Dram, Unbounded, queue, refresh};
use fresco_dram::{Cycle, Timing};
use fresco_machine::Scheduler;
use serde::{Deserialize, Serialize};

/// The longest that a read takes from its arrival at the controller to its last data, in cycles of the memory clock: the sum of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBound {
    /// Its own commands and data, in a bank that has just been used for another row.
    pub service: Cycle,
    /// Older reads of the same bank, each with a row of its own.
    pub bank: Cycle,
    /// Row hits that overtake in the same bank, as many as the cap lets, with all that goes before these.
    pub overtaking: Cycle,
    /// Activations and precharges of other banks.
    pub activations: Cycle,
    /// Column commands of other banks: the data bus, and handing it over between ranks.
    pub bus: Cycle,
    /// A drain of the write buffer.
    pub drain: Cycle,
    /// Refreshes.
    pub refresh: Cycle,
    /// For a place in a queue.
    pub queue: Cycle,
}

impl ReadBound {
    /// The sum, saturating.
    pub fn total(&self) -> Cycle {
        self.parts()
            .into_iter()
            .fold(0, |sum, (_, part)| sum.saturating_add(part))
    }

    /// The parts with their names, in the order of the fields.
    pub fn parts(&self) -> [(&'static str, Cycle); 8] {
        [
            ("service", self.service),
            ("bank", self.bank),
            ("overtaking", self.overtaking),
            ("activations", self.activations),
            ("bus", self.bus),
            ("drain", self.drain),
            ("refresh", self.refresh),
            ("queue", self.queue),
        ]
    }
}

/// Longer bounds, in cycles, are none: hours.
const LONGEST: Cycle = 1 << 44;

/// The bound of a read among a crowd.
///
/// # Errors
/// Why there is none.
pub fn read(dram: &Dram<'_>, crowd: &Crowd) -> Result<ReadBound, Unbounded> {
    let crowd = crowd.checked();
    let inside = queue::inside(dram, &crowd);
    let t = dram.timing;
    if !t.column_bus && t.ccd_s.min(t.burst() + t.rtrs) <= t.column_slots {
        return Err(Unbounded::CommandBus);
    }
    if crowd.writes() && !dram.controller.drain_once {
        return Err(Unbounded::Drains);
    }
    let d = Distances::new(dram, &inside);
    // Else a read comes in the cycle of a column command.
    let waits_inside = inside == crowd;
    let mut bound = match dram.controller.scheduler {
        Scheduler::FrFcfs { hit_cap: u32::MAX } if inside.of_bank > 1 || inside.ranks > 1 => {
            return Err(Unbounded::NoHitCap);
        }
        // What the read before it left on the bus is over, but not of writes, which a drain has in it.
        _ if inside.is_alone() => ReadBound {
            activations: d.idle_before,
            ..ReadBound::default()
        },
        Scheduler::Fcfs => in_order(dram, &inside, &d),
        Scheduler::FrFcfs { hit_cap } => first_ready(dram, &inside, &d, hit_cap, waits_inside),
    };
    let closing = closing(dram, &inside, waits_inside);
    bound.service = service(dram, &inside, closing);
    bound.drain = drain(dram, &inside, &d);
    bound.queue = queue::outside(dram, &crowd, &d, bound.drain);
    bound.refresh = refresh::refresh(dram, &inside, &d, bound.total(), closing)?;
    match bound.total() < LONGEST {
        true => Ok(bound),
        false => Err(Unbounded::Endless),
    }
}

/// From the arrival of a read until its bank, in which another row is open, may be closed.
fn closing(dram: &Dram<'_>, crowd: &Crowd, waits_inside: bool) -> Cycle {
    let t = dram.timing;
    let after_column = until_precharge(t, crowd.writes()).max(t.rc.saturating_sub(t.rcd + t.rp));
    // Reads of the bank that wait before it are counted with a row each. If as many wait as there may be, what was read before them is over.
    match waits_inside && !crowd.writes() {
        true => after_column.saturating_sub(is_over(dram, crowd.of_bank)),
        false => after_column,
    }
}

/// Of a read whose bank has just been used for another row and may be closed after `closing`: the cycle of admission, PRE, ACT, column commands, data.
fn service(dram: &Dram<'_>, crowd: &Crowd, closing: Cycle) -> Cycle {
    let t = dram.timing;
    // It may come when the bus has just turned back to reads, and is not among those that the next drain waits for.
    let turned = if crowd.writes() {
        t.cwl + t.burst() + t.wtr_l.max(t.rtrs)
    } else {
        0
    };
    1 + (closing + t.rp + t.rcd).max(turned) + t.read_data(dram.organisation)
}

/// How long ago the last column command of a bank without writes was, if a read comes while `of_bank - 1` others wait there.
fn is_over(dram: &Dram<'_>, of_bank: u32) -> Cycle {
    let t = dram.timing;
    let data = t.cl + t.burst();
    // Else one fewer waits, and so its row is not opened.
    match of_bank {
        1 => data,
        _ => data.min(t.read_row_cycle(dram.organisation)),
    }
}

fn first_ready(dram: &Dram<'_>, crowd: &Crowd, d: &Distances, hit_cap: u32, waits_inside: bool) -> ReadBound {
    let mut bound = ReadBound::default();
    let elsewhere = crowd.reads - crowd.of_bank;
    let of_rank = crowd.of_rank - crowd.of_bank;
    let t = dram.timing;
    let row_commands = u64::from(elsewhere) * d.older_precharge + u64::from(elsewhere - of_rank) * d.older_act;
    let columns = Columns::of(dram, crowd, waits_inside);
    if crowd.of_bank == 1 {
        let alone = AloneInBank::of(dram, crowd, d, &columns, waits_inside);
        bound.activations = alone.activations;
        bound.bus = alone.bus;
        return bound;
    }
    let of_bank = u64::from(crowd.of_bank);
    let row = t.read_row_cycle(dram.organisation);
    bound.bank = (of_bank - 1) * row;
    // While all others wait in the bank, nobody is elsewhere.
    let waits = if elsewhere == 0 { of_bank - 1 } else { of_bank };
    bound.activations = waits * (d.precharge + d.own_acts(1)) + row_commands + u64::from(of_rank) * d.own_act_more();
    let own = columns.wait(waits, elsewhere.into(), of_rank.into());
    bound.bus = own.saturating_sub(waits * in_service(t, d));
    bound.overtaking = overtaking(t, crowd, d, &columns, hit_cap, waits_inside);
    bound
}

/// Hits that overtake the read in its bank, with all that goes before these.
///
/// While so many older ones wait in the bank, hits come from the others; one that overtakes is younger than all that are under way elsewhere.
fn overtaking(t: &Timing, crowd: &Crowd, d: &Distances, columns: &Columns, hit_cap: u32, waits_inside: bool) -> Cycle {
    let (reads, of_bank) = (u64::from(crowd.reads), u64::from(crowd.of_bank));
    let data = t.cl + t.burst();
    let closes = t.rtp + d.precharge + (reads - 1) * (d.older_precharge + d.older_act);
    let hits = |waiting: u64| match waits_inside && waiting + 2 == of_bank && closes < data {
        // One at a time: when the data of a hit are over the row has been closed, unless it had been opened too lately.
        true => u64::from(hit_cap).min(1 + until_precharge(t, crowd.writes()).div_ceil(data)),
        false => u64::from(hit_cap),
    };
    let each = |waiting: u64, hits: u64| {
        let elsewhere = reads - 2 - waiting;
        let of_rank = u64::from(crowd.of_rank - 1).min(elsewhere);
        hits.saturating_mul(columns.wait(1, elsewhere, of_rank))
    };
    // A drain may leave a row open that was opened for a write: once more, whoever waits.
    let written = if crowd.writes() { each(0, hit_cap.into()) } else { 0 };
    let waits = (0..of_bank - 1).map(|waiting| each(waiting, hits(waiting)));
    waits.fold(written, u64::saturating_add)
}

/// Of a column command's wait the cycle in which it could go, and the bursts of a line after the first, which the service has in it.
fn in_service(t: &Timing, d: &Distances) -> Cycle {
    1 + (d.bursts - 1) * t.ccd_l
}

/// A read alone in its bank: rows of older requests are opened while data of others move, and the bus waits for the last of them, or the rows do for the bus.
pub(crate) struct AloneInBank {
    /// How many rows are opened before its own: j of `docs/bound.md`.
    pub opened: u32,
    activations: Cycle,
    bus: Cycle,
}

impl AloneInBank {
    pub fn of(dram: &Dram<'_>, crowd: &Crowd, d: &Distances, columns: &Columns, waits_inside: bool) -> Self {
        let t = dram.timing;
        let (elsewhere, of_rank) = (crowd.reads - crowd.of_bank, crowd.of_rank - crowd.of_bank);
        let n = u64::from(elsewhere);
        // Of a kind of command a read has one. Before those are over that it takes to have the next, there are no more of them than reads.
        let data = t.cl + t.burst();
        let is_short = |window: Cycle, until_next: Cycle| waits_inside && window < until_next;
        let all_precharges = d.precharge + n * d.older_precharge;
        // Nor are there PREs for no read.
        let precharges = match d.idle_before == 0 && is_short(all_precharges, t.rp + t.rcd + data) {
            true => d.precharge + (n - 1) * d.older_precharge,
            false => all_precharges,
        };
        let all_acts = d.own_acts(of_rank.max(1)) + d.row_command + 1;
        let few_acts = is_short(all_acts + d.own_act_more(), t.rcd + data);
        let acts = |opened: u32| match few_acts {
            true => d.own_acts(opened + 1).min(all_acts),
            false => d.own_acts(opened + 1),
        };
        // Lines before its own, one of them perhaps younger.
        let lines = |line: Cycle, older: u64| {
            let all = (older + 1).saturating_mul(line);
            match is_short(n * line + d.row_command, data) {
                true => all.min(n * line + d.row_command + 1),
                false => all,
            }
        };
        // The bus may be busy before it is ready …
        let busy =
            (0..=of_rank).map(|opened| (opened, acts(opened), lines(columns.line, u64::from(elsewhere - opened))));
        let busy = busy.max_by_key(|(_, acts, columns)| acts + columns).unwrap_or_default();
        // … or is counted from then on.
        let ready = match crowd.ranks {
            1 => Some(lines(columns.while_ready, n)),
            _ => columns.wait_while_ready(n, of_rank.into()),
        };
        let ready = ready.map(|columns| (of_rank, acts(of_rank), columns));
        let (opened, acts, columns) = match ready {
            Some(ready) if ready.1 + ready.2 < busy.1 + busy.2 => ready,
            _ => busy,
        };
        Self {
            opened,
            activations: precharges + u64::from(elsewhere - of_rank) * d.older_act + acts,
            bus: columns.saturating_sub(in_service(t, d)),
        }
    }
}

/// In order of arrival: from the column command of each older read to that of the next.
fn in_order(dram: &Dram<'_>, crowd: &Crowd, d: &Distances) -> ReadBound {
    let t = dram.timing;
    let older = u64::from(crowd.reads) - 1;
    let row = row_cycle(t, false) + (d.bursts - 1) * t.ccd_l;
    let waits = d.precharge + d.acts(1);
    let column = Columns::of(dram, crowd, false).line - (d.bursts - 1) * t.ccd_l;
    ReadBound {
        bank: older * row,
        activations: (older + 1) * waits,
        bus: (older + 1) * column,
        ..ReadBound::default()
    }
}
