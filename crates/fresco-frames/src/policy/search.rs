// SPDX-License-Identifier: MIT OR Apache-2.0
//! The search that PALLOC and CAMC share: color lists first, then free blocks, smallest first, sorted into the lists
//! until a frame of a wanted color turns up (PAL-1, PAL-2, CAMC-21 as corrected by CON-6).

use super::Sorting;
use crate::pool::{KeySet, Pool};
use crate::{MAX_ORDER, Work};

/// Which of several colors is asked first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Always the lowest (PAL-1).
    Lowest,
    /// The one after the last that served, so that a task's pages spread over its banks.
    RoundRobin,
}

/// Finds a frame of a wanted color, zone after zone.
pub(crate) fn find(pool: &mut Pool, keys: &mut KeySet, sorting: Sorting, turn: Turn, work: &mut Work) -> Option<u32> {
    for place in 0..keys.search.len() {
        work.zone_steps += u64::from(place > 0);
        let found = take(pool, keys, place, turn, work);
        let found = found.or_else(|| match sorting {
            Sorting::Block => sort_blocks(pool, keys, place, turn, work),
            Sorting::Frame => walk_blocks(pool, keys, place, work),
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Takes a frame from the color lists of the zone at `place` of the search order.
pub(crate) fn take(pool: &mut Pool, keys: &mut KeySet, place: usize, turn: Turn, work: &mut Work) -> Option<u32> {
    let zone = &mut keys.search[place];
    // Among LLC colors the lowest has no claim to come first: a task would fill the cache color by color.
    let turn = if pool.keys.by_llc() { Turn::RoundRobin } else { turn };
    if turn == Turn::Lowest {
        zone.cursor = 0;
    }
    let found = pool.take_colored(zone, work);
    if found.is_some() && turn == Turn::RoundRobin {
        zone.advance();
    }
    found
}

fn sort_blocks(pool: &mut Pool, keys: &mut KeySet, place: usize, turn: Turn, work: &mut Work) -> Option<u32> {
    for order in 0..=MAX_ORDER {
        while let Some(found) = pool.sort_block(keys.search[place].zone, order, keys, work) {
            if found {
                return take(pool, keys, place, turn, work);
            }
        }
    }
    None
}

fn walk_blocks(pool: &mut Pool, keys: &KeySet, place: usize, work: &mut Work) -> Option<u32> {
    for order in 0..=MAX_ORDER {
        while let Some(found) = pool.walk_block(keys.search[place].zone, order, keys, work) {
            if found.is_some() {
                return found;
            }
        }
    }
    None
}
