// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the memory system counts: by core and by node, and what is under way.

use super::MemorySystem;
use crate::cache::{Cache, SourceStats};
use crate::controller::{ChannelStats, Controller};
use fresco_dram::{Cycle, Ps};
use serde::{Deserialize, Serialize};

/// What one core asked of the shared levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CoreStats {
    /// Reads after a private miss.
    pub reads: u64,
    /// Prefetches, which are none of `reads`, but count in `merged` and `llc` as reads do.
    pub prefetches: u64,
    /// Those of `reads` that were for a store (read for ownership).
    pub reads_for_write: u64,
    /// Those of `reads` and `prefetches` that joined one of the same line that was under way; neither hit nor miss in `llc`.
    pub merged: u64,
    /// Dirty lines from the private levels.
    pub write_backs: u64,
    /// In the last-level cache: hits and misses of this core's other reads and prefetches, and what became of the lines it brought in.
    pub llc: SourceStats,
    /// Those of `reads` that the last-level cache let wait.
    pub blocked: Blocked,
}

/// Reads that found all miss registers of their last-level cache taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// How many, whether the cache had their line or not.
    pub reads: u64,
    /// How long they waited until it looked for the line, all together, in picoseconds.
    pub time_ps: Ps,
}

/// Lines that a core moved between the shared levels and memory since the start; no reset takes them back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lines {
    /// Fetched: misses of the last-level cache.
    pub read: u64,
    /// Written back: dirty lines that its accesses displaced.
    pub written: u64,
}

/// What the controller of one node did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeStats {
    /// Cycles of the controller's clock that the counts cover.
    pub cycles: Cycle,
    /// Counts of each channel.
    pub channels: Vec<ChannelStats>,
}

impl NodeStats {
    /// Share of the time in which a data bus carried data, mean of the channels, 0 to 1.
    pub fn bus_utilisation(&self) -> f64 {
        self.mean(|channel| channel.data_cycles as f64)
    }

    /// Reads in the queues of a channel, mean over time and channels.
    pub fn mean_read_queue(&self) -> f64 {
        self.mean(|channel| channel.read_queue_integral as f64)
    }

    /// Writes in the buffer of a channel, mean over time and channels.
    pub fn mean_write_queue(&self) -> f64 {
        self.mean(|channel| channel.write_queue_integral as f64)
    }

    /// Most reads in the queues of any channel at one time.
    pub fn max_read_queue(&self) -> u32 {
        self.channels
            .iter()
            .map(|channel| channel.read_queue_max)
            .max()
            .unwrap_or(0)
    }

    /// Most writes in the buffer of any channel at one time.
    pub fn max_write_queue(&self) -> u32 {
        self.channels
            .iter()
            .map(|channel| channel.write_queue_max)
            .max()
            .unwrap_or(0)
    }

    /// A count per channel and cycle; 0 before any time has passed.
    fn mean(&self, count: impl Fn(&ChannelStats) -> f64) -> f64 {
        let over = self.cycles as f64 * self.channels.len() as f64;
        if over == 0.0 {
            0.0
        } else {
            self.channels.iter().map(count).sum::<f64>() / over
        }
    }
}

impl MemorySystem {
    /// Dirty lines that are on their way to a controller, and have not been taken by it as far as the core knows: of the
    /// core that has most. The buffer's entries bound it.
    pub fn most_write_backs(&self) -> u32 {
        self.write_backs.most()
    }

    /// Lines that are under way from memory, and reads of others that the last-level cache let wait.
    pub fn outstanding(&self) -> usize {
        self.pending.len() + self.blocking.hits()
    }

    /// Counters of each core, since the start or the last reset.
    pub fn core_stats(&self) -> Vec<CoreStats> {
        let mut stats = self.cores.clone();
        let members = self.caches.iter().flat_map(|cache| cache.stats());
        for (core, llc) in stats.iter_mut().zip(members) {
            core.llc = *llc;
        }
        stats
    }

    /// What `core` has moved to and from memory: what a counter of its misses and write-backs shows.
    #[inline]
    pub fn lines(&self, core: u32) -> Lines {
        self.lines[core as usize]
    }

    /// Counters of each node, since the start or the last reset; as far as the controllers have been run.
    pub fn node_stats(&mut self) -> Vec<NodeStats> {
        let cycles = self.settle() - self.counted_from;
        let controllers = self.controllers.iter_mut();
        controllers
            .map(|controller| NodeStats {
                cycles,
                channels: controller.stats(),
            })
            .collect()
    }

    /// Sets all counters to zero and leaves all else as it is: the end of a warm-up.
    pub fn reset_stats(&mut self) {
        self.counted_from = self.settle();
        self.cores.fill(CoreStats::default());
        self.caches.iter_mut().for_each(Cache::reset_stats);
        self.order.iter_mut().for_each(|order| order.reset());
        self.controllers.iter_mut().for_each(Controller::reset_stats);
    }
}
