// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the gain depends on: balance of the channels, bandwidth, and locality (BPM-10, BPM-12, BPM-16).

use super::mixes::Mix;
use fresco_report::claims::Row;
use fresco_system::results::{ScenarioResult, TaskSummary};

/// Demand up to which channels are not pressed, in bytes per second (BPM-12).
const LOW: f64 = 2e9;
/// Unbalance factor above which channels should not be divided (BPM-12).
const UNBALANCED: f64 = 0.2;
/// What is compared.
const SCHEMES: [&str; 5] = ["bpm", "bpm+", "cache-only", "channel-only", "one-channel"];

/// How unbalanced the two channels are when they alone are divided.
fn unbalance(mix: &Mix<'_>) -> f64 {
    let point = mix.point("channel-only");
    let spread = point.and_then(|point| point.together.channel_unbalance);
    spread.map_or(0.0, |spread| spread.mean)
}

fn group(mix: &Mix<'_>) -> &'static str {
    if mix.bandwidth() < LOW {
        "low"
    } else if unbalance(mix) > UNBALANCED {
        "unbalanced"
    } else {
        "balanced"
    }
}

/// Mean, least and largest gain of the mixes with little demand, with balanced and with unbalanced channels.
pub fn groups(result: &ScenarioResult) -> Vec<Row> {
    let mixes = Mix::all(result);
    let row = |name: &str, scheme: &str| {
        let of_group = mixes.iter().filter(|mix| group(mix) == name);
        let gains: Vec<f64> = of_group.map(|mix| mix.gain(scheme)).collect::<Option<_>>()?;
        if gains.is_empty() {
            return None;
        }
        let row = Row::new().label("group", name).label("scheme", scheme);
        Some(
            row.value("mixes", gains.len() as f64)
                .value("gain_pct.mean", gains.iter().sum::<f64>() / gains.len() as f64)
                .value("gain_pct.min", gains.iter().copied().fold(f64::INFINITY, f64::min))
                .value("gain_pct.max", gains.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        )
    };
    let of_group = |name| SCHEMES.map(|scheme| row(name, scheme));
    ["low", "balanced", "unbalanced"]
        .into_iter()
        .flat_map(of_group)
        .flatten()
        .collect()
}

/// Bandwidths and localities of the programs alone, as the paper weighs them.
fn locality(alone: &[&TaskSummary]) -> (f64, f64, f64) {
    let load = |task: &&TaskSummary| (task.bandwidth_bytes_per_s.mean, task.row_hit_share.mean);
    let loads: Vec<(f64, f64)> = alone.iter().map(load).collect();
    let sum: f64 = loads.iter().map(|(bandwidth, _)| bandwidth).sum();
    let mean = loads.iter().map(|(bandwidth, hits)| bandwidth * hits).sum::<f64>() / sum;
    let squares = loads.iter().map(|(bandwidth, hits)| bandwidth * (hits - mean).powi(2));
    (sum, mean, (squares.sum::<f64>() / sum).sqrt())
}

/// An indicator of a mix.
type Indicator = fn(&Mix<'_>) -> f64;

const INDICATORS: [(&str, Indicator); 6] = [
    ("average-rbl", |mix| locality(&mix.alone()).1),
    ("sum-bw", |mix| locality(&mix.alone()).0),
    ("stdev-rbl", |mix| locality(&mix.alone()).2),
    ("product", |mix| {
        let (sum, _, deviation) = locality(&mix.alone());
        sum * deviation
    }),
    ("bandwidth", |mix| mix.bandwidth()),
    ("unbalance", unbalance),
];

/// Rank correlation of each indicator with the gain of each scheme, and with its magnitude, over the mixes but that with lbm.
pub fn correlations(result: &ScenarioResult) -> Vec<Row> {
    let mut mixes = Mix::all(result);
    mixes.retain(|mix| !mix.is_hurt());
    let mut rows = Vec::new();
    for scheme in SCHEMES {
        let Some(gains) = mixes.iter().map(|mix| mix.gain(scheme)).collect::<Option<Vec<f64>>>() else {
            continue;
        };
        let magnitudes: Vec<f64> = gains.iter().map(|gain| gain.abs()).collect();
        for (name, of) in INDICATORS {
            let values: Vec<f64> = mixes.iter().map(of).collect();
            let row = Row::new().label("scheme", scheme).label("indicator", name);
            rows.push(
                row.value("rank_correlation", correlation(&values, &gains))
                    .value("rank_correlation.magnitude", correlation(&values, &magnitudes)),
            );
        }
    }
    rows
}

/// Spearman's rank correlation, -1 to 1; 0 if one of the two does not vary.
fn correlation(left: &[f64], right: &[f64]) -> f64 {
    let (left, right) = (ranks(left), ranks(right));
    let mean = (left.len() as f64 - 1.0) / 2.0;
    let product = |one: &[f64], other: &[f64]| -> f64 {
        std::iter::zip(one, other)
            .map(|(one, other)| (one - mean) * (other - mean))
            .sum()
    };
    let scale = (product(&left, &left) * product(&right, &right)).sqrt();
    if scale > 0.0 {
        product(&left, &right) / scale
    } else {
        0.0
    }
}

/// How many others are smaller; of equal ones the mean.
fn ranks(values: &[f64]) -> Vec<f64> {
    let count = |test: &dyn Fn(&f64) -> bool| values.iter().filter(|value| test(value)).count() as f64;
    let rank = |value: &f64| count(&|other| other < value) + (count(&|other| other == value) - 1.0) / 2.0;
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_the_smaller_ones() {
        assert_eq!(ranks(&[3.0, 1.0, 2.0]), [2.0, 0.0, 1.0]);
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 9.0]), [1.5, 0.0, 1.5, 3.0]);
    }

    #[test]
    fn correlation_of_known_series() {
        assert_eq!(correlation(&[1.0, 2.0, 3.0], &[10.0, 100.0, 1000.0]), 1.0);
        assert_eq!(correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        // 1 - 6 * (1 + 1) / (3 * (9 - 1)).
        assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 1.0, 3.0]) - 0.5).abs() < 1e-12);
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), 0.0);
    }
}
