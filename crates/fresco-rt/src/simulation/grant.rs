// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the time allows: locks, handlers and slots as they stand at an instant, and until when.

use crate::supply::{SlotTable, Supply};
use crate::time::Time;
use crate::toplevel::Locks;

use super::recorder::Activity;

/// The state of the locks at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LockState {
    /// The handler that has the processor.
    pub(super) handler: Option<Activity>,
    /// Per color, whether it is locked.
    pub(super) locked: Vec<bool>,
    /// When this next changes.
    pub(super) until: Time,
}

impl LockState {
    /// No color is locked, for ever.
    pub(super) fn open(colors: usize) -> Self {
        LockState {
            handler: None,
            locked: vec![false; colors],
            until: Time::MAX,
        }
    }
}

/// Finds the state of the locks at `now`.
pub(super) fn lock_state(locks: Option<&Locks>, now: Time, state: &mut LockState) {
    let Some(locks) = locks else { return };
    state.handler = None;
    state.until = Time::MAX;
    for color in 0..state.locked.len() {
        let phase = locks.colors()[color].phase;
        if now < phase {
            state.locked[color] = false;
            state.until = state.until.min(phase);
            continue;
        }
        let since = (now - phase) % locks.retention();
        let burst_end = locks.lock_cost() + locks.colors()[color].burst;
        let end = burst_end + locks.unlock_cost();
        // The first part of the window that is not over yet; parts of no length are never the state.
        let (handler, locked, next) = if since < locks.lock_cost() {
            (Some(Activity::Lock { color }), true, locks.lock_cost())
        } else if since < burst_end {
            (None, true, burst_end)
        } else if since < end {
            (Some(Activity::Unlock { color }), true, end)
        } else {
            (None, false, locks.retention())
        };
        state.handler = state.handler.or(handler);
        state.locked[color] = locked;
        state.until = state.until.min(now.saturating_add(next - since));
    }
}

/// The color whose slot `now` lies in, if any, and when that changes.
pub(super) fn slot_at(tables: &[SlotTable], now: Time) -> (Option<usize>, Time) {
    let mut until = Time::MAX;
    let mut owner = None;
    for (color, table) in tables.iter().enumerate() {
        let within = now % table.period();
        let slots = table.slots();
        let next = slots.partition_point(|&(_, end)| end <= within);
        let (inside, change) = match slots.get(next) {
            Some(&(start, end)) if start <= within => (true, end),
            Some(&(start, _)) => (false, start),
            None => (false, table.period()),
        };
        if inside {
            owner = owner.or(Some(color));
        }
        until = until.min(now.saturating_add(change - within));
    }
    (owner, until)
}
