// SPDX-License-Identifier: MIT OR Apache-2.0
//! When colors are locked: a burst of refreshes per color and retention time, between a lock and an unlock task.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// The refresh of one color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColorLock {
    /// Release of the lock task inside every retention time.
    pub phase: Time,
    /// δ: length of the burst.
    pub burst: Time,
}

/// The refresh of all colors: period tRET, lock and unlock tasks above everything else (CRS-3, CRS-6).
///
/// Kept by [`Locks::new`]: windows of different colors are disjoint, and none crosses a multiple of the retention time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locks {
    retention: Time,
    lock_cost: Time,
    unlock_cost: Time,
    colors: Vec<ColorLock>,
}

/// One lock window `[start, end)` of a color (F16): the lock task, the burst, the unlock task.
///
/// The unlock task is released by a timer at the end of the burst as analysed, never by its completion (E19, E32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockWindow {
    /// Release of the lock task, which at once takes the processor; from here on the color is locked.
    pub start: Time,
    /// End of the lock task, first refresh.
    pub burst_start: Time,
    /// End of the last refresh, release of the unlock task.
    pub burst_end: Time,
    /// End of the unlock task; from here on the color is free.
    pub end: Time,
}

/// Why locks are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockError {
    /// The retention time is 0 or beyond 2⁴⁸; holds it.
    Retention(Time),
    /// The window of this color does not end within the retention time; holds the color and the retention time.
    Crossing(usize, Time),
    /// The windows of these two colors overlap.
    Overlap(usize, usize),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockError::Retention(found) => write!(f, "the retention time is {found}; it is between 1 and 2^48"),
            LockError::Crossing(color, retention) => {
                write!(
                    f,
                    "the lock window of color {color} does not end within the retention time of {retention}"
                )
            }
            LockError::Overlap(a, b) => write!(f, "the lock windows of colors {a} and {b} overlap"),
        }
    }
}

impl std::error::Error for LockError {}

impl Locks {
    /// Locks of all colors; `lock_cost` is e_rl, `unlock_cost` e_ru.
    pub fn new(retention: Time, lock_cost: Time, unlock_cost: Time, colors: Vec<ColorLock>) -> Result<Self, LockError> {
        if !(1..=1 << 48).contains(&retention) {
            return Err(LockError::Retention(retention));
        }
        let mut windows = Vec::with_capacity(colors.len());
        for (color, lock) in colors.iter().enumerate() {
            let parts = [lock.phase, lock_cost, lock.burst, unlock_cost];
            match parts.into_iter().try_fold(0, |sum: Time, part| sum.checked_add(part)) {
                Some(end) if end <= retention => windows.push((lock.phase, end, color)),
                _ => return Err(LockError::Crossing(color, retention)),
            }
        }
        windows.sort_unstable();
        if let Some(pair) = windows.windows(2).find(|pair| pair[1].0 < pair[0].1) {
            return Err(LockError::Overlap(pair[0].2, pair[1].2));
        }
        Ok(Locks {
            retention,
            lock_cost,
            unlock_cost,
            colors,
        })
    }

    /// The two colors of the Colored Refresh Server: the first is locked at tRET/2, the second at 0 (§5.3.4, E18).
    pub fn of_two_servers(retention: Time, burst: Time, lock_cost: Time, unlock_cost: Time) -> Result<Self, LockError> {
        let color = |phase| ColorLock { phase, burst };
        Locks::new(retention, lock_cost, unlock_cost, vec![color(retention / 2), color(0)])
    }

    /// tRET.
    pub fn retention(&self) -> Time {
        self.retention
    }

    /// e_rl.
    pub fn lock_cost(&self) -> Time {
        self.lock_cost
    }

    /// e_ru.
    pub fn unlock_cost(&self) -> Time {
        self.unlock_cost
    }

    /// Phase and burst of each color.
    pub fn colors(&self) -> &[ColorLock] {
        &self.colors
    }

    /// B: length of a lock window of `color` (F16).
    pub fn window_length(&self, color: usize) -> Time {
        self.lock_cost + self.colors[color].burst + self.unlock_cost
    }

    /// The window of `color` in retention time `k`.
    pub fn window(&self, color: usize, k: Time) -> LockWindow {
        let start = self.colors[color].phase + k * self.retention;
        let burst_start = start + self.lock_cost;
        let burst_end = burst_start + self.colors[color].burst;
        LockWindow {
            start,
            burst_start,
            burst_end,
            end: burst_end + self.unlock_cost,
        }
    }

    /// Windows of `color` that begin before `length`.
    pub fn windows_before(&self, color: usize, length: Time) -> impl Iterator<Item = LockWindow> + '_ {
        let phase = self.colors[color].phase;
        let count = length
            .checked_sub(phase)
            .map_or(0, |rest| rest.div_ceil(self.retention));
        (0..count).map(move |k| self.window(color, k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlock_follows_the_whole_burst() {
        let locks = Locks::of_two_servers(64, 10, 1, 2).unwrap();
        assert_eq!(
            locks.window(0, 1),
            LockWindow {
                start: 96,
                burst_start: 97,
                burst_end: 107,
                end: 109
            }
        );
        assert_eq!(locks.window_length(1), 13);
        assert_eq!(
            locks.windows_before(1, 129).map(|w| w.start).collect::<Vec<_>>(),
            [0, 64, 128]
        );
    }

    #[test]
    fn windows_that_meet_are_refused() {
        assert_eq!(Locks::of_two_servers(64, 33, 0, 0), Err(LockError::Crossing(0, 64)));
        let colors = vec![ColorLock { phase: 10, burst: 8 }, ColorLock { phase: 0, burst: 9 }];
        assert_eq!(Locks::new(64, 1, 1, colors), Err(LockError::Overlap(1, 0)));
        assert_eq!(Locks::new(0, 0, 0, vec![]), Err(LockError::Retention(0)));
    }
}
