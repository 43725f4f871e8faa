// SPDX-License-Identifier: MIT OR Apache-2.0
//! The allocator of the refresh co-design: the banks of a task in turn, a cache of free frames per bank, whole banks for a
//! task or for a group (COD-3 to COD-5, COD-9; algorithm 2 as corrected by CON-19).
//!
//! Printed, the search asks the same bank again and again, for each iteration begins with the bank of the last page, and
//! looks at one free page. Here each request goes to the next of the task's banks: to the cache of the bank, else
//! through the free pages until one of the bank turns up, the others going to the caches of theirs. Only where the bank has
//! no free page at all the next one is asked.

use super::frame_policy::FramePolicy;
use super::{Codesign, Partition};
use crate::pool::{KeySet, Pool};
use crate::{Coloring, MAX_ORDER, Work};

/// The paper changes only how pages are got: a freed one merges, as ever in Linux.
impl FramePolicy for Codesign {
    fn own(&self, pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
        find(pool, keys, work)
    }

    /// COD-9: pages of a footprint that is larger than a soft partition come from other banks.
    fn is_strict(&self) -> bool {
        self.owns_banks_alone()
    }

    fn refuses(&self, coloring: &Coloring) -> Option<&'static str> {
        matches!(coloring, Coloring::Automatic { .. })
            .then_some("the co-design does not choose banks by itself; name bank colors, or use camc")
    }

    fn owns_banks_alone(&self) -> bool {
        self.partition == Partition::Hard
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
