// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one cluster or node lets pass: lines per time, and lines under way.

use fresco_dram::NEVER;
use fresco_machine::Rates;

/// Femtoseconds: at rates of 100 GB/s a line takes less than a nanosecond, and a picosecond would be an error of 0.2 %.
pub(super) type Fs = u64;
pub(super) const FS_PER_PS: Fs = 1000;

/// One limit: when it lets the next line pass, and how long a line takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub free: Fs,
    line: Fs,
}

impl Limit {
    pub fn new(bytes_per_second: u64, line_bytes: u64) -> Self {
        let line = (u128::from(line_bytes) * 1_000_000_000_000_000).div_ceil(u128::from(bytes_per_second.max(1)));
        Self {
            free: 0,
            line: u64::try_from(line).unwrap_or(u64::MAX),
        }
    }

    /// A line passes.
    pub fn take(&mut self, at: Fs) {
        self.free = at + self.line;
    }
}

/// The limits of a cluster or of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// By direction: reads, writes.
    own: [Option<Limit>; 2],
    both: Option<Limit>,
    /// What a written line takes of `both`, in percent of one that is read.
    write_cost: Fs,
    /// Most lines under way.
    in_flight: u32,
    under_way: u32,
}

impl Limits {
    pub fn new(rates: &Rates, line_bytes: u64) -> Self {
        let limit = |rate: Option<u64>| rate.map(|rate| Limit::new(rate, line_bytes));
        Self {
            own: [limit(rates.reads), limit(rates.writes)],
            both: limit(rates.traffic),
            write_cost: rates.write_cost.unwrap_or(100).into(),
            in_flight: rates.in_flight.unwrap_or(u32::MAX),
            under_way: 0,
        }
    }

    /// When a line may pass; [`NEVER`] before one that is under way has arrived.
    pub fn free(&self, direction: usize) -> Fs {
        if self.under_way >= self.in_flight {
            return NEVER;
        }
        let free = |limit: Option<Limit>| limit.map_or(0, |limit| limit.free);
        free(self.own[direction]).max(free(self.both))
    }

    /// A line has arrived.
    pub fn arrived(&mut self) {
        debug_assert!(self.under_way > 0, "a line that arrives was under way");
        self.under_way -= 1;
    }

    /// A line passes; it counts as under way if that is `counted`.
    pub fn take(&mut self, direction: usize, at: Fs, counted: bool) {
        self.under_way += u32::from(counted);
        if let Some(limit) = &mut self.own[direction] {
            limit.take(at);
        }
        if let Some(limit) = &mut self.both {
            let cost = if direction == 0 { 100 } else { self.write_cost };
            limit.free = at + limit.line * cost / 100;
        }
    }
}
