// SPDX-License-Identifier: MIT OR Apache-2.0
//! TintMalloc: a list for each pair of bank and LLC colour, empty at boot (TINT-8). A request is served from any list that
//! matches the bank colours, the LLC colours, or both, whichever the task has (TINT-10); where none has a frame, free blocks are sorted into the
//! lists until one does (TINT-11, as CON-6 corrects it). The lists that match serve in turn, channels
//! first and each task from another place on: the source gives no order, and in that of their numbers threads in step all
//! use the same channel at the same time.

use super::search::{Turn, find};
use super::{Exhaustion, Scene, Sorting, Tintmalloc, buddy};
use crate::Work;

/// A frame for a coloured task, and whether it had to be of another colour.
pub(crate) fn alloc(policy: Tintmalloc, scene: &mut Scene<'_>, work: &mut Work) -> Option<(u32, bool)> {
    let Scene { pool, usage, task } = scene;
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

/// A freed frame goes to the list of its colours (TINT-12) and never merges again (RLIM-1).
pub(crate) fn free(scene: &mut Scene<'_>, frame: u32, work: &mut Work) {
    scene.pool.give_colored(frame, work);
}
