// SPDX-License-Identifier: MIT OR Apache-2.0
//! A few numbers instead of many.

use serde::{Deserialize, Serialize};

/// Mean, extremes and standard deviation of some values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of values.
    pub count: u64,
    /// Arithmetic mean; 0 without values.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Standard deviation of the sample (divisor `count - 1`); 0 for fewer than two values.
    pub stddev: f64,
}

impl Spread {
    /// Of these values, summed in their order.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return Self::default();
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            count: values.len() as u64,
            mean,
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            stddev: if values.len() > 1 {
                (squares / (count - 1.0)).sqrt()
            } else {
                0.0
            },
        }
    }
}

/// Picoseconds as nanoseconds.
pub(crate) fn ns(ps: u64) -> f64 {
    ps as f64 / 1000.0
}

/// `part / whole`, 0 where there is no whole.
pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let spread = Spread::of([2.0, 4.0, 4.0, 6.0]);
        assert_eq!((spread.count, spread.mean, spread.min, spread.max), (4, 4.0, 2.0, 6.0));
        assert!((spread.stddev - (8.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of([7.0]).stddev, 0.0);
        assert_eq!(Spread::of([]), Spread::default());
    }
}
