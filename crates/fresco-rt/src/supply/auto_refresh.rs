// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processor under simultaneous auto-refresh (F1): every memory access may stall for tRFC in every tREFI.

use std::fmt;

use super::{Ratio, Supply, narrow};
use crate::time::Time;

/// Availability of a memory whose ranks are all refreshed together, in the worst phase (F1).
///
/// The refresh interval is `retention / commands` and stays rational: 7812.5 ns, not 7.8 µs. A task that always accesses
/// memory sees exactly this supply; one that does not sees more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutoRefresh {
    retention: Time,
    commands: Time,
    stall: Time,
}

/// Why an auto-refresh is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoRefreshError {
    /// A retention time or a number of commands of 0, or either above 2⁴⁸.
    OutOfRange,
    /// The refreshes of a retention time do not fit it; holds their sum and the retention time.
    Saturated(Time, Time),
}

impl fmt::Display for AutoRefreshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AutoRefreshError::OutOfRange => f.write_str("retention time and commands are between 1 and 2^48"),
            AutoRefreshError::Saturated(busy, retention) => {
                write!(
                    f,
                    "refresh takes {busy} in every {retention}; it takes less than the retention time"
                )
            }
        }
    }
}

impl std::error::Error for AutoRefreshError {}

impl AutoRefresh {
    /// `commands` refreshes per `retention`, evenly spread, each stalling all of memory for `stall` (tRFC, or tRFC plus the
    /// time to close and reopen a row, tRP + tRCD).
    pub fn new(retention: Time, commands: Time, stall: Time) -> Result<Self, AutoRefreshError> {
        const LIMIT: Time = 1 << 48;
        if !(1..=LIMIT).contains(&retention) || !(1..=LIMIT).contains(&commands) || stall > LIMIT {
            return Err(AutoRefreshError::OutOfRange);
        }
        match commands.checked_mul(stall) {
            Some(busy) if busy < retention => Ok(AutoRefresh {
                retention,
                commands,
                stall,
            }),
            busy => Err(AutoRefreshError::Saturated(busy.unwrap_or(Time::MAX), retention)),
        }
    }
}

impl Supply for AutoRefresh {
    fn sbf(&self, t: Time) -> Time {
        // In units of 1 / commands, the interval is the retention time: exact.
        let (interval, scaled) = (u128::from(self.retention), u128::from(t) * u128::from(self.commands));
        let whole = scaled / interval;
        let begun = (scaled % interval)
            .div_ceil(u128::from(self.commands))
            .min(u128::from(self.stall));
        narrow(u128::from(t) - whole * u128::from(self.stall) - begun).expect("at most t")
    }

    fn tbf(&self, demand: u128) -> Option<Time> {
        if demand == 0 {
            return Some(0);
        }
        // k stalls hit a window in which k intervals begin; the least k whose window is reached in time is the answer.
        let (interval, commands, stall) = (
            u128::from(self.retention),
            u128::from(self.commands),
            u128::from(self.stall),
        );
        let useful = interval - stall * commands;
        let whole = (demand.checked_mul(commands)? - 1) / useful;
        let t = narrow(demand.checked_add(whole.checked_add(1)?.checked_mul(stall)?)?)?;
        debug_assert!(u128::from(self.sbf(t)) >= demand && u128::from(self.sbf(t - 1)) < demand);
        Some(t)
    }

    fn rate(&self) -> Ratio {
        Ratio::new(self.retention - self.commands * self.stall, self.retention).expect("a retention is at least 1")
    }

    fn sigma(&self) -> Time {
        // A stall at the start of the window costs tRFC at the full rate; one more for rounding.
        self.stall + Time::from(self.stall > 0)
    }

    fn period(&self) -> Time {
        self.retention
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_gigabits() {
        let memory = AutoRefresh::new(64_000_000, 8192, 350).unwrap();
        assert_eq!(memory.sbf(350), 0);
        assert_eq!(memory.sbf(7812), 7812 - 350);
        // The second stall begins at 7812.5: half a nanosecond of 7813 is lost, which is a whole one to an integer.
        assert_eq!(memory.sbf(7813), 7813 - 351);
        assert_eq!(memory.sbf(64_000_000), 64_000_000 - 8192 * 350);
        assert_eq!(memory.tbf(1), Some(351));
    }

    #[test]
    fn impossible_refresh_is_refused() {
        assert_eq!(AutoRefresh::new(0, 8192, 350), Err(AutoRefreshError::OutOfRange));
        assert_eq!(AutoRefresh::new(64, 8, 8), Err(AutoRefreshError::Saturated(64, 64)));
    }
}
