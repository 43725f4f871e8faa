// SPDX-License-Identifier: MIT OR Apache-2.0
//! CAMC: colors of the task's own node that no other task uses, more of them on demand, frees into the color lists
//! (CAMC-2 to 6, CAMC-20 to 26).
//!
//! A search visits only zones that hold one of the task's colors. Of several colors each serves in turn; the source
//! says only that the list must match.

use super::search::{Turn, find};
use super::{AllocContext, Camc, Exhaustion, Search, Sorting, as_published, buddy};
use crate::usage::{Demand, choose};
use crate::{ColorSet, Coloring, Work};

/// A frame for a colored task, and whether it had to be of another color.
pub(crate) fn alloc(policy: Camc, context: &mut AllocContext<'_>, work: &mut Work) -> Option<(u32, bool)> {
    if policy.search == Search::AsPublished {
        return as_published::select_page(context, work).map(|frame| (frame, false));
    }
    loop {
        if let Some(frame) = find(
            context.pool,
            &mut context.task.keys,
            Sorting::Block,
            Turn::RoundRobin,
            work,
        ) {
            return Some((frame, false));
        }
        if !context.pool.drain_all(work) && !grow(policy, context) {
            break;
        }
    }
    match policy.exhaustion {
        Exhaustion::Spill => {
            let AllocContext { pool, usage, task } = context;
            buddy::take(pool, usage, task.slot, &task.zones, work).map(|frame| (frame, true))
        }
        Exhaustion::Strict => None,
    }
}

/// Gives the task one more color if it may have one (CAMC-5).
fn grow(policy: Camc, context: &mut AllocContext<'_>) -> bool {
    if !matches!(context.task.memory.coloring, Coloring::Automatic { .. }) {
        return false;
    }
    let Some(more) = choose_for(policy, context, 1) else {
        return false;
    };
    context.usage.add(context.task.id, &more);
    let banks = context.task.banks.iter().chain(more.iter()).collect();
    context.task.set_banks(&context.pool.keys, banks, false);
    context.task.stats.grown += 1;
    true
}

/// Chooses `count` further colors for the task.
pub(crate) fn choose_for(policy: Camc, context: &AllocContext<'_>, count: usize) -> Option<ColorSet> {
    let task = &*context.task;
    let demand = Demand {
        home_node: task.memory.home_node,
        zones: &task.zones,
        llc: task.llc(),
        has: &task.banks,
    };
    choose(
        context.usage,
        &context.pool.keys,
        &context.pool.memory,
        &demand,
        count,
        policy.shortage,
    )
}

/// A freed frame goes to the list of its color (CAMC-24) and never merges again (RLIM-1).
pub(crate) fn free(context: &mut AllocContext<'_>, frame: u32, work: &mut Work) {
    context.pool.give_colored(frame, work);
}
