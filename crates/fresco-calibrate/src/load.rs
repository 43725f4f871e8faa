// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the model is put under, and what it measures there.

use fresco_system::results::PointResult;
use serde::Serialize;

/// What the generators do while the chase is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    /// Reads in a hundred lines of traffic, 50 to 100.
    pub reads: u32,
    /// Instructions between accesses; `None` if there are no generators.
    pub pause: Option<u32>,
    /// More is asked for than memory moves: the traffic counts, and a few of the chase's slow loads show it.
    pub saturates: bool,
}

impl Load {
    /// No generators at all.
    pub fn idle(reads: u32) -> Self {
        Self {
            reads,
            pause: None,
            saturates: false,
        }
    }

    /// What is measured: without generators their share of reads says nothing.
    pub(crate) fn as_measured(self) -> Self {
        self.pause.map_or(Self::idle(100), |_| self)
    }

    /// Generators that memory keeps up with.
    pub fn paused(reads: u32, pause: u32) -> Self {
        Self {
            pause: Some(pause),
            ..Self::idle(reads)
        }
    }
}

/// What the model measured under a load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Reads in a hundred lines of traffic, as asked for.
    pub reads: u32,
    /// Instructions between accesses of a generator; `None` without generators.
    pub pause: Option<u32>,
    /// Traffic of the DRAM, in 10^9 bytes per second.
    pub gb_s: f64,
    /// Latency of a dependent load, in nanoseconds.
    pub ns: f64,
    /// Reads in a hundred lines that the DRAM served. Above `reads` where caches were not full of dirty lines yet.
    pub reads_served: f64,
}

/// The mean of a point's runs.
pub(crate) fn of(load: &Load, point: &PointResult) -> Point {
    let runs = point.runs.len().max(1) as f64;
    let controllers = || point.runs.iter().flat_map(|run| &run.controllers);
    let (reads, writes) = controllers().fold((0, 0), |(reads, writes), one| (reads + one.reads, writes + one.writes));
    Point {
        reads: load.reads,
        pause: load.pause,
        gb_s: controllers().map(|one| one.bandwidth_bytes_per_s).sum::<f64>() / runs / 1e9,
        ns: point.runs.iter().map(|run| run.tasks[0].access_time_ns).sum::<f64>() / runs,
        reads_served: 100.0 * reads as f64 / ((reads + writes) as f64).max(1.0),
    }
}
