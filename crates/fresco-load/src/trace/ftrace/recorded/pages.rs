// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages that a thread has touched.

use crate::trace::fibonacci::Fibonacci;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages")
            .field("regions", &self.bits.len())
            .finish_non_exhaustive()
    }
}

/// A set of pages, made for asking for the same ones again and again: bits by regions of 64 pages. Nothing depends on the order of
/// its table.
#[derive(Default)]
pub(super) struct Pages {
    regions: HashMap<u64, u32, BuildHasherDefault<Fibonacci>>,
    bits: Vec<u64>,
    /// Region and place of those asked for a moment ago, by the lowest bits of the region.
    recent: Vec<(u64, u32)>,
    fresh: Vec<u64>,
}

/// Regions that are found without the table.
const RECENT: usize = 1024;

impl Pages {
    /// Adds a page; true if it is new.
    #[inline]
    pub fn touch(&mut self, page: u64) -> bool {
        let (region, bit) = (page >> 6, 1u64 << (page & 63));
        if self.recent.is_empty() {
            self.recent = vec![(u64::MAX, 0); RECENT];
        }
        let recent = &mut self.recent[region as usize % RECENT];
        if recent.0 != region {
            let place = *self.regions.entry(region).or_insert_with(|| {
                self.bits.push(0);
                self.bits.len() as u32 - 1
            });
            *recent = (region, place);
        }
        let bits = &mut self.bits[recent.1 as usize];
        let is_new = *bits & bit == 0;
        if is_new {
            *bits |= bit;
            self.fresh.push(page);
        }
        is_new
    }

    /// Pages added since the last call.
    pub fn fresh(&mut self) -> std::vec::Drain<'_, u64> {
        self.fresh.drain(..)
    }
}
