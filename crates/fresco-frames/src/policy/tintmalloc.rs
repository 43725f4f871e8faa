// SPDX-License-Identifier: MIT OR Apache-2.0
//! TintMalloc: a list for each pair of bank and LLC color, empty at boot (TINT-8). A request is served from any list that
//! matches the bank colors, the LLC colors, or both, whichever the task has (TINT-10); where none has a frame, free blocks are sorted into the
//! lists until one does (TINT-11, as CON-6 corrects it). The lists that match serve in turn, channels
//! first and each task from another place on: the source gives no order, and in that of their numbers threads in step all
//! use the same channel at the same time.

use super::search::{Turn, find};
use super::{AllocContext, Exhaustion, Sorting, Tintmalloc, buddy};
use crate::Work;

/// A frame for a colored task, and whether it had to be of another color.
pub(crate) fn alloc(policy: Tintmalloc, context: &mut AllocContext<'_>, work: &mut Work) -> Option<(u32, bool)> {
    let AllocContext { pool, usage, task } = context;
    let mut found = find(pool, &mut task.keys, Sorting::Block, Turn::RoundRobin, work);
    if found.is_none() && pool.drain_all(work) {
        found = find(pool, &mut task.keys, Sorting::Block, Turn::RoundRobin, work);
    }
    match (found, policy.exhaustion) {
        (Some(frame), _) => Some((frame, false)),
        (None, Exhaustion::Spill) => buddy::take(pool, usage, task.slot, &task.zones, work).map(|frame| (frame, true)),
        (None, Exhaustion::Strict) => None,
    }
}

/// A freed frame goes to the list of its colors (TINT-12) and never merges again (RLIM-1).
pub(crate) fn free(context: &mut AllocContext<'_>, frame: u32, work: &mut Work) {
    context.pool.give_colored(frame, work);
}
