// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges whether refreshes in windows keep within what DDR3 and DDR4 let a controller postpone.
//!
//! The kernel module judges a schedule once more, by code of its own (`kernel/refresh/judge.c`).

use fresco_rt::Time;

/// REFs that may be postponed (JESD79-3, JESD79-4, the latter in its 1x mode), ...
const POSTPONED: u64 = 8;
/// ... and the most within 2 tREFI.
const AT_ONCE: usize = 16;

/// Refreshes of a rank that repeat, in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refreshes {
    /// They repeat after it.
    pub period: Time,
    /// When each begins, ascending, below `period`; one or more.
    pub at: Vec<Time>,
    /// Each may begin so much later.
    pub lateness: Time,
    /// No row may wait longer.
    pub retention: Time,
    /// REFs that refresh all rows; tREFI is `retention / commands`.
    pub commands: u64,
}

impl Refreshes {
    /// What exceeds the limits first, in words; `None` if nothing does.
    ///
    /// Refreshes owed are counted from each REF on as from a fresh start: one each tREFI. Late REFs are those that end a wait.
    pub fn exceeds(&self) -> Option<String> {
        let count = self.at.len() as u128;
        let (period, retention, commands) = (
            u128::from(self.period),
            u128::from(self.retention),
            u128::from(self.commands),
        );
        if count * retention < commands * period {
            return Some(format!(
                "{count} refreshes of a rank in {period} ns, fewer than {commands} in {retention} ns"
            ));
        }
        let owed = |wait: u128| wait * commands;
        // One behind the other over two turns: later turns owe no more.
        let times: Vec<u128> = (0..3u128)
            .flat_map(|turn| self.at.iter().map(move |&at| turn * period + u128::from(at)))
            .collect();
        let late = u128::from(self.lateness);
        for (pair, gap) in times.windows(2).map(|pair| (pair, pair[1] - pair[0] + late)) {
            if owed(gap) > u128::from(POSTPONED + 1) * retention {
                return Some(format!(
                    "up to {gap} ns between two refreshes of a rank, from {} ns on and with {late} ns of jitter, more than {} ns",
                    pair[0],
                    u128::from(POSTPONED + 1) * retention / commands
                ));
            }
        }
        // balance: tREFIs passed less REFs sent, since the moment at which it was least.
        let mut least = 0;
        for (sent, &at) in times.iter().enumerate() {
            let balance = owed(at - times[0]) as i128 - (sent as u128 * retention) as i128;
            least = least.min(balance);
            if balance + owed(late) as i128 - least > (u128::from(POSTPONED) * retention) as i128 {
                return Some(format!(
                    "more than {POSTPONED} refreshes of a rank postponed at {at} ns"
                ));
            }
        }
        let after = |number: usize, more: u64| {
            let number = number as u128 + u128::from(more);
            u128::from(self.at[(number % count) as usize]) + number / count * period
        };
        for (number, &at) in self.at.iter().enumerate() {
            let wait = after(number, self.commands) + late - u128::from(at);
            if wait > retention {
                return Some(format!(
                    "a row that is refreshed at {at} ns and waits for {wait} ns with {late} ns of jitter, more than {retention} ns"
                ));
            }
            let burst = after(number, AT_ONCE as u64) - u128::from(at);
            if owed(burst) < 2 * retention + owed(late) {
                return Some(format!(
                    "more than {AT_ONCE} refreshes of a rank within 2 tREFI, from {at} ns on"
                ));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 64 ms in 8192: tREFI is 7812.5 ns.
    fn evenly(number: u64, period: Time) -> Refreshes {
        Refreshes {
            period,
            at: (0..number).map(|k| k * period / number).collect(),
            lateness: 1000,
            retention: 64_000_000,
            commands: 8192,
        }
    }

    #[test]
    fn limits_by_hand() {
        assert_eq!(evenly(10, 70_000).exceeds(), None);
        let said = |refreshes: Refreshes| refreshes.exceeds().expect("exceeds a limit");
        assert!(said(evenly(8, 70_000)).starts_with("8 refreshes of a rank in 70000 ns, fewer than"));
        // 9 tREFI are 70312.5 ns: with 1000 ns of jitter 69312 are left.
        let bursts = |gap: Time| Refreshes {
            at: (0..10).map(|k| k * 350).collect(),
            ..evenly(1, gap + 9 * 350)
        };
        assert_eq!(bursts(69_312).exceeds(), None);
        assert!(said(bursts(69_313)).starts_with("up to 70313 ns between two refreshes of a rank, from 3150 ns on"));
        // Exactly as many as needed leave no room for lateness.
        assert!(said(evenly(8192, 64_000_000)).contains("waits for 64001000 ns"));
        assert!(
            said(Refreshes {
                at: (0..40).map(|k| k * 350).collect(),
                ..evenly(1, 60_000)
            })
            .contains("more than 16")
        );
        // Two gaps of 8 tREFI with one REF between: no gap is too long, but 14 are owed.
        let mut sparse = evenly(1, 140_000);
        sparse.at = std::iter::once(62_500)
            .chain((0..18).map(|k| 120_000 + k * 1000))
            .collect();
        assert!(said(sparse).contains("more than 8 refreshes of a rank postponed"));
    }
}
