// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exact rates and utilisations.

use std::cmp::Ordering;
use std::fmt;

use crate::time::{Time, gcd};

/// A rate or a utilisation `num / den`, in lowest terms: compared and bounded exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    num: Time,
    den: Time,
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Ratio = Ratio { num: 0, den: 1 };
    /// The whole processor.
    pub const ONE: Ratio = Ratio { num: 1, den: 1 };

    /// `num / den`; `None` if `den` is 0.
    pub fn new(num: Time, den: Time) -> Option<Self> {
        if den == 0 {
            return None;
        }
        let divisor = gcd(num, den);
        Some(Ratio {
            num: num / divisor,
            den: den / divisor,
        })
    }

    /// Numerator in lowest terms.
    pub fn num(self) -> Time {
        self.num
    }

    /// Denominator in lowest terms, at least 1.
    pub fn den(self) -> Time {
        self.den
    }

    /// As a float, for showing only.
    pub fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// Greatest multiple of 2⁻⁶⁴ not above the ratio, counted in 2⁻⁶⁴; the ratio must be at most 1.
    pub(crate) fn q64_floor(self) -> u128 {
        debug_assert!(self.num <= self.den, "fixed point holds ratios up to 1");
        (u128::from(self.num) << 64) / u128::from(self.den)
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let wide = |a: Time, b: Time| u128::from(a) * u128::from(b);
        wide(self.num, other.den).cmp(&wide(other.num, self.den))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.num, self.den)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_terms_and_order() {
        let ratio = |n, d| Ratio::new(n, d).unwrap();
        assert_eq!(ratio(24, 40), ratio(3, 5));
        assert_eq!(Ratio::new(1, 0), None);
        assert!(ratio(1, 3) < ratio(334, 1000));
        assert!(ratio(u64::MAX - 1, u64::MAX) < Ratio::ONE);
        assert_eq!(ratio(1, 2).q64_floor(), 1 << 63);
        assert_eq!(ratio(3, 5).to_string(), "3/5");
    }
}
