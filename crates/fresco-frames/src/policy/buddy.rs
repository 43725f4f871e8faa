// SPDX-License-Identifier: MIT OR Apache-2.0
//! Single frames and blocks from the buddy system, local node first (SIM-11, CAMC-27).

use super::AllocContext;
use super::frame_policy::FramePolicy;
use crate::pool::{KeySet, Pool};
use crate::usage::Usage;
use crate::{Coloring, Work};

/// The buddy system alone: no task has colors.
pub(crate) struct Buddy;

impl FramePolicy for Buddy {
    fn own(&self, _pool: &mut Pool, _keys: &mut KeySet, _work: &mut Work) -> Option<u32> {
        None
    }

    fn is_strict(&self) -> bool {
        false
    }

    fn refuses(&self, _coloring: &Coloring) -> Option<&'static str> {
        Some("the buddy policy knows no colors; use palloc, camc or codesign")
    }
}

/// A single frame for an uncolored request, zone after zone. Coloring policies leave free frames in color lists, so a
/// zone is empty only when those are too: first of colors that no task has; of other tasks' colors only when the
/// whole machine has nothing else.
pub(crate) fn take(pool: &mut Pool, usage: &Usage, slot: u32, zones: &[u32], work: &mut Work) -> Option<u32> {
    for (step, &zone) in zones.iter().enumerate() {
        work.zone_steps += u64::from(step > 0);
        let found = pool.take_single(slot, zone, work);
        let found = found.or_else(|| pool.take_any_colored(zone, |bank| usage.is_unused(bank), work));
        if found.is_some() {
            return found;
        }
    }
    if pool.drain_all(work) {
        let found = zones.iter().find_map(|&zone| pool.take_block(zone, 0, work));
        if found.is_some() {
            return found;
        }
    }
    zones
        .iter()
        .find_map(|&zone| pool.take_any_colored(zone, |_| true, work))
}

/// A block of any order from the buddy lists; color lists are not asked (CAMC-20: only order 0 is colored).
pub(crate) fn take_block(pool: &mut Pool, zones: &[u32], order: u32, work: &mut Work) -> Option<u32> {
    let find = |pool: &mut Pool, work: &mut Work| {
        zones.iter().enumerate().find_map(|(step, &zone)| {
            work.zone_steps += u64::from(step > 0);
            pool.take_block(zone, order, work)
        })
    };
    find(pool, work).or_else(|| if pool.drain_all(work) { find(pool, work) } else { None })
}

/// Serves a task that is not colored.
pub(crate) fn alloc(context: &mut AllocContext<'_>, work: &mut Work) -> Option<u32> {
    let AllocContext { pool, usage, task } = context;
    let found = take(pool, usage, task.slot, &task.zones, work);
    task.take_turn();
    found
}
