// SPDX-License-Identifier: MIT OR Apache-2.0
//! When the bursts of a device are due.

use fresco_dram::{NEVER, Ps};

/// Picoseconds of a second.
const SECOND: u128 = 1_000_000_000_000;

/// A steady rate while the device is active: burst n is due as soon as all before it, moved at this rate, would be over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// When the device begins; [`NEVER`] before that is known.
    pub begin: Ps,
    /// Bytes of a burst.
    pub burst_bytes: u64,
    /// Bytes per second; `None` for as many as it can.
    pub rate: Option<u64>,
    /// For how long it is active, and then not.
    pub phases: Option<(Ps, Ps)>,
}

impl Pace {
    /// When a burst is due, counted from 0, if the one before was sent at `last`. The rate does not drift: a burst that was late changes
    /// nothing for those after it.
    pub fn due(&self, number: u64, last: Ps) -> Ps {
        if self.begin == NEVER {
            return NEVER;
        }
        match self.rate {
            Some(rate) => {
                let active = u128::from(number) * u128::from(self.burst_bytes) * SECOND / u128::from(rate);
                u64::try_from(active).map_or(NEVER, |active| self.at(active))
            }
            None => self.active_from(last.max(self.begin)),
        }
    }

    /// The time at which the device has been active for so long.
    fn at(&self, active: Ps) -> Ps {
        let pauses = self.phases.map_or(0, |(length, pause)| active / length * pause);
        self.begin.saturating_add(active).saturating_add(pauses)
    }

    /// The first time from `time` on at which it is active.
    fn active_from(&self, time: Ps) -> Ps {
        let Some((length, pause)) = self.phases else {
            return time;
        };
        let since = time - self.begin;
        let within = since % (length + pause);
        if within < length {
            time
        } else {
            time - within + length + pause
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(rate: Option<u64>, phases: Option<(Ps, Ps)>) -> Pace {
        Pace {
            begin: 500,
            burst_bytes: 128,
            rate,
            phases,
        }
    }

    #[test]
    fn bursts_keep_the_rate_without_drift() {
        // 128 bytes at 3 GB/s: 42,666 2/3 ps.
        let steady = pace(Some(3_000_000_000), None);
        let due: Vec<Ps> = [0, 1, 2, 3, 300].into_iter().map(|n| steady.due(n, 0)).collect();
        assert_eq!(due, [500, 43_166, 85_833, 128_500, 12_800_500]);
        assert_eq!(Pace { begin: NEVER, ..steady }.due(0, 0), NEVER);
    }

    #[test]
    fn pauses_stretch_the_time_but_not_the_rate_within() {
        // 64 GB/s: 2000 ps for a burst; three are due in 6000 ps, then 10,000 ps of pause.
        let paused = pace(Some(64_000_000_000), Some((6000, 10_000)));
        let due: Vec<Ps> = (0..5).map(|n| paused.due(n, 0)).collect();
        assert_eq!(due, [500, 2500, 4500, 16_500, 18_500]);
    }

    #[test]
    fn without_a_rate_the_next_is_due_at_once_but_in_a_pause() {
        let (free, paused) = (pace(None, None), pace(None, Some((6000, 10_000))));
        assert_eq!((free.due(7, 0), free.due(7, 9000)), (500, 9000));
        assert_eq!((paused.due(7, 6499), paused.due(7, 6500)), (6499, 16_500));
    }
}
