// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where periods come from.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::shares::unit;
use crate::time::{Time, divisors};

/// Where periods come from, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Periods {
    /// One of these, all alike.
    List(Vec<Time>),
    /// Log-uniform: every octave alike.
    LogUniform {
        /// Least period.
        least: Time,
        /// Greatest period.
        most: Time,
        /// Periods are multiples of it.
        step: Time,
    },
}

/// Longest period: 1000 s.
const LONGEST: Time = 1_000_000_000_000;

impl Periods {
    /// The divisors of `whole` from `least` to `most`: the common multiple of the periods is at most `whole`.
    pub fn divisors(whole: Time, least: Time, most: Time) -> Self {
        let within = |period: &Time| (least..=most).contains(period);
        Periods::List(divisors(whole).into_iter().filter(within).collect())
    }

    /// `count` harmonic periods, each twice the one before.
    pub fn harmonic(least: Time, count: u32) -> Self {
        let doubled = (0..count.min(64)).map_while(|k| least.checked_mul(1 << k));
        Periods::List(doubled.collect())
    }

    /// Whether there is any, and all are from 1 ns to 1000 s.
    pub(super) fn are_possible(&self) -> bool {
        match self {
            Periods::List(list) => !list.is_empty() && list.iter().all(|period| (1..=LONGEST).contains(period)),
            Periods::LogUniform { least, most, step } => {
                1 <= *step && step <= least && least <= most && *most <= LONGEST
            }
        }
    }

    /// One of them, which must be possible.
    pub(super) fn draw(&self, rng: &mut impl Rng) -> Time {
        match self {
            Periods::List(list) => list[rng.random_range(0..list.len())],
            Periods::LogUniform { least, most, step } => {
                let ratio = *most as f64 / *least as f64;
                let period = *least as f64 * ratio.powf(unit(rng));
                let nearest = (period / *step as f64).round() as Time * step;
                nearest.clamp(
                    least.next_multiple_of(*step).min(*most),
                    (most / step * step).max(*least),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    #[test]
    fn lists_of_divisors_and_harmonic_periods() {
        assert_eq!(Periods::divisors(40, 4, 20), Periods::List(vec![4, 5, 8, 10, 20]));
        assert_eq!(Periods::harmonic(5, 4), Periods::List(vec![5, 10, 20, 40]));
        assert!(!Periods::List(vec![]).are_possible() && !Periods::List(vec![0]).are_possible());
        let range = |least, most, step| Periods::LogUniform { least, most, step }.are_possible();
        assert!(range(10, 1000, 10) && !range(10, 5, 1) && !range(5, 10, 6) && !range(0, 10, 0));
    }

    #[test]
    fn every_octave_is_as_likely() {
        let rng = &mut Pcg64::seed_from_u64(4);
        let periods = Periods::LogUniform {
            least: 1_000,
            most: 8_000,
            step: 10,
        };
        let mut octaves = [0; 3];
        for _ in 0..30_000 {
            let period = periods.draw(rng);
            assert!((1_000..=8_000).contains(&period) && period.is_multiple_of(10));
            octaves[((period / 1_000).ilog2() as usize).min(2)] += 1;
        }
        assert!(
            octaves.iter().all(|&count| (9_500..10_500).contains(&count)),
            "{octaves:?}"
        );
    }
}
