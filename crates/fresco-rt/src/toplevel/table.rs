// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slot table of both idling servers (F26): what each is given, by arithmetic on spans of time.
//!
//! An idling server burns its budget whenever it is eligible, work or not, so its slots depend on no workload.

use std::borrow::Cow;

use super::{Locks, Server, TopLevel, TopLevelError};
use crate::spans::Spans;
use crate::supply::SlotTable;
use crate::switches::SliceCost;
use crate::time::Time;

/// What one idling server is given over the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTable {
    /// Its slots.
    pub slots: SlotTable,
    /// Least budget delivered in one of its periods.
    pub min_supplied: Time,
    /// Whether every period delivers the whole budget.
    pub full: bool,
    /// ε: time in locks of its color during which the processor idles although the server has budget (F26).
    pub unhidden: Time,
}

/// Slot tables of both servers, and the time nobody uses (F26).
///
/// # Errors
/// [`TopLevel::repeat`].
pub fn server_tables(top: &TopLevel) -> Result<([ServerTable; 2], Time), TopLevelError> {
    let frame = Frame::new(&top.locks, top.repeat()?);
    let first = frame.grant(top.servers[0], 0, &Spans::default());
    let second = frame.grant(top.servers[1], 1, &first.slots);
    let used = [&frame.handlers, &first.slots, &second.slots]
        .map(Spans::as_slice)
        .concat();
    let idle = Spans::union_of(used).complement(frame.length);
    let table = |grant: &Grant, color: usize| ServerTable {
        slots: frame.table(&grant.slots),
        min_supplied: grant.min_supplied,
        full: grant.min_supplied >= top.servers[color].budget,
        unhidden: frame.locked[color]
            .intersection(&idle)
            .intersection(&grant.eager)
            .measure(),
    };
    Ok(([table(&first, 0), table(&second, 1)], idle.measure()))
}

/// When each color may run in `[0, tRET)`, if there are no servers: neither is it locked, nor has a handler the processor (F28).
pub fn open_times(locks: &Locks) -> Vec<Vec<(Time, Time)>> {
    let frame = Frame::new(locks, locks.retention());
    frame.free.iter().map(|free| free.as_slice().to_vec()).collect()
}

/// The times of lock windows and of their handlers over a table, common to all servers.
pub(crate) struct Frame {
    length: Time,
    /// When a lock or unlock task has the processor.
    handlers: Spans,
    /// When each color is locked.
    locked: Vec<Spans>,
    /// When neither a handler has the processor nor the color is locked.
    free: Vec<Spans>,
    /// What switches take from each slot.
    slice: SliceCost,
}

/// What a server is given.
pub(crate) struct Grant {
    /// When it has the processor.
    pub(crate) slots: Spans,
    /// When it has budget.
    eager: Spans,
    /// Least supply of a period.
    pub(crate) min_supplied: Time,
}

impl Frame {
    /// The frame of a table of `length`, a multiple of the retention time.
    pub(crate) fn new(locks: &Locks, length: Time) -> Self {
        let windows = |color| locks.windows_before(color, length);
        let colors = 0..locks.colors().len();
        let handlers = colors
            .clone()
            .flat_map(windows)
            .flat_map(|w| [(w.start, w.burst_start), (w.burst_end, w.end)]);
        let locked = colors.map(|color| Spans::union_of(windows(color).map(|w| (w.start, w.end))));
        let handlers = Spans::union_of(handlers);
        let locked: Vec<Spans> = locked.collect();
        let free = locked.iter().map(|locked| {
            let taken = [&handlers, locked].map(Spans::as_slice).concat();
            Spans::union_of(taken).complement(length)
        });
        Frame {
            length,
            free: free.collect(),
            handlers,
            locked,
            slice: SliceCost::default(),
        }
    }

    /// The frame if switches take their time from each slot.
    pub(crate) fn costing(self, slice: SliceCost) -> Self {
        Frame { slice, ..self }
    }

    /// Gives a server of `color` the first `budget` instants of each of its periods that neither the handlers, nor its lock,
    /// nor servers of higher priority take. The period must divide the length.
    pub(crate) fn grant(&self, server: Server, color: usize, higher: &Spans) -> Grant {
        let left = match higher.as_slice() {
            [] => Cow::Borrowed(&self.free[color]),
            _ => Cow::Owned(self.free[color].intersection(&higher.complement(self.length))),
        };
        let available = left.as_slice();
        let periods = (self.length / server.period) as usize;
        let mut slots = Vec::with_capacity(periods + available.len());
        let (mut eager, mut min_supplied) = (Vec::with_capacity(periods), server.budget);
        let mut first = 0;
        for k in 0..self.length / server.period {
            let (begin, end) = (k * server.period, (k + 1) * server.period);
            let (mut budget, mut exhausted) = (server.budget, begin);
            while first < available.len() && available[first].1 <= begin {
                first += 1;
            }
            for &(from, to) in available[first..].iter().take_while(|&&(from, _)| from < end) {
                if budget == 0 {
                    break;
                }
                let from = from.max(begin);
                exhausted = to.min(end).min(from.saturating_add(budget));
                budget -= exhausted - from;
                slots.push((from, exhausted));
            }
            eager.push((begin, if budget > 0 { end } else { exhausted }));
            min_supplied = min_supplied.min(server.budget - budget);
        }
        Grant {
            slots: Spans::joined(slots),
            eager: Spans::joined(eager),
            min_supplied,
        }
    }

    /// Of the table.
    pub(crate) fn length(&self) -> Time {
        self.length
    }

    /// When a lock or unlock task has the processor.
    pub(crate) fn handlers(&self) -> &Spans {
        &self.handlers
    }

    /// When `color` is locked.
    pub(crate) fn locked(&self, color: usize) -> &Spans {
        &self.locked[color]
    }

    /// When a server of `color` may run, if there is no other.
    pub(crate) fn free(&self, color: usize) -> &Spans {
        &self.free[color]
    }

    /// Slots as a supply.
    pub(crate) fn table(&self, slots: &Spans) -> SlotTable {
        let slots = self.slice.shorten(slots.as_slice().iter().copied());
        SlotTable::new(self.length, &slots).expect("spans are ascending and lie within the frame")
    }
}
