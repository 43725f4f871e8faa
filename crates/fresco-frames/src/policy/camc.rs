// SPDX-License-Identifier: MIT OR Apache-2.0
//! CAMC: colours of the task's own node that no other task uses, more of them on demand, frees into the colour lists
//! (CAMC-2 to 6, CAMC-20 to 26).
//!
//! A search visits only zones that hold one of the task's colours. Of several colours each serves in turn; the source
//! says only that the list must match.

use super::search::{Turn, find};
use super::{Camc, Exhaustion, Scene, Search, Sorting, as_published, buddy};
use crate::usage::{Demand, choose};
use crate::{ColorSet, Coloring, Work};

/// A frame for a coloured task, and whether it had to be of another colour.
pub(crate) fn alloc(policy: Camc, scene: &mut Scene<'_>, work: &mut Work) -> Option<(u32, bool)> {
    if policy.search == Search::AsPublished {
        return as_published::select_page(scene, work).map(|frame| (frame, false));
    }
    loop {
        if let Some(frame) = find(scene.pool, &mut scene.task.keys, Sorting::Block, Turn::RoundRobin, work) {
            return Some((frame, false));
        }
        if !scene.pool.drain_all(work) && !grow(policy, scene) {
            break;
        }
    }
    match policy.exhaustion {
        Exhaustion::Spill => {
            let Scene { pool, usage, task } = scene;
            buddy::take(pool, usage, task.slot, &task.zones, work).map(|frame| (frame, true))
        }
        Exhaustion::Strict => None,
    }
}

/// Gives the task one more colour if it may have one (CAMC-5).
fn grow(policy: Camc, scene: &mut Scene<'_>) -> bool {
    if !matches!(scene.task.memory.coloring, Coloring::Automatic { .. }) {
        return false;
    }
    let Some(more) = choose_for(policy, scene, 1) else {
        return false;
    };
    scene.usage.add(scene.task.id, &more);
    let banks = scene.task.banks.iter().chain(more.iter()).collect();
    scene.task.set_banks(&scene.pool.keys, banks, false);
    scene.task.stats.grown += 1;
    true
}

/// Chooses `count` further colours for the task.
pub(crate) fn choose_for(policy: Camc, scene: &Scene<'_>, count: usize) -> Option<ColorSet> {
    let task = &*scene.task;
    let demand = Demand {
        home_node: task.memory.home_node,
        zones: &task.zones,
        llc: task.llc(),
        has: &task.banks,
    };
    choose(
        scene.usage,
        &scene.pool.keys,
        &scene.pool.memory,
        &demand,
        count,
        policy.shortage,
    )
}

/// A freed frame goes to the list of its colour (CAMC-24) and never merges again (RLIM-1).
pub(crate) fn free(scene: &mut Scene<'_>, frame: u32, work: &mut Work) {
    scene.pool.give_colored(frame, work);
}
