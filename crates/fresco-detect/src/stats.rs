// SPDX-License-Identifier: MIT OR Apache-2.0
//! The few statistics that verdicts rest on.

use serde::Serialize;

/// The `q`-quantile (0 to 1) by linear interpolation; NaN of nothing.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => {
            let place = q.clamp(0.0, 1.0) * (n - 1) as f64;
            let (low, part) = (place.floor() as usize, place.fract());
            let high = (low + 1).min(n - 1);
            sorted[low] * (1.0 - part) + sorted[high] * part
        }
    }
}

/// The median; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Mean; NaN of nothing.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard deviation of the sample; 0 of fewer than two.
pub fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// Pearson's correlation; NaN where one side does not vary.
pub fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let (xs, ys): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (mx, my) = (mean(&xs), mean(&ys));
    let product: f64 = pairs.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    product / ((pairs.len().max(2) - 1) as f64 * deviation(&xs) * deviation(&ys))
}

/// Probability that a random one of `high` is above a random one of `low`, ties counting half: the area under the
/// ROC curve. NaN if either is empty.
pub fn auc(high: &[f64], low: &[f64]) -> f64 {
    let mut wins = 0.0;
    for h in high {
        for l in low {
            wins += match h.total_cmp(l) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    wins / (high.len() * low.len()) as f64
}

/// A proportion with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Proportion {
    /// How many had it.
    pub hits: u64,
    /// Of how many.
    pub n: u64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Proportion {
    /// Wilson's interval, which stays honest near 0 and 1.
    pub fn new(hits: u64, n: u64) -> Self {
        let (low, high) = if n == 0 {
            (0.0, 1.0)
        } else {
            let (p, n, z) = (hits as f64 / n as f64, n as f64, 1.959_964);
            let centre = p + z * z / (2.0 * n);
            let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
            let scale = 1.0 + z * z / n;
            (
                ((centre - spread) / scale).max(0.0),
                ((centre + spread) / scale).min(1.0),
            )
        };
        Self { hits, n, low, high }
    }

    /// The proportion; 0 of nothing.
    pub fn value(&self) -> f64 {
        if self.n == 0 {
            0.0
        } else {
            self.hits as f64 / self.n as f64
        }
    }
}

/// The split of values into two groups that leaves the least variance within them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Split {
    /// Half way between the means of the groups.
    pub threshold: f64,
    /// Mean of the lower group.
    pub low: f64,
    /// Mean of the upper group.
    pub high: f64,
    /// Distance of the means in units of the pooled deviation within the groups.
    pub separation: f64,
    /// Values in the upper group.
    pub upper: usize,
}

/// Splits values in two; `None` for fewer than four values, or if all are equal.
pub fn split(values: &[f64]) -> Option<Split> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    if n < 4 || sorted[0] == sorted[n - 1] {
        return None;
    }
    // Sums from the smallest value, so that squares do not cancel.
    let origin = sorted[0];
    let total: f64 = sorted.iter().map(|v| v - origin).sum();
    let mut below = 0.0;
    let mut best = (f64::NEG_INFINITY, 0);
    for i in 1..n {
        below += sorted[i - 1] - origin;
        let (a, b) = (i as f64, (n - i) as f64);
        let between = a * b * (below / a - (total - below) / b).powi(2);
        if between > best.0 && sorted[i] > sorted[i - 1] {
            best = (between, i);
        }
    }
    let (lower, upper) = sorted.split_at(best.1);
    let (low, high) = (mean(lower), mean(upper));
    let within: f64 =
        lower.iter().map(|v| (v - low).powi(2)).sum::<f64>() + upper.iter().map(|v| (v - high).powi(2)).sum::<f64>();
    let pooled = (within / (n - 2) as f64).sqrt();
    Some(Split {
        threshold: (low + high) / 2.0,
        low,
        high,
        separation: if pooled > 0.0 {
            (high - low) / pooled
        } else {
            f64::INFINITY
        },
        upper: upper.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_worked_example() {
        let values = [3.0, 1.0, 2.0, 4.0];
        assert_eq!(median(&values), 2.5);
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(quantile(&values, 1.0), 4.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn auc_of_worked_examples() {
        assert_eq!(auc(&[3.0, 4.0], &[1.0, 2.0]), 1.0);
        assert_eq!(auc(&[1.0], &[1.0]), 0.5);
        assert_eq!(auc(&[1.0, 3.0], &[2.0]), 0.5);
    }

    #[test]
    fn correlation_of_a_line_is_one() {
        let line: Vec<(f64, f64)> = (0..9).map(|i| (f64::from(i), 3.0 - 2.0 * f64::from(i))).collect();
        assert!((correlation(&line) + 1.0).abs() < 1e-12);
    }

    #[test]
    fn wilsons_interval_of_all_of_a_hundred() {
        // (1 + z^2/2n - z sqrt(z^2/4n^2)) / (1 + z^2/n) = 1 / (1 + 3.8415/100)
        let all = Proportion::new(100, 100);
        assert!((all.low - 0.963_006).abs() < 1e-5, "{all:?}");
        assert_eq!(all.high, 1.0);
        assert_eq!(Proportion::new(0, 0).high, 1.0);
    }

    #[test]
    fn a_split_finds_two_groups() {
        let found = split(&[1.0, 1.5, 2.0, 9.0, 9.5]).expect("two groups");
        assert_eq!((found.low, found.high, found.upper), (1.5, 9.25, 2));
        assert_eq!(found.threshold, 5.375);
        assert!(found.separation > 10.0);
        assert_eq!(split(&[2.0; 8]), None);
    }
}
