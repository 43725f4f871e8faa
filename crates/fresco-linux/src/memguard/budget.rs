// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth as lines of a period, which is what the module counts (MG-1).

use fresco_input::format_bandwidth;
use std::fmt;

/// Bytes of a line: what a miss of the last-level cache moves on x86-64, and on 64-bit Arm but for a few.
pub const LINE_BYTES: u64 = 64;

/// Microseconds of a second.
const SECOND_US: u128 = 1_000_000;

/// Lines in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Lines.
    pub lines: u64,
    /// The period, in microseconds.
    pub period_us: u64,
}

impl Budget {
    /// The most lines of a period that are no more than this bandwidth, divided evenly among `parts`; `None` if that is
    /// less than a line.
    pub fn of(bytes_per_s: u64, period_us: u64, parts: u64) -> Option<Self> {
        let lines = u128::from(bytes_per_s) * u128::from(period_us) / (u128::from(LINE_BYTES) * SECOND_US);
        let lines = u64::try_from(lines).unwrap_or(u64::MAX) / parts.max(1);
        (lines > 0).then_some(Self { lines, period_us })
    }

    /// What it is in bytes per second, rounded down.
    pub fn bytes_per_s(self) -> u64 {
        let bytes = u128::from(self.lines) * u128::from(LINE_BYTES) * SECOND_US / u128::from(self.period_us.max(1));
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// The least bandwidth that gives each of `parts` a line of each period.
pub fn least_bytes_per_s(period_us: u64, parts: u64) -> u64 {
    let bytes = u128::from(parts.max(1)) * u128::from(LINE_BYTES) * SECOND_US;
    u64::try_from(bytes.div_ceil(u128::from(period_us.max(1)))).unwrap_or(u64::MAX)
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, period_us } = *self;
        let plural = if lines == 1 { "" } else { "s" };
        let bandwidth = format_bandwidth(self.bytes_per_s());
        write!(f, "{lines} line{plural} in each period of {period_us} us, {bandwidth}")
    }
}
