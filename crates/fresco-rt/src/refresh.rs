// SPDX-License-Identifier: MIT OR Apache-2.0
//! What refresh costs: tRFC by density, the length of a burst under both readings, and execution times under auto-refresh.
//!
//! All times are nanoseconds.

use serde::{Deserialize, Serialize};

use crate::supply::Ratio;
use crate::time::Time;

/// All-bank refresh commands that a rank needs per retention time (JEDEC DDR3, DDR4).
pub const COMMANDS: Time = 8192;

/// tRET up to 85 °C.
pub const RETENTION: Time = 64_000_000;

/// tRET above 85 °C.
pub const RETENTION_HOT: Time = 32_000_000;

/// Density of a DRAM chip, with its tRFC (Tables 4.1 and 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Density {
    /// 1 Gb.
    Gb1,
    /// 2 Gb.
    Gb2,
    /// 4 Gb.
    Gb4,
    /// 8 Gb.
    Gb8,
    /// 16 Gb.
    Gb16,
    /// 32 Gb: tRFC is a projection.
    Gb32,
    /// 64 Gb: tRFC is a projection.
    Gb64,
}

impl Density {
    /// All densities, ascending.
    pub const ALL: [Density; 7] = [
        Density::Gb1,
        Density::Gb2,
        Density::Gb4,
        Density::Gb8,
        Density::Gb16,
        Density::Gb32,
        Density::Gb64,
    ];

    /// Gigabits per chip.
    pub fn gigabits(self) -> u32 {
        1 << self as u32
    }

    /// The density of a chip of so many gigabits; `None` if its tRFC is not known.
    pub fn from_gigabits(gigabits: u32) -> Option<Self> {
        Density::ALL.into_iter().find(|density| density.gigabits() == gigabits)
    }

    /// tRFC of an all-bank refresh, in ns.
    pub fn trfc(self) -> Time {
        match self {
            Density::Gb1 => 110,
            Density::Gb2 => 160,
            Density::Gb4 => 260,
            Density::Gb8 => 350,
            Density::Gb16 => 550,
            Density::Gb32 => 1000,
            Density::Gb64 => 2000,
        }
    }

    /// tRFC1, tRFC2 and tRFC4 of fine granularity refresh, in ns; `None` where the standard has none (JEDEC DDR4).
    ///
    /// At 2x and 4x the interval is a half and a quarter while tRFC shrinks less, so the share of time lost rises (E31).
    pub fn fine_granularity(self) -> Option<[Time; 3]> {
        match self {
            Density::Gb4 => Some([260, 160, 110]),
            Density::Gb8 => Some([350, 260, 160]),
            Density::Gb16 => Some([550, 350, 260]),
            _ => None,
        }
    }
}

/// How long the burst of a color is (CON-12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Burst {
    /// 8192 commands: what every rank of the color needs; the ranks of a color are refreshed in parallel.
    Standard,
    /// 8192 / ranks commands, the reading behind "less than 0.2 ms" in §5.3.4 (E1): refreshes an eighth of the rows of
    /// eight ranks. For comparison with the published numbers only.
    AsPublished {
        /// Ranks of the memory, at least 1.
        ranks: Time,
    },
    /// As [`Burst::Standard`], with at most 8 commands in any `32 tRFC` (LPDDR2: tREFBW): four times as long.
    Lpddr2,
}

impl Burst {
    /// δ in ns: time from the first command to the end of the last.
    pub fn length(self, density: Density) -> Time {
        match self {
            Burst::Standard => COMMANDS * density.trfc(),
            Burst::AsPublished { ranks } => COMMANDS / ranks.max(1) * density.trfc(),
            Burst::Lpddr2 => 4 * COMMANDS * density.trfc(),
        }
    }
}

/// tREFI = retention / 8192, kept exact: 7812.5 ns.
pub fn refresh_interval(retention: Time) -> Ratio {
    Ratio::new(retention, COMMANDS).expect("there are commands")
}

/// What one refresh takes from who accesses memory, in ns (E35): tRFC (`trfc`), the time in which begun accesses end and rows are closed
/// before it (`close_ps`), and tRCD (`open_row_ps`) for each of the `rows` that were open and would have been hit. The two are picoseconds, so that rows
/// are not rounded one by one.
pub fn stall(trfc: Time, close_ps: u64, open_row_ps: u64, rows: u64) -> Time {
    let around = u128::from(close_ps) + u128::from(open_row_ps) * u128::from(rows);
    let around = Time::try_from(around.div_ceil(1000)).unwrap_or(Time::MAX);
    trfc.saturating_add(around)
}

/// Commands beyond those that refresh every row, in each retention time, so that bursts or segments may begin up to `jitter` late: each
/// brings the next command for a row forward by tRFC, at least. One more covers what rounding to clocks takes off. 0 without jitter.
pub fn for_jitter(jitter: Time, trfc: Time) -> Time {
    match jitter {
        0 => 0,
        _ => jitter.div_ceil(trfc.max(1)).saturating_add(1),
    }
}

/// F15 (corrected E6): execution time when a refresh may stall for `stall` in every `interval`, the least fixed point of
/// `e(n) = e(0) + stall · ⌈e(n−1) / interval⌉`; `None` if refresh takes all the time or the result exceeds 64 bits.
pub fn padded(wcet: Time, stall: Time, interval: Ratio) -> Option<Time> {
    let (num, den) = (u128::from(interval.num()), u128::from(interval.den()));
    if num == 0 || u128::from(stall) * den >= num {
        return None;
    }
    let mut padded = wcet;
    loop {
        let begun = (u128::from(padded) * den).div_ceil(num);
        let next = begun.checked_mul(u128::from(stall))?.checked_add(u128::from(wcet))?;
        let next = Time::try_from(next).ok()?;
        if next == padded {
            return Some(padded);
        }
        padded = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_of_both_readings() {
        let standard = Density::ALL.map(|d| Burst::Standard.length(d));
        assert_eq!(
            standard,
            [
                901_120, 1_310_720, 2_129_920, 2_867_200, 4_505_600, 8_192_000, 16_384_000
            ]
        );
        let published = Density::ALL.map(|d| Burst::AsPublished { ranks: 8 }.length(d));
        assert_eq!(
            published,
            [112_640, 163_840, 266_240, 358_400, 563_200, 1_024_000, 2_048_000]
        );
        assert_eq!(Burst::Lpddr2.length(Density::Gb4), 8_519_680);
        assert_eq!(Density::from_gigabits(16), Some(Density::Gb16));
        assert_eq!(Density::from_gigabits(128), None);
    }

    /// E35: DDR3-1600 of 16 Gb by the co-design's table, tRP = tRCD = 13.75 ns: one row, and a row in each of 16 banks.
    #[test]
    fn every_open_row_costs_an_activation() {
        assert_eq!(stall(530, 13_750, 13_750, 1), 558);
        assert_eq!(stall(530, 13_750, 13_750, 16), 764);
        assert_eq!(stall(Time::MAX, 1, 1, 1), Time::MAX);
    }

    #[test]
    fn the_interval_is_not_rounded() {
        assert_eq!(refresh_interval(RETENTION).to_f64(), 7812.5);
        // Exactly one interval of execution holds one refresh, and the stall reaches into the next.
        assert_eq!(padded(7812, 350, refresh_interval(RETENTION)), Some(7812 + 2 * 350));
        assert_eq!(padded(1, 350, refresh_interval(RETENTION)), Some(351));
        assert_eq!(padded(100, 8000, refresh_interval(RETENTION)), None);
    }

    /// The finer the refresh, the more time it takes.
    #[test]
    fn fine_granularity_costs_more() {
        for density in Density::ALL {
            if let Some([whole, half, quarter]) = density.fine_granularity() {
                assert_eq!(whole, density.trfc());
                assert!(whole < 2 * half && 2 * half < 4 * quarter);
            }
        }
    }
}
