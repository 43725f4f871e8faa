// SPDX-License-Identifier: MIT OR Apache-2.0
//! The longest that a read takes in a controller.
//!
//! Requests that are older than the read go before it, wherever they are; younger ones only where they can go earlier. So the commands of its bank,
//! one after the other, wait for those of the older ones in other banks once each, and for the last younger one before each command.

use crate::distances::{Distances, until_precharge};
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
    let mut bound = match dram.controller.scheduler {
        Scheduler::Fcfs => in_order(dram, &inside, &d),
        Scheduler::FrFcfs { hit_cap: u32::MAX } if inside.of_bank > 1 || inside.ranks > 1 => {
            return Err(Unbounded::NoHitCap);
        }
        Scheduler::FrFcfs { hit_cap } => first_ready(dram, &inside, &d, hit_cap),
    };
    bound.drain = drain(dram, &inside, &d);
    bound.refresh = refresh::refresh(dram, &inside, &d, bound.total())?;
    bound.queue = queue::outside(dram, &crowd, bound.total(), bound.drain);
    match bound.total() < LONGEST {
        true => Ok(bound),
        false => Err(Unbounded::Endless),
    }
}

/// Of a read whose bank has just been used for another row: the cycle of admission, PRE, ACT, column commands, data.
fn service(dram: &Dram<'_>, crowd: &Crowd) -> Cycle {
    let t = dram.timing;
    let closable = until_precharge(t, crowd.writes()).max(t.rc.saturating_sub(t.rcd + t.rp));
    // It may come when the bus has just turned back to reads, and is not among those that the next drain waits for.
    let turned = if crowd.writes() {
        t.cwl + t.burst() + t.wtr_l.max(t.rtrs)
    } else {
        0
    };
    1 + (closable + t.rp + t.rcd).max(turned) + t.read_data(dram.organisation)
}

fn first_ready(dram: &Dram<'_>, crowd: &Crowd, d: &Distances, hit_cap: u32) -> ReadBound {
    let t = dram.timing;
    let mut bound = ReadBound {
        service: service(dram, crowd),
        ..ReadBound::default()
    };
    if crowd.is_alone() {
        // What the read before it left on the bus is over, but not of writes, which a drain has in it.
        return bound;
    }
    let elsewhere = crowd.reads - crowd.of_bank;
    let of_rank = crowd.of_rank - crowd.of_bank;
    let line = d.bursts * d.column;
    let row_commands = u64::from(elsewhere) * d.older_precharge + u64::from(elsewhere - of_rank) * d.older_act;
    if crowd.of_bank == 1 {
        let (_, acts, columns) = opened_before(t, crowd, d);
        bound.activations = d.precharge + row_commands + acts;
        bound.bus = columns;
        return bound;
    }
    let of_bank = u64::from(crowd.of_bank);
    let row = t.read_row_cycle(dram.organisation);
    bound.bank = (of_bank - 1) * row;
    bound.activations = of_bank * (d.precharge + d.acts(1)) + row_commands + u64::from(of_rank) * d.act_more();
    bound.bus = of_bank * column_wait(t, d, 1) + u64::from(elsewhere) * line;
    // One that overtakes is younger than all that are under way elsewhere.
    let overtaking = (of_bank - 1).saturating_mul(u64::from(hit_cap));
    bound.overtaking = overtaking.saturating_mul(u64::from(crowd.reads - 1).saturating_mul(line));
    bound
}

/// The last burst of a line follows the one before it by tCCD_L at least, which the service has in it.
fn column_wait(t: &Timing, d: &Distances, lines: Cycle) -> Cycle {
    (lines * d.bursts * d.column).saturating_sub(1 + (d.bursts - 1) * t.ccd_l)
}

/// Rows of older requests are opened while data of others move: the bus waits for the last of them, or the rows do for the bus. Of a read
/// alone in its bank: how many are opened before it (j of `docs/bound.md`), the wait of its ACT, and that of its column command.
pub(crate) fn opened_before(t: &Timing, crowd: &Crowd, d: &Distances) -> (u32, Cycle, Cycle) {
    let elsewhere = crowd.reads - crowd.of_bank;
    let waits = (0..=crowd.of_rank - crowd.of_bank).map(|before| {
        let lines = u64::from(elsewhere - before + 1);
        (before, d.acts(before + 1), column_wait(t, d, lines))
    });
    waits
        .max_by_key(|(_, acts, columns)| acts + columns)
        .unwrap_or_default()
}

/// In order of arrival: from the column command of each older read to that of the next.
fn in_order(dram: &Dram<'_>, crowd: &Crowd, d: &Distances) -> ReadBound {
    let t = dram.timing;
    let older = u64::from(crowd.reads) - 1;
    let closable = t.rtp.max(t.ras.saturating_sub(t.rcd));
    let row = (closable + t.rp).max(t.rc - t.rcd) + t.rcd + (d.bursts - 1) * t.ccd_l;
    let waits = d.precharge + d.acts(1);
    let column = (d.bursts * d.column).saturating_sub((d.bursts - 1) * t.ccd_l);
    ReadBound {
        service: service(dram, crowd),
        bank: older * row,
        activations: if crowd.is_alone() { 0 } else { (older + 1) * waits },
        bus: if crowd.is_alone() { 0 } else { (older + 1) * column },
        ..ReadBound::default()
    }
}
