// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers drawn for samples. They follow from the seed by integers and by the operations that IEEE 754 prescribes to the bit, so that every
//! machine draws the same.

use rand::{RngCore, SeedableRng};
use rand_pcg::Pcg64;

/// How points between the axes' ends are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// Each sample by itself; more samples leave the first ones what they were.
    Random,
    /// Latin hypercube: of `n` equal parts of each axis every one has exactly one sample.
    LatinHypercube,
}

/// Streams of a seed: samples of random designs, and axes of Latin hypercubes, which count from above.
fn stream(seed: u32, number: u32) -> Pcg64 {
    Pcg64::seed_from_u64(u64::from(seed) << 32 | u64::from(number))
}

/// Uniform in [0, 1), a multiple of 2^-53.
fn unit(rng: &mut Pcg64) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Places in [0, 1) of `samples` samples on each of `axes` axes: `[axis][sample]`.
pub fn places(design: Design, seed: u32, samples: u32, axes: usize) -> Vec<Vec<f64>> {
    match design {
        Design::Random => {
            let mut places = vec![Vec::with_capacity(samples as usize); axes];
            for sample in 0..samples {
                let mut rng = stream(seed, sample);
                places.iter_mut().for_each(|axis| axis.push(unit(&mut rng)));
            }
            places
        }
        Design::LatinHypercube => (0..axes).map(|axis| strata(seed, samples, axis as u32)).collect(),
    }
}

/// One axis of a Latin hypercube (McKay, Beckman and Conover 1979): a random order of the strata, and a place within each.
fn strata(seed: u32, samples: u32, axis: u32) -> Vec<f64> {
    let mut rng = stream(seed, u32::MAX - axis);
    let mut order: Vec<u32> = (0..samples).collect();
    // Fisher and Yates; the bias of the product is below 2^-32.
    for last in (1..order.len()).rev() {
        let other = (u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64;
        order.swap(last, other as usize);
    }
    let within = |stratum: u32| {
        let place = (f64::from(stratum) + unit(&mut rng)) / f64::from(samples);
        // Rounding may not lift a place into the next stratum.
        place.min(f64::from(stratum + 1) / f64::from(samples) - f64::EPSILON)
    };
    order.into_iter().map(within).collect()
}

/// `ratio` to the power of `share`, which is in [0, 1]: square roots for the binary digits of `share`.
pub fn power(ratio: f64, share: f64) -> f64 {
    let (mut root, mut rest, mut value) = (ratio, share, 1.0);
    if share >= 1.0 {
        return ratio;
    }
    for _ in 0..53 {
        root = root.sqrt();
        rest *= 2.0;
        if rest >= 1.0 {
            rest -= 1.0;
            value *= root;
        }
    }
    value
}

/// A number to so many significant digits.
pub fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits.saturating_sub(1))
        .parse()
        .unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latin_hypercube_has_each_stratum_once_on_each_axis() {
        for samples in [1u32, 2, 7, 64, 1000] {
            for axis in places(Design::LatinHypercube, 3, samples, 3) {
                let mut found: Vec<u32> = axis.iter().map(|place| (place * f64::from(samples)) as u32).collect();
                found.sort_unstable();
                assert_eq!(found, (0..samples).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn more_random_samples_leave_the_first_ones_as_they_were() {
        let few = places(Design::Random, 1, 5, 2);
        let many = places(Design::Random, 1, 50, 2);
        assert_eq!(few[1], many[1][..5]);
        assert_ne!(few[0], places(Design::Random, 2, 5, 2)[0]);
        // The mean of 5,000 places: 0.5 within five standard errors of 0.0041.
        let mean = places(Design::Random, 1, 5000, 1)[0].iter().sum::<f64>() / 5000.0;
        assert!((mean - 0.5).abs() < 0.0205, "{mean}");
    }

    #[test]
    fn powers_are_those_of_the_library() {
        for (ratio, share) in [(64.0, 0.5), (1000.0, 0.3), (0.001, 0.7), (2.0, 0.0), (2.0, 1.0)] {
            let (own, library) = (power(ratio, share), f64::powf(ratio, share));
            assert!((own / library - 1.0).abs() < 1e-13, "{ratio}^{share}: {own}, {library}");
        }
        assert_eq!(rounded(123.456789, 4), 123.5);
        assert_eq!(rounded(0.1 + 0.2, 12), 0.3);
    }
}
