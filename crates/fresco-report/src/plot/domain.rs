// SPDX-License-Identifier: MIT OR Apache-2.0
//! The range that an axis covers, its ticks, and the pixel a value falls on.

use super::axis::{Axis, Scale, Start};
use super::ticks::{self, Tick};
use crate::ReportError;
use crate::error::finite;

/// Range and ticks of an axis.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    scale: Scale,
    min: f64,
    max: f64,
    pub(crate) ticks: Vec<Tick>,
    /// What bars start from, and quantities are seen from.
    pub(crate) base: f64,
    /// Title of the axis, with what its reader has to know of where it starts.
    pub(crate) title: String,
}

/// A ratio's axis goes so far, at least.
const LEAST_RATIO: f64 = 1.1;

/// A sweep of at most so many values has a tick at each.
const MOST_SWEPT: usize = 24;

impl Domain {
    /// The range that shows all `values`, rounded outwards to ticks (about `count` of them). No values: 0 to 1.
    pub(crate) fn around(axis: &Axis, values: impl Iterator<Item = f64>, count: usize) -> Result<Self, ReportError> {
        let reach = (axis.start == Start::One).then_some([1.0, LEAST_RATIO]);
        let (min, max) = extremes(axis, values.chain(reach.into_iter().flatten()))?;
        match axis.scale {
            Scale::Linear => {
                let (min, max) = widen(axis, min, max);
                let (min, max) = match axis.start {
                    Start::Data => spread(min, max),
                    Start::Zero | Start::One => (min, max),
                };
                let step = ticks::step(max - min, count);
                let base = axis.start.base();
                let low = if base == Some(min) {
                    min
                } else {
                    (min / step).floor() * step
                };
                let high = ((max / step) - 1e-9).ceil() * step;
                let mut ticks = ticks::linear(low, high, step);
                // The first multiple of a large step after 1 may be far away: the start has its tick all the same.
                if ticks.first().is_some_and(|tick| tick.value > low) && base == Some(low) {
                    let values: Vec<f64> = [low].into_iter().chain(ticks.iter().map(|tick| tick.value)).collect();
                    ticks = ticks::labelled(&values);
                }
                let domain = Self::of(axis, low, high, ticks)?;
                Ok(domain.said_where_it_starts())
            }
            Scale::Log => {
                let (min, max) = if min == max { (min / 2.0, max * 2.0) } else { (min, max) };
                let (low, high) = (log_floor(min), log_ceil(max));
                Self::of(axis, low, high, ticks::logarithmic(low, high))
            }
        }
    }

    /// The range from the smallest to the largest of the values that a parameter was set to, with these as ticks; round
    /// ones if they are many.
    pub(crate) fn swept(axis: &Axis, values: impl Iterator<Item = f64>) -> Result<Self, ReportError> {
        let mut distinct: Vec<f64> = values.collect();
        let (min, max) = extremes(axis, distinct.iter().copied())?;
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let is_many = distinct.len() > MOST_SWEPT;
        if axis.scale == Scale::Log {
            let (low, high) = if min == max { (min / 2.0, max * 2.0) } else { (min, max) };
            let ticks = match is_many {
                true => ticks::logarithmic(low, high),
                false => ticks::each(&distinct),
            };
            return Self::of(axis, low, high, ticks);
        }
        let (low, high) = widen(axis, min, max);
        let ticks = match is_many || distinct.is_empty() {
            true => ticks::linear(low, high, ticks::step(high - low, SWEPT_TICKS)),
            false => ticks::labelled(&distinct),
        };
        Self::of(axis, low, high, ticks)
    }

    /// The range from `low` to `high`, not rounded, with about `count` ticks: for time.
    pub(crate) fn between(axis: &Axis, low: f64, high: f64, count: usize) -> Result<Self, ReportError> {
        let (min, max) = extremes(axis, [low, high].into_iter())?;
        let (low, high) = widen(axis, min, max);
        Self::of(
            axis,
            low,
            high,
            ticks::linear(low, high, ticks::step(high - low, count)),
        )
    }

    fn of(axis: &Axis, min: f64, max: f64, ticks: Vec<Tick>) -> Result<Self, ReportError> {
        if (max - min).is_finite() && max > min {
            Ok(Self {
                scale: axis.scale,
                min,
                max,
                ticks,
                base: axis.start.base().unwrap_or(min).clamp(min, max),
                title: axis.title(),
            })
        } else {
            Err(ReportError::TooWide {
                what: format!("axis \"{}\"", axis.label),
            })
        }
    }

    /// Lengths on an axis without zero are no quantities: its title says so.
    fn said_where_it_starts(mut self) -> Self {
        if self.base > self.min && self.base > 0.0 {
            self.title
                .push_str(&format!(", drawn from {}", ticks::alone(self.base)));
        } else if self.min > 0.0 {
            let start = self.ticks.iter().find(|tick| tick.value == self.min);
            let start = start.map_or_else(|| ticks::alone(self.min), |tick| tick.label.clone());
            self.title.push_str(&format!(", axis starts at {start}"));
        } else if self.max < 0.0 {
            self.title.push_str(", axis without 0");
        }
        self
    }

    /// Returns true if the base is above the lower end, and so needs a line of its own.
    pub(crate) fn has_base_inside(&self) -> bool {
        self.min < self.base
    }

    /// Position of `value` between the pixels `from` (smallest value) and `to` (largest), clamped to them.
    pub(crate) fn pixel(&self, value: f64, from: i32, to: i32) -> i32 {
        let share = match self.scale {
            Scale::Linear => (value - self.min) / (self.max - self.min),
            Scale::Log => (value / self.min).ln() / (self.max / self.min).ln(),
        };
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        from + (share * f64::from(to - from)).round() as i32
    }
}

/// Ticks of a sweep of many values, about.
const SWEPT_TICKS: usize = 9;

/// Smallest and largest value (0 and 1 if there are none), each checked.
fn extremes(axis: &Axis, values: impl Iterator<Item = f64>) -> Result<(f64, f64), ReportError> {
    let what = format!("a value of \"{}\"", axis.label);
    let mut range: Option<(f64, f64)> = None;
    for value in values {
        finite(&what, value)?;
        if axis.scale == Scale::Log && value <= 0.0 {
            return Err(ReportError::NotPositive {
                what,
                value: value.to_string(),
            });
        }
        range = Some(range.map_or((value, value), |(min, max)| (min.min(value), max.max(value))));
    }
    let (min, max) = range.unwrap_or(if axis.scale == Scale::Log {
        (1.0, 10.0)
    } else {
        (0.0, 1.0)
    });
    if (max - min).is_finite() {
        Ok((min, max))
    } else {
        Err(ReportError::TooWide { what })
    }
}

/// A linear range that has a width, and holds what the axis starts at.
fn widen(axis: &Axis, min: f64, max: f64) -> (f64, f64) {
    let (min, max) = match axis.start.base() {
        Some(base) => (min.min(base), max.max(base)),
        None => (min, max),
    };
    if max - min > max.abs().max(min.abs()) * 1e-9 {
        (min, max)
    } else if max == 0.0 {
        (0.0, 1.0)
    } else {
        (min - max.abs() / 2.0, max + max.abs() / 2.0)
    }
}

/// Measured values that differ by less than this share do not fill an axis: noise is to look like noise.
const LEAST_SPAN: f64 = 0.01;

/// A range of at least [`LEAST_SPAN`] of its values.
fn spread(min: f64, max: f64) -> (f64, f64) {
    let least = LEAST_SPAN * max.abs().max(min.abs());
    if max - min >= least {
        return (min, max);
    }
    let middle = min / 2.0 + max / 2.0;
    (middle - least / 2.0, middle + least / 2.0)
}

/// 1, 2 or 5 times a power of ten, not above `value`.
fn log_floor(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    [5.0, 2.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|low| *low <= value)
        .unwrap_or(power.min(value))
}

/// 1, 2, 5 or 10 times a power of ten, not below `value`.
fn log_ceil(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|high| *high >= value)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_rounded_outwards_to_ticks() {
        let axis = Axis::new("latency", "ns").from_zero();
        let domain = Domain::around(&axis, [61.0, 187.0].into_iter(), 5).unwrap();
        assert_eq!((domain.min, domain.max), (0.0, 200.0));
        assert_eq!(domain.pixel(100.0, 0, 10), 5);
        assert_eq!(domain.pixel(1e300, 0, 10), 10);
    }

    #[test]
    fn one_value_and_none_still_make_an_axis() {
        let axis = Axis::new("x", "");
        assert!(Domain::around(&axis, [5.0].into_iter(), 5).unwrap().ticks.len() >= 3);
        assert!(Domain::around(&axis, [0.0].into_iter(), 5).unwrap().ticks.len() >= 3);
        assert!(Domain::around(&axis, std::iter::empty(), 5).unwrap().ticks.len() >= 3);
        assert!(
            Domain::around(&axis.clone().logarithmic(), [7.0].into_iter(), 5)
                .unwrap()
                .ticks
                .len()
                >= 2
        );
    }

    #[test]
    fn bad_values_are_refused() {
        let axis = Axis::new("x", "");
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(
                Domain::around(&axis, [1.0, bad].into_iter(), 5),
                Err(ReportError::NotFinite { .. })
            ));
        }
        let log = axis.clone().logarithmic();
        assert!(matches!(
            Domain::around(&log, [0.0].into_iter(), 5),
            Err(ReportError::NotPositive { .. })
        ));
        assert!(matches!(
            Domain::around(&axis, [-1e308, 1e308].into_iter(), 5),
            Err(ReportError::TooWide { .. })
        ));
    }

    fn labels(domain: &Domain) -> Vec<&str> {
        domain.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn a_sweep_keeps_its_own_values_as_ticks() {
        let axis = Axis::new("co-runners", "");
        let domain = Domain::swept(&axis, [0.0, 1.0, 2.0, 3.0, 0.0, 1.0].into_iter()).unwrap();
        assert_eq!(labels(&domain), ["0", "1", "2", "3"]);
        let uneven = [1.0, 4.0, 16.0, 6.0];
        for axis in [axis.clone(), axis.logarithmic()] {
            let domain = Domain::swept(&axis, uneven.into_iter()).unwrap();
            assert_eq!(labels(&domain), ["1", "4", "6", "16"]);
            assert_eq!((domain.pixel(1.0, 0, 10), domain.pixel(16.0, 0, 10)), (0, 10));
            let one = Domain::swept(&axis, [7.0].into_iter()).unwrap();
            assert_eq!(labels(&one), ["7"]);
            let many = Domain::swept(&axis, (1..1000).map(f64::from)).unwrap();
            assert!((3..20).contains(&many.ticks.len()), "{:?}", labels(&many));
        }
    }

    #[test]
    fn slowdowns_start_at_one_and_noise_looks_small() {
        let axis = Axis::ratio("slowdown");
        let around = |values: &[f64]| Domain::around(&axis, values.iter().copied(), 5).unwrap();
        for (values, range, first) in [
            (&[1.2, 2.9][..], (1.0, 3.0), "1.0"),
            (&[1.0, 7.97], (1.0, 8.0), "1"),
            (&[900.0], (1.0, 1000.0), "1"),
            (&[1.0, 1.002], (1.0, 1.1), "1.00"),
            (&[], (1.0, 1.1), "1.00"),
            (&[0.5, 1.5], (0.4, 1.6), "0.4"),
            (&[0.5], (0.4, 1.2), "0.4"),
        ] {
            let domain = around(values);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(
                near(domain.min, range.0) && near(domain.max, range.1),
                "{values:?}: {domain:?}"
            );
            assert_eq!((domain.base, labels(&domain)[0]), (1.0, first), "{values:?}");
            let says = match range.0 < 1.0 {
                true => "slowdown (x), drawn from 1".to_owned(),
                false => format!("slowdown (x), axis starts at {first}"),
            };
            assert_eq!(domain.title, says);
        }
        let log = Domain::around(&axis.clone().logarithmic(), [20.0, 90.0].into_iter(), 5).unwrap();
        assert_eq!((log.min, log.base, labels(&log)[0]), (1.0, 1.0, "1"));
        assert_eq!(log.title, "slowdown (x, log scale)");
    }

    #[test]
    fn an_axis_without_zero_says_where_it_starts() {
        let axis = Axis::new("latency", "ns");
        let title = |axis: &Axis, values: [f64; 2]| Domain::around(axis, values.into_iter(), 5).unwrap().title;
        assert_eq!(title(&axis, [120.0, 131.0]), "latency (ns), axis starts at 120.0");
        assert_eq!(title(&axis, [0.0, 131.0]), "latency (ns)");
        let noise = Domain::around(&axis, [13.625_008, 13.625_014].into_iter(), 5).unwrap();
        assert!(noise.max - noise.min >= 0.136, "{noise:?}");
        assert_eq!(title(&axis, [-2.0, 131.0]), "latency (ns)");
        assert_eq!(title(&axis, [-3.0, -2.0]), "latency (ns), axis without 0");
        assert_eq!(title(&axis.clone().from_zero(), [120.0, 131.0]), "latency (ns)");
    }
}
