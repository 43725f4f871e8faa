// SPDX-License-Identifier: MIT OR Apache-2.0
//! Per-CPU lists in front of the buddy system (Linux' `struct per_cpu_pages`).
//!
//! They matter for coloring although they are only a cache: a CPU draws frames in batches, so tasks that fault
//! alternately on several cores get runs of neighbouring frames and not every other frame. Without them, tasks that fault
//! in step would end up in disjoint banks by accident.

use super::{Class, Pool};
use crate::Work;
use serde::{Deserialize, Serialize};

/// Sizes of the per-CPU lists, in frames. A task of the model is pinned, so each task has lists of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerCpu {
    /// Frames moved from or to the buddy system at once; at least 1.
    pub batch: u32,
    /// Freed frames kept before a batch goes back.
    pub high: u32,
}

impl Default for PerCpu {
    /// Linux 2.6 to 5.12 for zones of 512 MiB and more: `zone_batchsize()` gives 31, `high` is six batches.
    fn default() -> Self {
        Self { batch: 31, high: 186 }
    }
}

impl Pool {
    /// Takes a frame of a zone for the CPU of owner `slot`.
    pub(crate) fn take_single(&mut self, slot: u32, zone: u32, work: &mut Work) -> Option<u32> {
        let Some(PerCpu { batch, .. }) = self.per_cpu else {
            return self.take_block(zone, 0, work);
        };
        let list = self.layout.per_cpu(slot, zone);
        work.lists_probed += 1;
        if self.lists.len(list) == 0 {
            for _ in 0..batch.max(1) {
                let Some(frame) = self.take_block(zone, 0, work) else {
                    break;
                };
                self.lists.push_back(list, frame);
                work.list_ops += 1;
            }
        }
        let frame = self.lists.pop_front(list)?;
        work.list_ops += 1;
        Some(frame)
    }

    /// Returns a loose frame through the CPU of owner `slot`.
    pub(crate) fn give_single(&mut self, slot: u32, frame: u32, work: &mut Work) {
        let Some(PerCpu { batch, high }) = self.per_cpu else {
            return self.give_block(frame, 0, work);
        };
        let list = self.layout.per_cpu(slot, self.zone_of(frame));
        self.lists.push_front(list, frame);
        work.list_ops += 1;
        if self.lists.len(list) > high {
            self.drain_list(list, batch.max(1), work);
        }
    }

    /// Returns what all per-CPU lists hold to the buddy system. `false` if they held nothing.
    pub(crate) fn drain_all(&mut self, work: &mut Work) -> bool {
        if self.lists.frames(Class::PerCpu) == 0 {
            return false;
        }
        for slot in 0..self.slots() {
            self.drain(slot, work);
        }
        true
    }

    /// Returns what the per-CPU lists of an owner hold to the buddy system.
    pub(crate) fn drain(&mut self, slot: u32, work: &mut Work) {
        for zone in 0..self.memory.zones() {
            self.drain_list(self.layout.per_cpu(slot, zone), u32::MAX, work);
        }
    }

    /// The frames that were freed longest ago go first.
    fn drain_list(&mut self, list: u32, at_most: u32, work: &mut Work) {
        for _ in 0..at_most {
            let Some(frame) = self.lists.last(list) else { break };
            self.lists.remove(frame);
            work.list_ops += 1;
            self.give_block(frame, 0, work);
        }
    }

    /// Free frames of a zone in all per-CPU lists.
    pub(crate) fn per_cpu_frames(&self, zone: u32) -> u64 {
        (0..self.slots())
            .map(|slot| u64::from(self.lists.len(self.layout.per_cpu(slot, zone))))
            .sum()
    }
}
