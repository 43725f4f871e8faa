// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the ticks of an axis stand and what they say.

use crate::number::fixed;

/// One tick.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// Digits after the point of a label, at most.
const MOST_DECIMALS: usize = 12;

/// Distance of about `count` ticks over `span`: 1, 2, 2.5 or 5 times a power of ten, never below.
pub(crate) fn step(span: f64, count: usize) -> f64 {
    let raw = span / count.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0]
        .into_iter()
        .find(|nice| nice * power >= raw * 0.999_999)
        .unwrap_or(10.0);
    step * power
}

/// Ticks at the multiples of `step` from `min` to `max`.
pub(crate) fn linear(min: f64, max: f64, step: f64) -> Vec<Tick> {
    let slack = step * 1e-6;
    let first = ((min - slack) / step).ceil();
    // Far fewer than 100 by construction; the bound keeps a step below the resolution of f64 from looping.
    let values: Vec<f64> = (0..100)
        .map(|index| (first + f64::from(index)) * step)
        .take_while(|value| *value <= max + slack)
        .collect();
    labelled(&values)
}

/// Ticks at the powers of ten from `min` to `max`; with few decades also at 2 and 5 times them, within one at more.
pub(crate) fn logarithmic(min: f64, max: f64) -> Vec<Tick> {
    let (low, high) = (min.log10().floor() as i32, max.log10().ceil() as i32);
    let decades = high - low;
    let every = (decades / 8).max(1);
    let within: &[f64] = match (max / min).log10() {
        range if range <= 1.0 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        range if range <= 2.3 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let inside = |value: &f64| *value >= min * 0.999_999 && *value <= max * 1.000_001;
    (low..=high)
        .filter(|power| (power - low) % every == 0)
        .flat_map(|power| within.iter().map(move |factor| factor * 10f64.powi(power)))
        .filter(inside)
        .map(tick)
        .collect()
}

/// Ticks at these values, each with the label that it would have alone: for values of all sizes.
pub(crate) fn each(values: &[f64]) -> Vec<Tick> {
    values.iter().copied().map(tick).collect()
}

fn tick(value: f64) -> Tick {
    Tick {
        value,
        label: alone(value),
    }
}

/// Ticks at exactly these values.
pub(crate) fn labelled(values: &[f64]) -> Vec<Tick> {
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let (factor, suffix) = engineering(largest);
    // Of a narrow range far from zero the labels have to tell its own ticks apart.
    let gaps = values.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let least = gaps.filter(|&gap| gap > 0.0).fold(largest, f64::min);
    let slack = (1e-6 * largest).min(1e-2 * least) / factor;
    let decimals = (0..=MOST_DECIMALS)
        .find(|&decimals| {
            values.iter().all(|value| {
                let scaled = value / factor;
                let shown: f64 = fixed(scaled, decimals).parse().unwrap_or(scaled);
                (shown - scaled).abs() <= slack
            })
        })
        .unwrap_or(MOST_DECIMALS);
    values
        .iter()
        .map(|&value| {
            let digits = fixed(value / factor, decimals);
            let label = if value == 0.0 {
                "0".to_owned()
            } else {
                format!("{digits}{suffix}")
            };
            Tick { value, label }
        })
        .collect()
}

/// The label of a value of its own.
pub(crate) fn alone(value: f64) -> String {
    labelled(&[value]).pop().map(|tick| tick.label).unwrap_or_default()
}

/// Factor and suffix that keep the labels of an axis short: plain up to 9999, then k, M, G, T; powers of ten outside.
fn engineering(largest: f64) -> (f64, String) {
    const SUFFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")];
    if largest >= 1e15 || (largest > 0.0 && largest < 1e-3) {
        let power = largest.log10().floor() as i32;
        return (10f64.powi(power), format!("e{power}"));
    }
    match SUFFIXES.iter().find(|(from, _)| largest >= *from) {
        Some((1e4, suffix)) => (1e3, (*suffix).to_owned()),
        Some((from, suffix)) => (*from, (*suffix).to_owned()),
        None => (1.0, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn steps_are_round_and_never_too_small() {
        assert_eq!(step(10.0, 5), 2.0);
        assert_eq!(step(11.0, 5), 2.5);
        assert_eq!(step(0.9, 5), 0.2);
        assert_eq!(step(26.0, 5), 10.0);
    }

    #[test]
    fn labels_share_decimals_and_suffix() {
        assert_eq!(labels(&linear(0.0, 1.0, 0.25)), ["0", "0.25", "0.50", "0.75", "1.00"]);
        assert_eq!(
            labels(&linear(0.0, 600_000.0, 200_000.0)),
            ["0", "200k", "400k", "600k"]
        );
        assert_eq!(labels(&linear(0.0, 3000.0, 1000.0)), ["0", "1000", "2000", "3000"]);
        assert_eq!(labels(&linear(0.0, 2e-7, 1e-7)), ["0", "1e-7", "2e-7"]);
    }

    #[test]
    fn labels_of_a_narrow_range_differ() {
        let narrow = linear(13.625_01, 13.625_014, 1e-6);
        assert_eq!(
            labels(&narrow),
            ["13.625010", "13.625011", "13.625012", "13.625013", "13.625014"]
        );
        let large = linear(1e6, 1e6 + 0.4, 0.1);
        let labels = labels(&large);
        assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
    }

    #[test]
    fn decades_thin_out_over_wide_ranges() {
        assert_eq!(
            labels(&logarithmic(10.0, 500.0)),
            ["10", "20", "50", "100", "200", "500"]
        );
        assert_eq!(
            labels(&logarithmic(1.0, 1e5)),
            ["1", "10", "100", "1000", "10k", "100k"]
        );
        assert!(logarithmic(1e-12, 1e15).len() <= 10);
        assert_eq!(
            labels(&logarithmic(20.0, 100.0)),
            ["20", "30", "40", "50", "60", "80", "100"]
        );
    }

    #[test]
    fn a_step_below_the_resolution_ends() {
        assert!(linear(1e15, 1e15 + 1.0, 1e-3).len() <= 100);
    }
}
