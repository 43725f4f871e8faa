// SPDX-License-Identifier: MIT OR Apache-2.0
//! The difference of two means, with an interval: Welch's (1947), for samples whose variances may differ.

use serde::Serialize;

/// What two samples say of the difference of their means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Mean of the second sample less that of the first.
    pub difference: f64,
    /// Ends of the interval that holds the difference with the confidence asked for.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How likely a difference as large as this one is if there is none (two-sided).
    pub p: f64,
}

/// The difference of the means of two samples; `None` if one has less than two values, so that its spread is not known.
pub fn difference(a: &[f64], b: &[f64], confidence: f64) -> Option<Difference> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let [(mean_a, part_a), (mean_b, part_b)] = [a, b].map(|sample| {
        let count = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / count;
        // Equal values have no variance, whatever rounding makes of their mean.
        let is_one = sample.iter().all(|value| *value == sample[0]);
        let squares: f64 = sample.iter().map(|value| (value - mean).powi(2)).sum();
        match is_one {
            true => (sample[0], 0.0),
            false => (mean, squares / (count - 1.0) / count),
        }
    });
    let (difference, variance) = (mean_b - mean_a, part_a + part_b);
    if variance == 0.0 {
        // Nothing varies: the difference is what it is.
        return Some(Difference {
            difference,
            low: difference,
            high: difference,
            p: if difference == 0.0 { 1.0 } else { 0.0 },
        });
    }
    // Welch and Satterthwaite.
    let freedom =
        variance.powi(2) / (part_a.powi(2) / (a.len() as f64 - 1.0) + part_b.powi(2) / (b.len() as f64 - 1.0));
    let error = variance.sqrt();
    let half = quantile(0.5 + confidence / 2.0, freedom) * error;
    Some(Difference {
        difference,
        low: difference - half,
        high: difference + half,
        p: tails(difference / error, freedom),
    })
}

/// Probability that |T| of Student's distribution is larger than |t|.
fn tails(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The `t` below which Student's distribution has `share`, which is above one half.
fn quantile(share: f64, freedom: f64) -> f64 {
    let wanted = 2.0 * (1.0 - share);
    let (mut low, mut high) = (0.0, 1.0);
    while tails(high, freedom) > wanted && high < 1e300 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        match tails(middle, freedom) > wanted {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// The regularized incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8) with Lentz' method.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    match x < (a + 1.0) / (a + b + 2.0) {
        true => front * fraction(a, b, x) / a,
        false => 1.0 - front * fraction(b, a, 1.0 - x) / b,
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let kept = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for step in 1..500 {
        let m = f64::from(step);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / kept(1.0 + term * d);
            c = kept(1.0 + term / c);
            value *= d * c;
        }
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// Logarithm of the gamma function above 0 (Lanczos, g = 7, nine terms).
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let sum = (1..).zip(TERMS).fold(0.999_999_999_999_809_9, |sum, (k, term)| {
        sum + term / (x + f64::from(k))
    });
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// Which of these are differences though many were looked at: Benjamini and Hochberg (1995), with at most `rate` false ones among them.
pub fn discoveries(p: &[f64], rate: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let allowed = |rank: usize| rate * (rank + 1) as f64 / p.len() as f64;
    let last = (0..order.len()).rev().find(|rank| p[order[*rank]] <= allowed(*rank));
    let mut found = vec![false; p.len()];
    if let Some(last) = last {
        order[..=last].iter().for_each(|number| found[*number] = true);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Table of Student's distribution, 97.5 %.
        for (freedom, t) in [
            (1.0, 12.706_205),
            (2.0, 4.302_653),
            (10.0, 2.228_139),
            (30.0, 2.042_272),
            (1000.0, 1.962_339),
        ] {
            let found = quantile(0.975, freedom);
            assert!((found - t).abs() < 1e-5, "{freedom}: {found}");
        }
        // One degree of freedom is Cauchy's distribution, two have a closed form.
        assert!((tails(1.0, 1.0) - 0.5).abs() < 1e-12);
        let t = 3.0_f64;
        assert!((tails(t, 2.0) - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-12);
    }

    #[test]
    fn a_difference_by_hand() {
        // Means 2 and 4, variances 1 and 4 over three: error sqrt(5/3), 50/17 degrees of freedom.
        let found = difference(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], 0.95).expect("two samples");
        let (error, freedom) = ((5.0_f64 / 3.0).sqrt(), 50.0 / 17.0);
        assert_eq!(found.difference, 2.0);
        assert!((found.high - 2.0 - quantile(0.975, freedom) * error).abs() < 1e-9);
        assert!((found.p - tails(2.0 / error, freedom)).abs() < 1e-12);
        assert!(found.low < 0.0 && found.p > 0.05, "{found:?}");
        // Equal variances and sizes: Student's own test, four degrees of freedom.
        let found = difference(&[1.0, 2.0, 3.0], &[11.0, 12.0, 13.0], 0.95).expect("two samples");
        let half = 2.776_445 * (2.0_f64 / 3.0).sqrt();
        assert!((found.low - (10.0 - half)).abs() < 1e-5, "{found:?}");
        assert_eq!(difference(&[1.0], &[2.0, 3.0], 0.95), None);
        let exact = difference(&[0.1; 3], &[0.3; 3], 0.95).expect("two samples");
        assert_eq!(
            (exact.low, exact.high, exact.p),
            (exact.difference, exact.difference, 0.0)
        );
    }

    /// Of 20,000 pairs of samples with one mean and unlike variances, the interval misses zero in five of a hundred: within four standard errors.
    #[test]
    fn intervals_hold_as_often_as_they_say() {
        let mut state = 1u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let mut missed = 0;
        for _ in 0..5_000 {
            let a: Vec<f64> = (0..5).map(|_| normal()).collect();
            let b: Vec<f64> = (0..9).map(|_| 3.0 * normal()).collect();
            let found = difference(&a, &b, 0.95).expect("two samples");
            missed += u32::from(found.low > 0.0 || found.high < 0.0);
        }
        // 250, give or take four times the deviation of 15.4.
        assert!((188..=312).contains(&missed), "{missed}");
    }

    #[test]
    fn of_many_the_few_that_stand_out() {
        // Ranks allow 0.0125, 0.025, 0.0375, 0.05.
        assert_eq!(discoveries(&[0.03, 0.9, 0.001, 0.02], 0.05), [true, false, true, true]);
        assert_eq!(discoveries(&[0.04, 0.04, 0.9, 0.9], 0.05), [false; 4]);
        assert_eq!(discoveries(&[], 0.05), [] as [bool; 0]);
    }
}
