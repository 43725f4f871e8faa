// SPDX-License-Identifier: MIT OR Apache-2.0
//! The allocator of the refresh co-design: the banks of a task in turn, a cache of free frames per bank, whole banks for a
//! task or for a group (COD-3 to COD-5, COD-9; algorithm 2 as corrected by CON-19).
//!
//! Printed, the search asks the same bank again and again, for it begins each trip with the bank of the last page, and
//! looks at one free page per trip. Here each request goes to the next of the task's banks: to the cache of the bank, else
//! through the free pages until one of the bank turns up, the others going to the caches of theirs. Only where the bank has
//! no free page at all the next one is asked.

use super::{AllocContext, Codesign, Partition, buddy};
use crate::pool::{KeySet, Pool};
use crate::{MAX_ORDER, Work};

/// A frame for a colored task, and whether it had to be of another color.
pub(crate) fn alloc(policy: Codesign, context: &mut AllocContext<'_>, work: &mut Work) -> Option<(u32, bool)> {
    let AllocContext { pool, usage, task } = context;
    let mut found = find(pool, &mut task.keys, work);
    if found.is_none() && pool.drain_all(work) {
        found = find(pool, &mut task.keys, work);
    }
    match (found, policy.partition) {
        (Some(frame), _) => Some((frame, false)),
        // COD-9: the footprint is larger than the banks.
        (None, Partition::Soft) => buddy::take(pool, usage, task.slot, &task.zones, work).map(|frame| (frame, true)),
        (None, Partition::Hard) => None,
    }
}

/// A frame of the next bank that has one, zone after zone.
fn find(pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
    for (place, zone) in keys.search.iter_mut().enumerate() {
        work.zone_steps += u64::from(place > 0);
        for _ in 0..zone.keys.len() {
            let key = zone.keys[zone.cursor];
            zone.advance();
            let found = pool.take_of(key, work).or_else(|| walk(pool, zone.zone, key, work));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// Goes through the free pages of a zone, smallest blocks first, until one of the bank turns up; the others go to the
/// caches of their banks.
fn walk(pool: &mut Pool, zone: u32, key: u32, work: &mut Work) -> Option<u32> {
    let wanted = KeySet::new(&pool.keys, &[key], &[zone], false);
    for order in 0..=MAX_ORDER {
        while let Some(found) = pool.walk_block(zone, order, &wanted, work) {
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// A freed frame goes to the buddy system, where it merges. The paper changes only how pages are got, so that Linux frees
/// as ever.
pub(crate) fn free(context: &mut AllocContext<'_>, frame: u32, work: &mut Work) {
    context.pool.give_block(frame, 0, work);
}
