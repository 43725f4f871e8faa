// SPDX-License-Identifier: MIT OR Apache-2.0
//! UUniFast: shares that add up to a total, uniform on all such vectors (Bini and Buttazzo, Real-Time Systems 30, 2005).

use rand::Rng;

/// A number from 0 to below 1, a multiple of 2⁻⁵³: the same on every machine.
pub(super) fn unit(rng: &mut impl Rng) -> f64 {
    (rng.random::<u64>() >> 11) as f64 / (1u64 << 53) as f64
}

/// `count` ≥ 1 shares of `total`.
///
/// From what is left for `k + 1` tasks, `r^(1/k)` of it is left for `k`, `r` uniform. `r^(1/k)` has the distribution of the
/// largest of `k` uniform numbers, which is how it is drawn: no power is computed, and all machines agree to the last bit.
pub fn uunifast(rng: &mut impl Rng, count: usize, total: f64) -> Vec<f64> {
    let mut left = total;
    let mut shares: Vec<f64> = (1..count)
        .rev()
        .map(|others| {
            let largest = (0..others).map(|_| unit(rng)).fold(0.0, f64::max);
            let next = left * largest;
            let share = left - next;
            left = next;
            share
        })
        .collect();
    shares.push(left);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    /// Uniform on the simplex: each share has mean 1/n and variance (n − 1)/(n² (n + 1)), and exceeds x with (1 − x)^(n − 1).
    #[test]
    fn shares_are_uniform_on_the_simplex() {
        let rng = &mut Pcg64::seed_from_u64(1);
        const SETS: usize = 40_000;
        let sets: Vec<Vec<f64>> = (0..SETS).map(|_| uunifast(rng, 4, 1.0)).collect();
        for i in 0..4 {
            let values = || sets.iter().map(|set| set[i]);
            let mean = values().sum::<f64>() / SETS as f64;
            let variance = values().map(|x| (x - 0.25) * (x - 0.25)).sum::<f64>() / SETS as f64;
            let beyond = values().filter(|&x| x > 0.5).count() as f64 / SETS as f64;
            assert!((mean - 0.25).abs() < 0.005, "{i}: {mean}");
            assert!((variance - 3.0 / 80.0).abs() < 0.001, "{i}: {variance}");
            assert!((beyond - 0.125).abs() < 0.006, "{i}: {beyond}");
        }
        assert!(sets.iter().all(|set| (set.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        assert_eq!(uunifast(rng, 1, 0.7), [0.7]);
    }
}
