// SPDX-License-Identifier: MIT OR Apache-2.0
//! TintMalloc: a list for each pair of bank and LLC color, empty at boot (TINT-8). A request is served from any list that
//! matches the bank colors, the LLC colors, or both, whichever the task has (TINT-10); where none has a frame, free blocks are sorted into the
//! lists until one does (TINT-11, as CON-6 corrects it). The lists that match serve in turn, channels
//! first and each task from another place on: the source gives no order, and in that of their numbers threads in step all
//! use the same channel at the same time.

use super::frame_policy::FramePolicy;
use super::search::{Turn, find};
use super::{Exhaustion, Sorting, Tintmalloc};
use crate::Work;
use crate::pool::{KeySet, Pool};

impl FramePolicy for Tintmalloc {
    fn own(&self, pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
        find(pool, keys, Sorting::Block, Turn::RoundRobin, work)
    }

    fn is_strict(&self) -> bool {
        self.exhaustion == Exhaustion::Strict
    }

    /// To the list of its colors (TINT-12): it never merges again (RLIM-1).
    fn free(&self, pool: &mut Pool, frame: u32, work: &mut Work) {
        pool.give_colored(frame, work);
    }

    fn spreads_turns(&self) -> bool {
        true
    }
}
