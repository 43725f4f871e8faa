// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal of the adaptive filter: a sine of 20 samples per period and power 1, with noise of power 0.04.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// 2 cos(2π / 20): a sine obeys s(n + 1) = 2 cos(w) · s(n) - s(n - 1).
const TWICE_COSINE: f64 = 1.902_113_032_590_307_2;
/// sin(2π / 20).
const SINE: f64 = 0.309_016_994_374_947_4;
/// Standard deviation of the noise.
const NOISE: f64 = 0.2;

/// The sine alone, from 0 up; its amplitude is √2. By recurrence, so that no library's sine decides the last bit.
pub(super) fn sine() -> impl Iterator<Item = f64> {
    let mut pair = (0.0, std::f64::consts::SQRT_2 * SINE);
    std::iter::repeat_with(move || {
        let now = pair.0;
        pair = (pair.1, TWICE_COSINE * pair.1 - now);
        now
    })
}

/// The sine with noise: the sum of twelve uniform numbers, less its mean, has variance 1 and the shape of a bell.
pub(super) fn noisy_sine(samples: usize, seed: u64) -> Vec<f64> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut noise = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    sine().take(samples).map(|clean| clean + NOISE * noise()).collect()
}
