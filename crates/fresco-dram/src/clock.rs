// SPDX-License-Identifier: MIT OR Apache-2.0
//! The controller's clock against the world's picoseconds.

use serde::{Deserialize, Serialize};

/// Time in picoseconds since the start of the run.
pub type Ps = u64;
/// Time in cycles of a memory controller's command clock.
pub type Cycle = u64;
/// The cycle (or picosecond) that never comes.
pub const NEVER: u64 = u64::MAX;
/// Most cycles of a command clock from one request of a trace, or its beginning, to the next. The memory is refreshed all the while, so that
/// idle cycles take time to simulate: these take a second or so, and are five seconds or more of memory time.
pub const LONGEST_GAP: Cycle = 1 << 34;

/// Transfers in a command clock where data and commands have the same clock.
const DOUBLE: u32 = 2;

/// The command clock of a DRAM data rate: tCK = transfers per clock / rate, two for DDR2 to DDR5, LPDDR3, LPDDR4 and HBM2, four for HBM3, eight for LPDDR5,
/// whose data have a clock (WCK) four times as fast. Kept as a rational because tCK of DDR4-2400 (833.33 ps) and DDR3-1333
/// (1500.4 ps) are not whole picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    rate_mts: u32,
    #[serde(default = "double", skip_serializing_if = "is_double")]
    transfers: u32,
}

fn double() -> u32 {
    DOUBLE
}

fn is_double(transfers: &u32) -> bool {
    *transfers == DOUBLE
}

impl Clock {
    /// The clock of a data rate in mega-transfers per second (`2400` for DDR4-2400). Must not be zero.
    pub fn from_rate(rate_mts: u32) -> Self {
        Self::with_transfers(rate_mts, DOUBLE)
    }

    /// The clock of a data rate in mega-transfers per second, of which so many fall in a command clock. Neither may be zero,
    /// and the latter is a power of two.
    pub fn with_transfers(rate_mts: u32, transfers: u32) -> Self {
        assert!(rate_mts > 0, "a data rate is positive");
        assert!(transfers.is_power_of_two(), "a clock is divided evenly");
        Self { rate_mts, transfers }
    }

    /// Data rate in mega-transfers per second.
    pub fn rate_mts(self) -> u32 {
        self.rate_mts
    }

    /// Data transfers per command clock.
    pub fn transfers(self) -> u32 {
        self.transfers
    }

    /// tCK in picoseconds, as a number that people read.
    pub fn period_ps(self) -> f64 {
        f64::from(self.transfers) * 1e6 / f64::from(self.rate_mts)
    }

    /// Cycles in nanoseconds, as a number that people read.
    pub fn ns(self, cycles: Cycle) -> f64 {
        cycles as f64 * (f64::from(self.transfers) * 1e3) / f64::from(self.rate_mts)
    }

    /// Picoseconds of so many cycles as there are mega-transfers in a second.
    #[inline]
    fn scale(self) -> u64 {
        1_000_000 * u64::from(self.transfers)
    }

    /// The time at which cycle `c` begins, rounded down to a picosecond; [`NEVER`] if it is as late or later, after 213 days.
    #[inline]
    pub fn to_ps(self, c: Cycle) -> Ps {
        match c.checked_mul(self.scale()) {
            Some(product) => product / u64::from(self.rate_mts),
            // After some hours of simulated time.
            None => {
                let ps = u128::from(c) * u128::from(self.scale()) / u128::from(self.rate_mts);
                Ps::try_from(ps).unwrap_or(NEVER)
            }
        }
    }

    /// So many cycles as a duration, rounded up to a picosecond: no two cycles so far apart begin further from each other by [`to_ps`](Self::to_ps).
    pub fn longest_ps(self, cycles: Cycle) -> Ps {
        let ps = (u128::from(cycles) * u128::from(self.scale())).div_ceil(u128::from(self.rate_mts));
        Ps::try_from(ps).unwrap_or(Ps::MAX)
    }

    /// The first cycle that begins at or after `t`.
    #[inline]
    pub fn cycle_at_or_after(self, t: Ps) -> Cycle {
        match t.checked_mul(u64::from(self.rate_mts)) {
            // Mostly so, and divided by a constant.
            Some(product) if self.transfers == DOUBLE => product.div_ceil(2_000_000),
            Some(product) => product.div_ceil(self.scale()),
            // After some hours of simulated time.
            None => (u128::from(t) * u128::from(self.rate_mts)).div_ceil(u128::from(self.scale())) as Cycle,
        }
    }

    /// A duration in picoseconds as whole cycles, rounded up (the rule of every JEDEC parameter given in ns).
    pub fn cycles(self, duration: Ps) -> Cycle {
        self.cycle_at_or_after(duration)
    }

    /// The whole cycles within a duration in picoseconds (the rule of maxima, such as tREFI).
    pub fn whole_cycles(self, duration: Ps) -> Cycle {
        (u128::from(duration) * u128::from(self.rate_mts) / u128::from(self.scale())) as Cycle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_begins_no_later_than_it_is_reached() {
        let double = [800, 1066, 1333, 1600, 2400, 3200, 4800].map(Clock::from_rate);
        let eightfold = [6400, 8533].map(|rate| Clock::with_transfers(rate, 8));
        for clock in double.into_iter().chain(eightfold) {
            // From the start, and where the products leave 64 bits behind.
            let wide = u64::MAX / clock.scale();
            for c in (0..10_000).chain(wide - 1_000..wide + 1_000) {
                assert_eq!(clock.cycle_at_or_after(clock.to_ps(c)), c, "{clock:?}");
            }
        }
    }

    /// DDR4-2400: 2^64 ps are 22,136,092,888,451,461 cycles, 213.5 days.
    #[test]
    fn time_does_not_begin_anew_after_64_bits() {
        let clock = Clock::from_rate(2400);
        assert_eq!(clock.to_ps(22_136_092_888_451_461), u64::MAX - 782);
        for cycle in [22_136_092_888_451_462, 1 << 60, NEVER] {
            assert_eq!(clock.to_ps(cycle), NEVER, "{cycle}");
        }
        assert_eq!(clock.cycle_at_or_after(NEVER), 22_136_092_888_451_462);
    }

    #[test]
    fn a_span_of_cycles_is_no_shorter_than_any_that_was_measured() {
        // 1.499… ns and 0.9375 ns a cycle.
        for rate in [1333, 2133, 1600] {
            let clock = Clock::from_rate(rate);
            for cycles in 0..400 {
                let spans = (0..u64::from(rate)).map(|from| clock.to_ps(from + cycles) - clock.to_ps(from));
                assert_eq!(spans.max(), Some(clock.longest_ps(cycles)), "{cycles} cycles at {rate}");
            }
        }
        assert_eq!(Clock::from_rate(1333).longest_ps(u64::MAX), Ps::MAX);
    }

    /// LPDDR5-6400 with WCK four times CK: 800 MHz.
    #[test]
    fn a_command_clock_may_hold_eight_transfers() {
        let clock = Clock::with_transfers(6400, 8);
        assert_eq!((clock.to_ps(3), clock.ns(3), clock.period_ps()), (3750, 3.75, 1250.0));
        assert_eq!((clock.cycles(18_000), clock.whole_cycles(18_000)), (15, 14));
    }
}
