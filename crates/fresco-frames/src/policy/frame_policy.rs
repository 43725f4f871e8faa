// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a policy decides about tasks with colors.

use super::{AllocContext, buddy};
use crate::pool::{KeySet, Pool};
use crate::{ColorSet, Coloring, Work};

/// Which frame a task with colors gets, and where a freed one goes. Tasks without colors are served by the buddy system
/// under every policy.
pub(crate) trait FramePolicy {
    /// A free frame of the colors in `keys`.
    fn own(&self, pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32>;

    /// Returns true if a task gets no frame of other colors when its own are used up.
    fn is_strict(&self) -> bool;

    /// A frame for a task whose own colors have none, unused colors first; `None` if it gets no other.
    fn other(&self, context: &mut AllocContext<'_>, work: &mut Work) -> Option<u32> {
        let AllocContext { pool, usage, task } = context;
        match self.is_strict() {
            true => None,
            false => buddy::take(pool, usage, task.slot, &task.zones, work),
        }
    }

    /// A frame for a task, and whether it had to be of another color. What CPUs keep at hand is given back before other
    /// colors are asked.
    fn alloc(&self, context: &mut AllocContext<'_>, work: &mut Work) -> Option<(u32, bool)> {
        let AllocContext { pool, task, .. } = context;
        let mut found = self.own(pool, &mut task.keys, work);
        if found.is_none() && pool.drain_all(work) {
            found = self.own(pool, &mut task.keys, work);
        }
        match found {
            Some(frame) => Some((frame, false)),
            None => self.other(context, work).map(|frame| (frame, true)),
        }
    }

    /// Gives a task's frame back: to the buddy system, where it merges.
    fn free(&self, pool: &mut Pool, frame: u32, work: &mut Work) {
        pool.give_block(frame, 0, work);
    }

    /// Why no task can have `coloring`, with what to use instead; `None` if one can.
    fn refuses(&self, coloring: &Coloring) -> Option<&'static str> {
        matches!(coloring, Coloring::Automatic { .. }).then_some(
            "the policy does not choose colors by itself; name them, as `shares` works them out, or use camc",
        )
    }

    /// Chooses `count` further bank colors for a task that left the choice to the policy; `None` if there are too few.
    fn choose(&self, _context: &AllocContext<'_>, _count: usize) -> Option<ColorSet> {
        None
    }

    /// Returns true if a bank may belong to one task only (COD-5).
    fn owns_banks_alone(&self) -> bool {
        false
    }

    /// Returns true if zones without a frame of the task's colors are searched, too.
    fn is_blind_to_nodes(&self) -> bool {
        false
    }

    /// Returns true if tasks with the same colors begin their turns at different ones.
    fn spreads_turns(&self) -> bool {
        false
    }

    /// Returns true if the buddy system's free lists are kept by color.
    fn is_shaded(&self) -> bool {
        false
    }

    /// Returns true if all free frames are in color lists at the start, and blocks are put together from them.
    fn starts_sorted(&self) -> bool {
        false
    }
}
