// SPDX-License-Identifier: MIT OR Apache-2.0
//! Integer time and the few number-theoretic operations that schedules need.

use std::fmt;

/// A time or a duration, in nanoseconds (or in ticks: no function here depends on the unit).
pub type Time = u64;

/// A hyperperiod, a sum or a product of times does not fit 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("times exceed 64 bits: choose periods with a smaller least common multiple")
    }
}

impl std::error::Error for Overflow {}

/// Greatest common divisor; `gcd(0, b) = b`.
pub fn gcd(a: Time, b: Time) -> Time {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Least common multiple of two positive times.
pub fn lcm(a: Time, b: Time) -> Result<Time, Overflow> {
    debug_assert!(a > 0 && b > 0, "periods are positive");
    (a / gcd(a, b)).checked_mul(b).ok_or(Overflow)
}

/// Least common multiple of any number of positive times; 1 for none.
pub fn lcm_all(times: impl IntoIterator<Item = Time>) -> Result<Time, Overflow> {
    times.into_iter().try_fold(1, lcm)
}

/// Divisors of `n` in ascending order; none of 0.
pub fn divisors(n: Time) -> Vec<Time> {
    let low: Vec<Time> = (1..)
        .take_while(|&d| d <= n / d)
        .filter(|&d| n.is_multiple_of(d))
        .collect();
    let mut all: Vec<Time> = low.iter().copied().chain(low.iter().rev().map(|d| n / d)).collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(gcd(20, 64), 4);
        assert_eq!(gcd(0, 7), 7);
        assert_eq!(lcm(20, 64), Ok(320));
        assert_eq!(lcm_all([20, 32, 40, 80, 64]), Ok(320));
        assert_eq!(lcm_all([]), Ok(1));
        assert_eq!(lcm(u64::MAX, u64::MAX - 1), Err(Overflow));
    }

    #[test]
    fn divisors_ascend() {
        assert_eq!(divisors(12), [1, 2, 3, 4, 6, 12]);
        assert_eq!(divisors(16), [1, 2, 4, 8, 16]);
        assert_eq!(divisors(1), [1]);
        assert!(divisors(0).is_empty());
    }
}
