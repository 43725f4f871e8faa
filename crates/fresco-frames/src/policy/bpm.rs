// SPDX-License-Identifier: MIT OR Apache-2.0
//! BPM: the free lists of every order are kept by color (BPM-2), and the colors of a task serve in turn (BPM-1).
//!
//! The source has orders 0 to 11; here they end at [`crate::MAX_ORDER`]. It does not say which colors a block of several
//! frames counts for: here the list of a block tells all that its frames have, so that a request finds the smallest block
//! that holds its color without a search, and frees merge as ever. Nodes do not count (TINT-17): the turn goes over the
//! zones too.

use super::{AllocContext, Bpm, Exhaustion, buddy};
use crate::Work;
use crate::pool::{KeySet, Pool};

/// A frame for a colored task, and whether it had to be of another color.
pub(crate) fn alloc(policy: Bpm, context: &mut AllocContext<'_>, work: &mut Work) -> Option<(u32, bool)> {
    let AllocContext { pool, usage, task } = context;
    let found = own(pool, &mut task.keys, work);
    match (found, policy.exhaustion) {
        (Some(frame), _) => Some((frame, false)),
        (None, Exhaustion::Spill) => buddy::take(pool, usage, task.slot, &task.zones, work).map(|frame| (frame, true)),
        (None, Exhaustion::Strict) => None,
    }
}

/// A frame of the task's own colors; what CPUs keep at hand is given back first if there is no other.
pub(super) fn own(pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
    let mut found = find(pool, keys, work);
    if found.is_none() && pool.drain_all(work) {
        found = find(pool, keys, work);
    }
    found
}

/// A frame of the next color that has one.
pub(super) fn find(pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
    let zones = keys.search.len();
    for step in 0..zones {
        work.zone_steps += u64::from(step > 0);
        let place = (keys.turn + step) % zones;
        let zone = &mut keys.search[place];
        for _ in 0..zone.keys.len() {
            let key = zone.keys[zone.cursor];
            zone.advance();
            if let Some(frame) = pool.take_shaded(zone.zone, key, work) {
                keys.turn = (place + 1) % zones;
                return Some(frame);
            }
        }
    }
    None
}

/// A freed frame goes to the buddy system, where it merges.
pub(crate) fn free(context: &mut AllocContext<'_>, frame: u32, work: &mut Work) {
    context.pool.give_block(frame, 0, work);
}
