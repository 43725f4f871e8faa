// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::passes::Passes;
use crate::testing::{one_pass, run};

fn lms(samples: u64, taps: u64) -> Lms {
    Lms::new(&LmsConfig { samples, taps, seed: 9 })
}

/// Mean square of the difference between `x` and the sine without noise, from sample `from` on.
fn error_power(x: &[f64], from: usize) -> f64 {
    let errors = x
        .iter()
        .zip(signal::sine())
        .skip(from)
        .map(|(x, clean)| (x - clean).powi(2));
    errors.sum::<f64>() / (x.len() - from) as f64
}

#[test]
fn the_sine_is_a_sine() {
    for (n, value) in signal::sine().take(10_000).enumerate() {
        let angle = std::f64::consts::TAU * (n % 20) as f64 / 20.0;
        assert!((value - std::f64::consts::SQRT_2 * angle.sin()).abs() < 1e-7, "{n}");
    }
}

#[test]
fn one_tap_by_hand() {
    // Output 0 from nothing; then the correction 0.01 · 3 / (0.9 · 2) met a kept 0, so the coefficient is still 0; then
    // 0.01 · 5 / (0.1 · 9 + 0.9 · 1.8) · 3 is the coefficient for the kept 5.
    let mut kernel = lms(3, 1);
    kernel.signal.data = vec![3.0, 5.0, 1.0];
    one_pass(&mut kernel);
    assert_eq!(kernel.output.data[..2], [0.0, 0.0]);
    assert!((kernel.output.data[2] - 0.05 / 2.52 * 3.0 * 5.0).abs() < 1e-12);
}

#[test]
fn the_filter_takes_noise_away() {
    let mut kernel = lms(1 << 13, 21);
    one_pass(&mut kernel);
    let (before, after) = (
        error_power(&kernel.signal.data, 1000),
        error_power(&kernel.output.data, 1000),
    );
    assert!((before - 0.04).abs() < 0.004, "{before}");
    assert!(after < before / 2.0, "{after} of {before}");
}

#[test]
fn operations_by_sample_and_tap() {
    let (samples, taps) = (150, 21);
    let run = run(Looped::new(lms(samples, taps), Passes::new(1, 2)));
    assert_eq!(run.marks(), (1, 2, 1));
    // Per pass clear 2 per tap; per sample and tap: shift 2, filter 2, adapt 3; per sample: output, signal, newest. The
    // first sample has none before it.
    let pass = 2 * taps + samples * (7 * taps + 3) - 1;
    assert_eq!(run.ops().len() as u64, 3 * pass);
    let stores = 2 * taps + samples * (2 * taps + 1);
    assert_eq!(run.ops().iter().filter(|op| op.write).count() as u64, 3 * stores);
}

#[test]
fn passes_are_alike_and_a_wrong_output_is_found() {
    let mut kernel = lms(500, 8);
    one_pass(&mut kernel);
    let first = kernel.output.data.clone();
    one_pass(&mut kernel);
    assert_eq!(kernel.output.data, first);
    kernel.output.data[123] += 1e-12;
    assert!(kernel.verify().unwrap_err().starts_with("output 123 is "));
    kernel.signal.data[40] += 1e-6;
    one_pass(&mut kernel);
    assert!(kernel.verify().unwrap_err().starts_with("output 41 is "));
}
