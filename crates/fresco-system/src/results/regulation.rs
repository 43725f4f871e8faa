// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bandwidth regulation did (MET-9). All counts are of whole periods: from the first that began after all measured
//! tasks had warmed up to the last that ended before the run did.

use crate::bandwidth::{Counts, Kind};
use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// The regulation of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegulationResult {
    /// Length of a period.
    pub period_ps: Ps,
    /// Beginning of the first whole period, since the start of the run.
    pub from_ps: Ps,
    /// Lines written back are counted as well as lines fetched (RLIM-9).
    pub count_write_backs: bool,
    /// Soft cores donate and reclaim.
    pub reclaim: bool,
    /// Time of an interrupt.
    pub interrupt_ps: Ps,
    /// Bytes of a line.
    pub line_bytes: u64,
    /// Misses that a core may have in flight.
    pub in_flight: u32,
    /// The controllers of nodes that have tasks.
    pub nodes: Vec<NodeRegulation>,
}

/// What the cores of one node share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeRegulation {
    /// Node.
    pub node: u32,
    /// r_min of its controller (MG-3).
    pub guaranteed_bytes_per_s: u64,
    /// What its cores may have together.
    pub total_bytes_per_s: u64,
    /// The same, in lines of a period.
    pub total_lines: u64,
    /// Sum of their reservations.
    pub reserved_bytes_per_s: u64,
}

/// The regulation of one core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreRegulation {
    /// Node whose controller it shares with others.
    pub node: u32,
    /// Hard or soft.
    pub kind: Kind,
    /// Weight.
    pub weight: u32,
    /// Reservation.
    pub reserved_bytes_per_s: u64,
    /// The same, in whole lines of a period: its budget.
    pub reserved_lines: u64,
    /// What it can rely on: its budget, if that is never donated and the controller can serve all budgets; else 0.
    pub guaranteed_bytes_per_s: f64,
    /// What it moved, as far as that is counted.
    pub achieved_bytes_per_s: f64,
    /// Time for which it was stalled, in nanoseconds.
    pub stalled_ns: f64,
    /// That time as a share of the whole, 0 to 1.
    pub stalled_share: f64,
    /// Reservation errors in relation to periods, 0 to 1 (LIM-28).
    pub error_rate: f64,
    /// What became of its budgets.
    #[serde(flatten)]
    pub counts: Counts,
    /// Lines that it used in each period.
    pub lines_by_period: Vec<u64>,
}

impl CoreRegulation {
    /// Bandwidth in each period, in bytes per second, with the middle of the period in picoseconds since the start of
    /// the run.
    pub fn series<'s>(&'s self, of: &'s RegulationResult) -> impl Iterator<Item = (Ps, f64)> + 's {
        self.lines_by_period.iter().zip(0u64..).map(|(lines, number)| {
            // Results may have been read from a file that somebody changed.
            let begin = of.from_ps.saturating_add(number.saturating_mul(of.period_ps));
            let middle = begin.saturating_add(of.period_ps / 2);
            let bytes = lines.saturating_mul(of.line_bytes) as f64;
            (middle, super::ratio(bytes, of.period_ps as f64 * 1e-12))
        })
    }
}
