// SPDX-License-Identifier: MIT OR Apache-2.0
//! Natural numbers that stay as large as they can be: nothing that a file holds makes a sum wrap around.

use std::fmt;
use std::ops::{Add, Div, Mul, Sub};

/// A natural number; the largest stands for no end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Nat(pub u128);

/// No end.
pub const ENDLESS: Nat = Nat(u128::MAX);

/// A number.
pub const fn n(number: u128) -> Nat {
    Nat(number)
}

impl Add for Nat {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Mul for Nat {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(self.0.saturating_mul(other.0))
    }
}

/// 0 where the difference would be less.
impl Sub for Nat {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// Rounded down; by zero there is no end.
impl Div for Nat {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.0.checked_div(other.0).map_or(ENDLESS, Self)
    }
}

impl Nat {
    /// The quotient rounded up.
    pub fn over(self, other: Self) -> Self {
        (self + other - n(1)) / other
    }
}

impl fmt::Display for Nat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ENDLESS => f.write_str("no end"),
            Self(number) => number.fmt(f),
        }
    }
}
