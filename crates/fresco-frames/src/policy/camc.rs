// SPDX-License-Identifier: MIT OR Apache-2.0
//! CAMC: colors of the task's own node that no other task uses, more of them on demand, frees into the color lists
//! (CAMC-2 to 6, CAMC-20 to 26).
//!
//! A search visits only zones that hold one of the task's colors. Of several colors each serves in turn; the source
//! says only that the list must match.

use super::frame_policy::FramePolicy;
use super::search::{Turn, find};
use super::{AllocContext, Camc, ColorLists, Exhaustion, Search, Sorting, as_published};
use crate::pool::{KeySet, Pool};
use crate::usage::{Demand, choose};
use crate::{ColorSet, Coloring, Work};

impl FramePolicy for Camc {
    fn own(&self, pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
        find(pool, keys, Sorting::Block, Turn::RoundRobin, work)
    }

    fn is_strict(&self) -> bool {
        self.exhaustion == Exhaustion::Strict
    }

    /// As the others, but a task may get more colors before it gets frames of other ones.
    fn alloc(&self, context: &mut AllocContext<'_>, work: &mut Work) -> Option<(u32, bool)> {
        if self.search == Search::AsPublished {
            return as_published::select_page(context, work).map(|frame| (frame, false));
        }
        loop {
            if let Some(frame) = self.own(context.pool, &mut context.task.keys, work) {
                return Some((frame, false));
            }
            if !context.pool.drain_all(work) && !self.grow(context) {
                return self.other(context, work).map(|frame| (frame, true));
            }
        }
    }

    /// To the list of its color (CAMC-24): it never merges again (RLIM-1).
    fn free(&self, pool: &mut Pool, frame: u32, work: &mut Work) {
        pool.give_colored(frame, work);
    }

    fn refuses(&self, _coloring: &Coloring) -> Option<&'static str> {
        None
    }

    fn choose(&self, context: &AllocContext<'_>, count: usize) -> Option<ColorSet> {
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
            self.shortage,
        )
    }

    fn starts_sorted(&self) -> bool {
        self.start == ColorLists::Full
    }
}

impl Camc {
    /// Gives the task one more color if it may have one (CAMC-5).
    fn grow(self, context: &mut AllocContext<'_>) -> bool {
        if !matches!(context.task.memory.coloring, Coloring::Automatic { .. }) {
            return false;
        }
        let Some(more) = self.choose(context, 1) else {
            return false;
        };
        context.usage.add(context.task.id, &more);
        let banks = context.task.banks.iter().chain(more.iter()).collect();
        context.task.set_banks(&context.pool.keys, banks, false);
        context.task.stats.grown += 1;
        true
    }
}
