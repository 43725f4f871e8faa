// SPDX-License-Identifier: MIT OR Apache-2.0
//! PALLOC: banks chosen per task, bins in front of the buddy system, frees back into it (PAL-1 to PAL-6).
//!
//! PALLOC does not know nodes: it searches the zones in the order of the task's node, each to the last free block, even
//! one that holds none of the wanted banks.

use super::frame_policy::FramePolicy;
use super::search::{Turn, find};
use super::{Exhaustion, Palloc};
use crate::pool::{KeySet, Pool};
use crate::{Coloring, Work};

impl FramePolicy for Palloc {
    fn own(&self, pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
        find(pool, keys, self.sorting, Turn::Lowest, work)
    }

    fn is_strict(&self) -> bool {
        self.exhaustion == Exhaustion::Strict
    }

    fn refuses(&self, coloring: &Coloring) -> Option<&'static str> {
        matches!(coloring, Coloring::Automatic { .. })
            .then_some("PALLOC does not choose banks by itself; name bank colors, or use camc")
    }

    fn is_blind_to_nodes(&self) -> bool {
        true
    }
}
