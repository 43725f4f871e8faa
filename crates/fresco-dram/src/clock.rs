// SPDX-License-Identifier: MIT OR Apache-2.0
//! The controller's clock against the world's picoseconds.

use serde::{Deserialize, Serialize};

/// Time in picoseconds since the start of the run.
pub type Ps = u64;
/// Time in cycles of a memory controller's command clock.
pub type Cycle = u64;
/// The cycle (or picosecond) that never comes.
pub const NEVER: u64 = u64::MAX;

/// The command clock of a DRAM data rate. DDR transfers twice per clock, so tCK = 2 / rate; kept as a rational because
/// tCK of DDR4-2400 (833.33 ps) and DDR3-1333 (1500.4 ps) are not whole picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    rate_mts: u32,
}

impl Clock {
    /// The clock of a data rate in mega-transfers per second (`2400` for DDR4-2400). Must not be zero.
    pub fn from_rate(rate_mts: u32) -> Self {
        assert!(rate_mts > 0, "a data rate is positive");
        Self { rate_mts }
    }

    /// Data rate in mega-transfers per second.
    pub fn rate_mts(self) -> u32 {
        self.rate_mts
    }

    /// The time at which cycle `c` begins, rounded down to a picosecond.
    #[inline]
    pub fn to_ps(self, c: Cycle) -> Ps {
        match c.checked_mul(2_000_000) {
            Some(product) => product / u64::from(self.rate_mts),
            // After some hours of simulated time.
            None => (u128::from(c) * 2_000_000 / u128::from(self.rate_mts)) as Ps,
        }
    }

    /// The first cycle that begins at or after `t`.
    #[inline]
    pub fn cycle_at_or_after(self, t: Ps) -> Cycle {
        match t.checked_mul(u64::from(self.rate_mts)) {
            Some(product) => product.div_ceil(2_000_000),
            // After some hours of simulated time.
            None => (u128::from(t) * u128::from(self.rate_mts)).div_ceil(2_000_000) as Cycle,
        }
    }

    /// A duration in picoseconds as whole cycles, rounded up (the rule of every JEDEC parameter given in ns).
    pub fn cycles(self, duration: Ps) -> Cycle {
        self.cycle_at_or_after(duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_begins_no_later_than_it_is_reached() {
        for rate in [800, 1066, 1333, 1600, 2400, 3200, 4800] {
            let clock = Clock::from_rate(rate);
            // From the start, and where the products leave 64 bits behind.
            let wide = u64::MAX / 2_000_000;
            for c in (0..10_000).chain(wide - 1_000..wide + 1_000) {
                assert_eq!(clock.cycle_at_or_after(clock.to_ps(c)), c, "rate {rate}");
            }
        }
    }
}
