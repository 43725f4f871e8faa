// SPDX-License-Identifier: MIT OR Apache-2.0
//! PALLOC: banks chosen per task, bins in front of the buddy system, frees back into it (PAL-1 to PAL-6).
//!
//! PALLOC does not know nodes: it searches the zones in the order of the task's node, each to the last free block, even
//! one that holds none of the wanted banks.

use super::search::{Turn, find};
use super::{AllocContext, Exhaustion, Palloc, buddy};
use crate::Work;

/// A frame for a colored task, and whether it had to be of another color.
pub(crate) fn alloc(policy: Palloc, context: &mut AllocContext<'_>, work: &mut Work) -> Option<(u32, bool)> {
    let AllocContext { pool, usage, task } = context;
    let mut found = find(pool, &mut task.keys, policy.sorting, Turn::Lowest, work);
    if found.is_none() && pool.drain_all(work) {
        found = find(pool, &mut task.keys, policy.sorting, Turn::Lowest, work);
    }
    match (found, policy.exhaustion) {
        (Some(frame), _) => Some((frame, false)),
        (None, Exhaustion::Spill) => buddy::take(pool, usage, task.slot, &task.zones, work).map(|frame| (frame, true)),
        (None, Exhaustion::Strict) => None,
    }
}

/// A freed frame goes to the buddy system, where it merges (PAL-4).
pub(crate) fn free(context: &mut AllocContext<'_>, frame: u32, work: &mut Work) {
    context.pool.give_block(frame, 0, work);
}
