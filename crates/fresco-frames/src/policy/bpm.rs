// SPDX-License-Identifier: MIT OR Apache-2.0
//! BPM: the free lists of every order are kept by color (BPM-2), and the colors of a task serve in turn (BPM-1).
//!
//! The source has orders 0 to 11; here they end at [`crate::MAX_ORDER`]. It does not say which colors a block of several
//! frames counts for: here the list of a block tells all that its frames have, so that a request finds the smallest block
//! that holds its color without a search, and frees merge as ever. Nodes do not count (TINT-17): the turn goes over the
//! zones too.

use super::frame_policy::FramePolicy;
use super::{Bpm, Exhaustion};
use crate::Work;
use crate::pool::{KeySet, Pool};

impl FramePolicy for Bpm {
    fn own(&self, pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
        find(pool, keys, work)
    }

    fn is_strict(&self) -> bool {
        self.exhaustion == Exhaustion::Strict
    }

    fn is_shaded(&self) -> bool {
        true
    }
}

/// A frame of the next color that has one.
pub(super) fn find(pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
    let zones = keys.search.len();
    for step in 0..zones {
        work.zone_steps += u64::from(step > 0);
        let place = (keys.turn + step) % zones;
        let zone = &mut keys.search[place];
        for _ in 0..zone.keys.len() {
            let key = zone.keys[zone.cursor];
            zone.advance();
            if let Some(frame) = pool.take_shaded(zone.zone, key, work) {
                keys.turn = (place + 1) % zones;
                return Some(frame);
            }
        }
    }
    None
}
