// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads from memory: how long they took and what they waited for.

use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// What reads found in their banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowCounts {
    /// Row open.
    pub hits: u64,
    /// Bank closed.
    pub misses: u64,
    /// Another row open.
    pub conflicts: u64,
    /// Served from the write buffer.
    pub forwarded: u64,
}

impl RowCounts {
    /// Row-buffer locality: the share that found its row open, of those that went to a bank; `None` if none did.
    pub fn hit_share(&self) -> Option<f64> {
        let all = self.hits + self.misses + self.conflicts;
        (all > 0).then(|| self.hits as f64 / all as f64)
    }
}

/// Distribution of the latency of reads, in nanoseconds, from the access to the data at the core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Mean, exact.
    pub mean_ns: f64,
    /// Standard deviation of all reads, exact.
    pub stddev_ns: f64,
    /// Smallest.
    pub min_ns: f64,
    /// Median; percentiles are exact to 0.1 %.
    pub p50_ns: f64,
    /// 90th percentile.
    pub p90_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
    /// 99.9th percentile.
    pub p99_9_ns: f64,
    /// Largest.
    pub max_ns: f64,
    /// Number of reads in buckets that grow by 2 %; empty ones are left out, and the last ends with the maximum.
    pub histogram: Vec<Bucket>,
}

/// Reads up to a latency, above that of the bucket before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// Upper end, which belongs to the bucket, in nanoseconds.
    pub up_to_ns: f64,
    /// Reads.
    pub count: u64,
}

/// Where the time of a read went on average, in nanoseconds; the parts add up to the mean latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anatomy {
    /// Looking up the caches, to the controller and back.
    pub path_ns: f64,
    /// On the interconnect between nodes.
    pub remote_ns: f64,
    /// In the controller's queues, though its bank and the bus were free.
    pub queue_ns: f64,
    /// For its bank, busy with other rows.
    pub bank_ns: f64,
    /// For the data bus, the rank or the bank group.
    pub bus_ns: f64,
    /// For a refresh.
    pub refresh_ns: f64,
    /// Its own commands and data.
    pub service_ns: f64,
    /// For a line that was under way already.
    pub joined_ns: f64,
}

/// Reads of one task that missed all caches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reads {
    /// Their number.
    pub count: u64,
    /// Those that went to another node than the core's.
    pub remote: u64,
    /// Those of a line that was under way already.
    pub joined: u64,
    /// Those that waited for a refresh; how long is in `anatomy`.
    #[serde(default)]
    pub refreshed: u64,
    /// How long they took.
    pub latency: Latency,
    /// What they waited for.
    pub anatomy: Anatomy,
    /// Time from their arrival at the controller to their last data, in sum, in picoseconds; they may have been there at the same time.
    #[serde(default)]
    pub in_memory_ps: Ps,
    /// The longest of these times.
    #[serde(default)]
    pub in_memory_max_ps: Ps,
    /// The shortest of these times; 0 without any.
    #[serde(default)]
    pub in_memory_min_ps: Ps,
    /// The most of them of which each was sent when the data of the one before had arrived; those that joined are not counted.
    #[serde(default)]
    pub chain: u64,
    /// What they found in their banks; those that joined are not counted.
    pub rows: RowCounts,
}
