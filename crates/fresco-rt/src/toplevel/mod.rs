// SPDX-License-Identifier: MIT OR Apache-2.0
//! The top level of the Colored Refresh Server: two servers of two colors under the lock and unlock tasks.
//!
//! Colors and servers are counted from 0: server 0 (S1 in the papers) has priority over server 1 and owns color 0.

mod accept;
mod guarantee;
mod locks;
mod response;
mod table;

pub use accept::{Acceptance, accepts, fits};
pub use guarantee::deferrable_guarantee;
pub use locks::{ColorLock, LockError, LockWindow, Locks};
pub use response::response_times;
pub(crate) use table::Frame;
pub use table::{ServerTable, open_times, server_tables};

use std::fmt;

use crate::patience::STOPPED;
use crate::supply::BudgetError;
use crate::time::{Overflow, Time, lcm_all};

/// A server: budget `e_s` in every period `p_s`, set at multiples of the period and lost at its end (CRS-2, CRS-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    pub(crate) period: Time,
    pub(crate) budget: Time,
}

impl Server {
    /// A server with `budget` ≤ `period` and `period` ≥ 1.
    pub fn new(period: Time, budget: Time) -> Result<Self, BudgetError> {
        BudgetError::check(period, budget)?;
        Ok(Server { period, budget })
    }

    /// p_s, at least 1.
    pub fn period(self) -> Time {
        self.period
    }

    /// e_s, at most the period.
    pub fn budget(self) -> Time {
        self.budget
    }
}

/// Two servers and the locks of their colors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopLevel {
    pub(crate) servers: [Server; 2],
    pub(crate) locks: Locks,
}

/// Why a top level cannot be analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopLevelError {
    /// The locks are not those of two colors; holds how many there are.
    Colors(usize),
    /// A length exceeds 64 bits, or the table 2⁶².
    Overflow,
    /// The table has more than [`MAX_PERIODS`] server periods; holds its length and their number.
    TooLong(Time, Time),
    /// The patience was over before there was a verdict.
    Stopped,
}

/// Longest table that is built, in server periods and retention times.
pub const MAX_PERIODS: Time = 1 << 20;

impl fmt::Display for TopLevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TopLevelError::Colors(found) => write!(f, "there are locks of {found} colors; two servers own two colors"),
            TopLevelError::Overflow => Overflow.fmt(f),
            TopLevelError::Stopped => f.write_str(STOPPED),
            TopLevelError::TooLong(length, periods) => write!(
                f,
                "the table repeats after {length} and {periods} periods, more than {MAX_PERIODS}: choose server periods \
                 that share more factors with the retention time"
            ),
        }
    }
}

impl std::error::Error for TopLevelError {}

impl From<Overflow> for TopLevelError {
    fn from(_: Overflow) -> Self {
        TopLevelError::Overflow
    }
}

impl TopLevel {
    /// Two servers under the locks of their two colors.
    pub fn new(servers: [Server; 2], locks: Locks) -> Result<Self, TopLevelError> {
        match locks.colors().len() {
            2 => Ok(TopLevel { servers, locks }),
            found => Err(TopLevelError::Colors(found)),
        }
    }

    /// The servers, highest priority first; server `c` owns color `c`.
    pub fn servers(&self) -> [Server; 2] {
        self.servers
    }

    /// The locks of both colors.
    pub fn locks(&self) -> &Locks {
        &self.locks
    }

    /// L = lcm(p1, p2, tRET): what the top level does repeats after it.
    ///
    /// # Errors
    /// If it does not fit 64 bits or holds more than [`MAX_PERIODS`] periods.
    pub fn repeat(&self) -> Result<Time, TopLevelError> {
        let [a, b] = self.servers.map(|server| server.period);
        repeat([a, b, self.locks.retention()])
    }
}

/// Least common multiple of periods, of which it may hold [`MAX_PERIODS`] in all.
fn repeat<const N: usize>(periods: [Time; N]) -> Result<Time, TopLevelError> {
    let length = lcm_all(periods)?;
    if length > 1 << 62 {
        return Err(TopLevelError::Overflow);
    }
    let count = periods
        .iter()
        .map(|period| length / period)
        .fold(0, Time::saturating_add);
    if count > MAX_PERIODS {
        Err(TopLevelError::TooLong(length, count))
    } else {
        Ok(length)
    }
}
