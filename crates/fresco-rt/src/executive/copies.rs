// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a copy from instance to instance costs and when it pays (F12, CR-22, CR-23).

use crate::supply::Ratio;
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
    fn bytes_within(self, time: u128) -> u64 {
        let (rate, crossings) = self.parts();
        let bytes = time.saturating_mul(u128::from(rate)) / (u128::from(crossings) * 1_000_000_000);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// Break-even as published (CR-22): the most global data for which one copy per job costs no more than the refreshes a job
/// would meet, `tRFC / tREFI · e`. A sufficient test: with antipodal instances there are two copies per retention period,
/// not one per job.
pub fn break_even_published(wcet: Time, trfc: Time, trefi: Ratio, bandwidth: Bandwidth) -> u64 {
    if trefi.num() == 0 {
        return u64::MAX;
    }
    let stall = u128::from(wcet) * u128::from(trfc) * u128::from(trefi.den()) / u128::from(trefi.num());
    bandwidth.bytes_within(stall)
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
    fn published_example_breaks_even_below_half_a_megabyte() {
        let trefi = Ratio::new(7800, 1).unwrap();
        let copied = break_even_published(1_000_000, 350, trefi, Bandwidth::Copied(TEN_GB));
        assert_eq!(copied, 448_710, "0.449 MB, not 0.5 (E14)");
        assert_eq!(
            break_even_published(1_000_000, 350, trefi, Bandwidth::Bus(TEN_GB)),
            224_355
        );
        assert_eq!(
            Bandwidth::Copied(TEN_GB).copy_time(500_000),
            Some(50_000),
            "above the 44.87 us of refresh"
        );
        assert_eq!(
            2 * 250 * 250 * size_of::<f64>(),
            1_000_000,
            "two 250 x 250 matrices are not below 0.5 MB (E14)"
        );
    }

    #[test]
    fn two_copies_per_retention_period_pay_for_much_more() {
        let task = Task::new("t", 0, 20_000_000, 4_000_000, 20_000_000).unwrap();
        assert_eq!(break_even(&task, 8192 * 350, 2, Bandwidth::Copied(TEN_GB)), 2_867_200);
        assert_eq!(Bandwidth::Copied(0).copy_time(1), None);
    }
}
