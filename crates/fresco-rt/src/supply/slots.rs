// SPDX-License-Identifier: MIT OR Apache-2.0
//! Supply in fixed slots that repeat (F18): the table a top level of fixed priorities amounts to.

use std::fmt;

use super::{Ratio, Supply, narrow};
use crate::switches::SliceCost;
use crate::time::{Overflow, Time};

/// Slots `[start, end)` inside `[0, length)`, repeated for ever.
///
/// Supply over a window is least if the window begins where a slot ends, so both bounds are minima over slot ends (F18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotTable {
    length: Time,
    slots: Vec<(Time, Time)>,
    /// Supply before each slot, and at last the supply of the whole table.
    before: Vec<Time>,
}

/// Why slots are no table: the first slot that is empty, out of order or beyond the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotError {
    /// Index of the slot; the number of slots if the table's own length is 0 or above 2⁶².
    pub index: usize,
}

impl fmt::Display for SlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "slot {} is empty, begins before the previous one ends, or ends after the table",
            self.index
        )
    }
}

impl std::error::Error for SlotError {}

impl SlotTable {
    /// A table of `length` from 1 to 2⁶² with ascending, disjoint, non-empty slots; touching slots are joined.
    pub fn new(length: Time, slots: &[(Time, Time)]) -> Result<Self, SlotError> {
        if length == 0 || length > 1 << 62 {
            return Err(SlotError { index: slots.len() });
        }
        let mut joined: Vec<(Time, Time)> = Vec::with_capacity(slots.len());
        let mut free = 0;
        for (index, &(start, end)) in slots.iter().enumerate() {
            if start < free || end <= start || end > length {
                return Err(SlotError { index });
            }
            free = end;
            match joined.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => joined.push((start, end)),
            }
        }
        let mut before = vec![0];
        for &(start, end) in &joined {
            before.push(before[before.len() - 1] + (end - start));
        }
        Ok(SlotTable {
            length,
            slots: joined,
            before,
        })
    }

    /// What is left of each slot when switches have taken their time.
    pub fn shortened(&self, cost: SliceCost) -> SlotTable {
        let left = cost.shorten(self.slots.iter().copied());
        SlotTable::new(self.length, &left).expect("parts of slots are a table")
    }

    /// The slots in time order.
    pub fn slots(&self) -> &[(Time, Time)] {
        &self.slots
    }

    /// Supply of one whole table.
    pub fn total(&self) -> Time {
        self.before[self.slots.len()]
    }

    /// The parts of the table outside its slots: what is left to a server of lower priority.
    pub fn complement(&self) -> SlotTable {
        let mut rest = Vec::with_capacity(self.slots.len() + 1);
        let mut free = 0;
        for &(start, end) in &self.slots {
            if start > free {
                rest.push((free, start));
            }
            free = end;
        }
        if free < self.length {
            rest.push((free, self.length));
        }
        SlotTable::new(self.length, &rest).expect("gaps of a table are a table")
    }

    /// Supply delivered from the table's start to instant `t`.
    pub fn delivered(&self, t: Time) -> Result<Time, Overflow> {
        narrow(self.cumulative(u128::from(t))).ok_or(Overflow)
    }

    fn cumulative(&self, t: u128) -> u128 {
        let length = u128::from(self.length);
        let within = (t % length) as Time;
        let begun = self.slots.partition_point(|&(start, _)| start < within);
        let in_table = match begun {
            0 => 0,
            _ => {
                let (start, end) = self.slots[begun - 1];
                self.before[begun - 1] + (within.min(end) - start)
            }
        };
        (t / length) * u128::from(self.total()) + u128::from(in_table)
    }

    /// Slots of two tables in a row, each with its start, its end and the supply before it. All of it fits: a table is at most 2⁶².
    fn twice(&self) -> impl Iterator<Item = (Time, Time, Time)> {
        let of_table = |turn: Time| {
            let slots = self.slots.iter().zip(&self.before);
            slots.map(move |(&(start, end), &before)| {
                let shift = turn * self.length;
                (start + shift, end + shift, before + turn * self.total())
            })
        };
        of_table(0).chain(of_table(1))
    }
}

impl Supply for SlotTable {
    fn sbf(&self, t: Time) -> Time {
        let (tables, rest) = (t / self.length, t % self.length);
        // Windows end in the same order as they begin: one pass over two tables meets all their ends.
        let mut begun = self.twice().peekable();
        let mut last = (0, 0, 0);
        let mut least = Time::MAX;
        for (&(_, slot_end), &before) in self.slots.iter().zip(&self.before[1..]) {
            let window_end = slot_end + rest;
            while let Some(slot) = begun.next_if(|&(start, ..)| start < window_end) {
                last = slot;
            }
            let (start, end, supplied) = last;
            least = least.min(supplied + (window_end.min(end) - start) - before);
        }
        tables * self.total() + if self.slots.is_empty() { 0 } else { least }
    }

    fn tbf(&self, demand: u128) -> Option<Time> {
        if demand == 0 {
            return Some(0);
        }
        if self.slots.is_empty() {
            return None;
        }
        let total = u128::from(self.total());
        let (tables, rest) = ((demand - 1) / total, ((demand - 1) % total) as Time + 1);
        // As in `sbf`: the slot that delivers the last of `rest` after each slot's end.
        let mut slots = self.twice().peekable();
        let mut longest = 0;
        for (&(_, slot_end), &before) in self.slots.iter().zip(&self.before[1..]) {
            let amount = before + rest;
            while slots
                .next_if(|&(start, end, supplied)| supplied + (end - start) < amount)
                .is_some()
            {}
            let &(start, _, supplied) = slots.peek()?;
            longest = longest.max(start + (amount - supplied) - slot_end);
        }
        narrow(
            tables
                .checked_mul(u128::from(self.length))?
                .checked_add(u128::from(longest))?,
        )
    }

    fn rate(&self) -> Ratio {
        Ratio::new(self.total(), self.length).expect("a table is at least 1 long")
    }

    fn sigma(&self) -> Time {
        // The lag a·t − S(t), times the length, is periodic: greatest at a slot's start, least at a slot's end.
        let (length, total) = (i128::from(self.length), i128::from(self.total()));
        let lag = |t: Time, supplied: Time| total * i128::from(t) - length * i128::from(supplied);
        let most = (0..self.slots.len())
            .map(|i| lag(self.slots[i].0, self.before[i]))
            .max();
        let least = (0..self.slots.len())
            .map(|i| lag(self.slots[i].1, self.before[i + 1]))
            .min();
        match (most, least) {
            (Some(most), Some(least)) if most > least => {
                narrow(((most - least) as u128).div_ceil(self.length as u128)).expect("at most a table's supply")
            }
            _ => 0,
        }
    }

    fn period(&self) -> Time {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_begin_at_slot_ends() {
        let table = SlotTable::new(16, &[(2, 4), (4, 5), (10, 12)]).unwrap();
        assert_eq!(table.slots(), [(2, 5), (10, 12)]);
        assert_eq!(table.total(), 5);
        // The longest gap lasts from 12 to 18, the next from 5 to 10.
        assert_eq!([6, 7, 9, 14, 16, 22].map(|t| table.sbf(t)), [0, 1, 2, 3, 5, 5]);
        assert_eq!(
            [1, 3, 5, 6].map(|x| table.tbf(x)),
            [Some(7), Some(14), Some(16), Some(23)]
        );
        assert_eq!(table.complement().slots(), [(0, 2), (5, 10), (12, 16)]);
        assert_eq!(table.delivered(27), Ok(9));
    }

    #[test]
    fn wrong_slots_are_named() {
        assert_eq!(SlotTable::new(8, &[(0, 3), (2, 4)]), Err(SlotError { index: 1 }));
        assert_eq!(SlotTable::new(8, &[(3, 3)]), Err(SlotError { index: 0 }));
        assert_eq!(SlotTable::new(8, &[(3, 9)]), Err(SlotError { index: 0 }));
        assert_eq!(SlotTable::new(0, &[]), Err(SlotError { index: 0 }));
    }
}
