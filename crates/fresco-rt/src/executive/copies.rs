// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a copy from instance to instance costs and when it pays (F12, CR-22, CR-23).

use crate::task::Task;
use crate::time::Time;

/// What a bandwidth counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bandwidth {
    /// Bytes copied per second.
    Copied(u64),
    /// Bytes that cross the memory bus per second; a copy crosses it twice, read and written.
    Bus(u64),
}

impl Bandwidth {
    /// Bytes per second and crossings of a copy.
    fn parts(self) -> (u64, u64) {
        match self {
            Bandwidth::Copied(rate) => (rate, 1),
            Bandwidth::Bus(rate) => (rate, 2),
        }
    }

    /// c = g / bandwidth in ns, rounded up; `None` if the bandwidth is 0 or the time exceeds 64 bits. Errata E15: the
    /// published product of size and bandwidth is no time.
    pub fn copy_time(self, bytes: u64) -> Option<Time> {
        let (rate, crossings) = self.parts();
        let work = u128::from(bytes) * u128::from(crossings) * 1_000_000_000;
        (rate > 0)
            .then(|| work.div_ceil(u128::from(rate)))
            .and_then(|time| Time::try_from(time).ok())
    }

    /// Most bytes that can be copied within `time` ns.
    pub fn bytes_within(self, time: u128) -> u64 {
        let (rate, crossings) = self.parts();
        let bytes = time.saturating_mul(u128::from(rate)) / (u128::from(crossings) * 1_000_000_000);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// Break-even over a retention period (F12): the most global data for which `switches ≥ 1` copies per retention period
/// cost no more than the refresh the task would meet in it, `U δ`.
pub fn break_even(task: &Task, burst: Time, switches: u64, bandwidth: Bandwidth) -> u64 {
    let met = u128::from(task.wcet) * u128::from(burst) / u128::from(task.period);
    bandwidth.bytes_within(met / u128::from(switches.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN_GB: u64 = 10_000_000_000;

    #[test]
    fn two_copies_per_retention_period_pay_for_much_more() {
        let task = Task::new("t", 0, 20_000_000, 4_000_000, 20_000_000).unwrap();
        assert_eq!(break_even(&task, 8192 * 350, 2, Bandwidth::Copied(TEN_GB)), 2_867_200);
        assert_eq!(Bandwidth::Copied(0).copy_time(1), None);
        assert_eq!(Bandwidth::Copied(TEN_GB).copy_time(500_000), Some(50_000));
    }
}
