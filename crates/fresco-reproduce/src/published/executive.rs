// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colored Refresh's statements on cyclic executives as printed: kinds of tasks (CR-18, CR-19), fusion of
//! frames (CR-9), and when copies pay (CR-22).

use fresco_rt::executive::Bandwidth;
use fresco_rt::supply::Ratio;
use fresco_rt::{Task, Time};

/// Long: `p ≥ R` and `p − e < R / K`. The class decides nothing: a task can be hidden with one color iff it
/// has an avoidable color ([`Problem::avoidable_colors`](fresco_rt::executive::Problem::avoidable_colors)).
pub fn is_long(task: &Task, retention: Time, ranks: usize) -> bool {
    let slack = u128::from(task.period - task.wcet) * ranks as u128;
    task.period >= retention && slack < u128::from(retention)
}

/// Short: `p < 2 R / K`. In frame mode such a task needs copies if a window lies inside a color frame of
/// every color, which is certain only from `p ≤ f' / 2` down.
pub fn is_short(task: &Task, retention: Time, ranks: usize) -> bool {
    u128::from(task.period) * (ranks as u128) < 2 * u128::from(retention)
}

/// Utilisation that a long task can have (CR-18), `1 − tRFC / tREFI · rankReq / K`: right only where 8192 commands serve all
/// ranks together (E17). `None` beyond 64 bits or with a zero interval or no rank.
pub fn long_task_limit(ranks_needed: usize, ranks: usize, trfc: Time, trefi: Ratio) -> Option<Ratio> {
    let whole = trefi.num().checked_mul(ranks as Time)?;
    let lost = trfc.checked_mul(trefi.den())?.checked_mul(ranks_needed as Time)?;
    Ratio::new(whole.saturating_sub(lost), whole)
}

/// Break-even (CR-22): the most global data for which one copy per job costs no more than the refreshes a job
/// would meet, `tRFC / tREFI · e`. A sufficient test: with antipodal instances there are two copies per retention period,
/// not one per job.
pub fn break_even(wcet: Time, trfc: Time, trefi: Ratio, bandwidth: Bandwidth) -> u64 {
    if trefi.num() == 0 {
        return u64::MAX;
    }
    let stall = u128::from(wcet) * u128::from(trfc) * u128::from(trefi.den()) / u128::from(trefi.num());
    bandwidth.bytes_within(stall)
}

/// Algorithm 6, on the grid of multiples of `step ≥ 1` up to half the least deadline: `(f, f')`.
/// Its faults (E8, CON-10):
///
/// - frames ascend from the least, which is returned whenever it divides `R / K`: as short as the grid allows;
/// - `f'` grows before the first test, so that `f = R / K` is never accepted with one frame and gives `f' = 2 R / K`;
/// - `R mod f' = 0` is not tested: with an odd number of ranks `2 R / K` is returned that does not divide `R`, with one
///   rank an `f'` beyond `R`;
/// - whether windows hold a frame, jobs fit frames, or the burst fits `f'` is not asked.
///
/// `None` if the grid has no such frame, or `ranks` is 0 or does not divide `retention`.
pub fn fuse(retention: Time, ranks: usize, least_deadline: Time, step: Time) -> Option<(Time, Time)> {
    if ranks == 0 || step == 0 || !retention.is_multiple_of(ranks as Time) {
        return None;
    }
    let share = retention / ranks as Time;
    for frame in (1..=least_deadline / 2 / step).map(|count| count * step) {
        let (mut fused, mut count) = (frame, 1);
        while fused <= retention {
            fused += frame;
            count += 1;
            if fused.is_multiple_of(share) && Time::is_multiple_of(count, fused / share) {
                return Some((frame, fused));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN_GB: u64 = 10_000_000_000;

    fn task(period: Time, wcet: Time) -> Task {
        Task::new("t", 0, period, wcet, period).unwrap()
    }

    #[test]
    fn classes_of_64_ms_and_8_ranks() {
        assert!(is_long(&task(64, 57), 64, 8));
        assert!(!is_long(&task(64, 56), 64, 8));
        assert!(is_short(&task(15, 1), 64, 8));
        assert!(!is_short(&task(16, 1), 64, 8));
    }

    #[test]
    fn the_limit_of_long_tasks_is_that_of_one_refresh_for_all_ranks() {
        let trefi = Ratio::new(64_000_000, 8192).unwrap();
        let published = long_task_limit(1, 8, 350, trefi).unwrap();
        assert_eq!(
            published,
            Ratio::new(64_000_000 * 8 - 8192 * 350, 64_000_000 * 8).unwrap()
        );
        let exact = fresco_rt::executive::long_task_limit(1, 8192 * 350, 64_000_000);
        assert!(exact < published, "E17");
    }

    #[test]
    fn published_example_breaks_even_below_half_a_megabyte() {
        let trefi = Ratio::new(7800, 1).unwrap();
        let copied = break_even(1_000_000, 350, trefi, Bandwidth::Copied(TEN_GB));
        assert_eq!(copied, 448_710, "0.449 MB, not 0.5 (E14)");
        assert_eq!(break_even(1_000_000, 350, trefi, Bandwidth::Bus(TEN_GB)), 224_355);
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
    fn published_algorithm_returns_the_least_frame_and_skips_one() {
        assert_eq!(fuse(64, 8, 20, 1), Some((1, 8)), "the least frame of the grid");
        assert_eq!(
            fuse(64_000, 8, 20_000, 1),
            Some((1, 8000)),
            "a finer grid, a shorter frame"
        );
        assert_eq!(fuse(64, 8, 20, 8), Some((8, 16)), "one frame is never enough");
        assert_eq!(fuse(60, 3, 40, 20), Some((20, 40)), "40 does not divide 60");
        assert_eq!(fuse(60, 1, 120, 60), Some((60, 120)), "beyond the retention period");
        assert_eq!(fuse(64, 8, 1, 1), None);
    }
}
