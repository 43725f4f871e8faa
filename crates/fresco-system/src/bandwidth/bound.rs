// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much longer a task may take among others, from the reservations alone (LIM-1, LIM-16).
//!
//! A period in which the task is not stalled goes by with the others' lines at most: each delays it by the time that a
//! line takes of a bank, once. What they leave it uses for what it would do alone, and for rows that the others have
//! closed: one line's time more for each line of its own. A period in which it is stalled has brought it the lines of its
//! reservation. So work that takes `T` alone, with `N` lines, takes at most
//!
//! ```text
//! R <= (T + N t) / (1 - U - o) + P N / Q + 2 P
//! ```
//!
//! with `t` the time of a line at worst, `P` the period, `Q` the lines of its reservation in it, `U` the share of a period
//! that the lines of all others take (their reservations, and what they may have under way when they are stalled) and `o` the
//! share that its own interrupts take. The two periods are those in which the work begins and ends.
//!
//! It holds if all lines are counted (write-backs too), if the task's misses are not changed by the others (it has LLC
//! colors or a cache of its own), and if what it reserved is not donated (a hard reservation, or no reclaiming).

/// What the bound is computed from. All lines in lines, all times in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Bandwidth of the task alone: `N` lines in `T`.
    pub alone: (u64, u64),
    /// Lines of its reservation in a period.
    pub reserved: u64,
    /// Lines that all others may move in a period.
    pub others: u64,
    /// Time of a line at worst.
    pub line: u64,
    /// The period.
    pub period: u64,
    /// Time of its own interrupts in a period.
    pub interrupts: u64,
    /// Measured length of its run among the others.
    pub run: u64,
}

/// The most by which the task is slowed down; `None` if the others may take all of the time, or its run is shorter than
/// two periods, or it reserved nothing.
pub fn slowdown(work: &Work) -> Option<f64> {
    let (lines, time) = (work.alone.0 as f64, work.alone.1 as f64);
    let period = work.period as f64;
    let taken = (work.others as f64 * work.line as f64 + work.interrupts as f64) / period;
    let ends = 2.0 * period / work.run as f64;
    if work.reserved == 0 || time <= 0.0 || taken >= 1.0 || ends >= 1.0 {
        return None;
    }
    let going = (time + lines * work.line as f64) / (1.0 - taken);
    let stalled = period * lines / work.reserved as f64;
    // The two periods at the ends are a part of the measured run, not of the time alone.
    Some((going + stalled) / time / (1.0 - ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Work = Work {
        alone: (1_000_000, 1_000_000_000_000),
        reserved: 2_000,
        others: 4_000,
        line: 100_000,
        period: 1_000_000_000,
        interrupts: 0,
        run: 2_000_000_000_000,
    };

    #[test]
    fn a_worked_example() {
        // A line each microsecond, which may take 0.1 us more; the others take 40 % of the time: 1.1 / 0.6. It uses half
        // of what it reserved: 0.5 for stalls. Two of 2000 periods are ends.
        let bound = slowdown(&WORK).unwrap_or_default();
        assert!((bound - (1.1 / 0.6 + 0.5) / 0.999).abs() < 1e-12, "{bound}");
    }

    #[test]
    fn no_bound_where_others_may_take_everything() {
        assert_eq!(slowdown(&Work { others: 10_000, ..WORK }), None);
        assert_eq!(slowdown(&Work { reserved: 0, ..WORK }), None);
        assert_eq!(
            slowdown(&Work {
                run: 2 * WORK.period,
                ..WORK
            }),
            None
        );
    }
}
