// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a channel counted.

use fresco_dram::{CommandKind, Cycle};
use serde::Serialize;

/// Counts of one channel since the start or the last reset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChannelStats {
    /// Reads that the DRAM served.
    pub reads: u64,
    /// Writes that the DRAM served.
    pub writes: u64,
    /// Reads that found their line in the write buffer.
    pub forwarded: u64,
    /// Writes that replaced a buffered write to the same line.
    pub merged: u64,
    /// Requests that found their row open.
    pub row_hits: u64,
    /// Requests that found their bank closed.
    pub row_misses: u64,
    /// Requests that found another row open.
    pub row_conflicts: u64,
    /// Issued commands, by [`CommandKind::ALL`].
    pub commands: [u64; CommandKind::ALL.len()],
    /// Cycles in which the data bus carried data.
    pub data_cycles: Cycle,
    /// Sum over time of the number of reads in the queues (requests x cycles); divided by the time, the mean length.
    pub read_queue_integral: u64,
    /// Most reads in the queues at one time.
    pub read_queue_max: u32,
    /// Sum over time of the number of buffered writes (requests x cycles).
    pub write_queue_integral: u64,
    /// Most buffered writes at one time.
    pub write_queue_max: u32,
    /// Sum over ranks of the cycles in which a row of the rank was open, from its activation to the command that closes it; a
    /// command with automatic precharge closes it at once.
    pub rank_active_cycles: Cycle,
}

impl ChannelStats {
    /// Number of commands of one kind.
    pub fn command(&self, kind: CommandKind) -> u64 {
        self.commands[kind as usize]
    }
}

/// The length of a queue over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    len: u32,
    since: Cycle,
    max: u32,
    integral: u64,
}

impl Level {
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    fn settle(&mut self, now: Cycle) {
        self.integral += u64::from(self.len) * now.saturating_sub(self.since);
        self.since = now;
    }

    #[inline]
    pub(super) fn add(&mut self, now: Cycle) {
        self.settle(now);
        self.len += 1;
        self.max = self.max.max(self.len);
    }

    #[inline]
    pub(super) fn take(&mut self, now: Cycle) {
        self.settle(now);
        self.len -= 1;
    }

    /// Integral over time and maximum up to `now`.
    pub(super) fn read(&mut self, now: Cycle) -> (u64, u32) {
        self.settle(now);
        (self.integral, self.max)
    }

    pub(super) fn reset(&mut self, now: Cycle) {
        *self = Self {
            len: self.len,
            since: now,
            max: self.len,
            integral: 0,
        };
    }
}
