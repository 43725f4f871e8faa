// SPDX-License-Identifier: MIT OR Apache-2.0
//! Axes: what they measure, the range they cover, and the pixel a value falls on.

use super::ticks::{self, Tick};
use crate::ReportError;
use crate::error::finite;

/// How an axis spreads its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances for equal differences.
    #[default]
    Linear,
    /// Equal distances for equal ratios; all values must be above zero.
    Log,
}

/// What an axis measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Quantity: "memory latency".
    pub label: String,
    /// Unit; empty for counts and ratios.
    pub unit: String,
    /// Spread of the values.
    pub scale: Scale,
    /// A linear axis starts at zero. Bars always do.
    pub from_zero: bool,
}

impl Axis {
    /// A linear axis that covers the data only.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            unit: unit.into(),
            scale: Scale::Linear,
            from_zero: false,
        }
    }

    /// The same axis, starting at zero.
    #[must_use]
    pub fn from_zero(mut self) -> Self {
        self.from_zero = true;
        self
    }

    /// The same axis, logarithmic.
    #[must_use]
    pub fn logarithmic(mut self) -> Self {
        self.scale = Scale::Log;
        self
    }

    /// `memory latency (ns)`.
    pub(crate) fn title(&self) -> String {
        if self.unit.is_empty() {
            self.label.clone()
        } else {
            format!("{} ({})", self.label, self.unit)
        }
    }
}

/// Range and ticks of an axis.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    scale: Scale,
    min: f64,
    max: f64,
    pub(crate) ticks: Vec<Tick>,
}

impl Domain {
    /// The range that shows all `values`, rounded outwards to ticks (about `count` of them). No values: 0 to 1.
    pub(crate) fn around(axis: &Axis, values: impl Iterator<Item = f64>, count: usize) -> Result<Self, ReportError> {
        let (min, max) = extremes(axis, values)?;
        match axis.scale {
            Scale::Linear => {
                let (min, max) = widen(axis, min, max);
                let step = ticks::step(max - min, count);
                let (low, high) = ((min / step).floor() * step, ((max / step) - 1e-9).ceil() * step);
                Self::of(axis, low, high, ticks::linear(low, high, step))
            }
            Scale::Log => {
                let (min, max) = if min == max { (min / 2.0, max * 2.0) } else { (min, max) };
                let (low, high) = (log_floor(min), log_ceil(max));
                Self::of(axis, low, high, ticks::logarithmic(low, high))
            }
        }
    }

    /// The range from the smallest to the largest value, not rounded: for horizontal axes that end with the data.
    /// Few different values become the ticks themselves.
    pub(crate) fn tight(axis: &Axis, values: impl Iterator<Item = f64>, count: usize) -> Result<Self, ReportError> {
        let values: Vec<f64> = values.collect();
        let (min, max) = extremes(axis, values.iter().copied())?;
        let mut distinct = values;
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        if axis.scale == Scale::Log {
            return Self::around(axis, distinct.into_iter(), count);
        }
        let (low, high) = widen(axis, min, max);
        let ticks = if distinct.len() <= count && even(&distinct) && min < max {
            ticks::labelled(&distinct)
        } else {
            ticks::linear(low, high, ticks::step(high - low, count))
        };
        Self::of(axis, low, high, ticks)
    }

    fn of(axis: &Axis, min: f64, max: f64, ticks: Vec<Tick>) -> Result<Self, ReportError> {
        if (max - min).is_finite() && max > min {
            Ok(Self {
                scale: axis.scale,
                min,
                max,
                ticks,
            })
        } else {
            Err(ReportError::TooWide {
                what: format!("axis \"{}\"", axis.label),
            })
        }
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

/// A linear range that has a width, and holds zero if the axis starts there.
fn widen(axis: &Axis, min: f64, max: f64) -> (f64, f64) {
    let (min, max) = if axis.from_zero {
        (min.min(0.0), max.max(0.0))
    } else {
        (min, max)
    };
    if max - min > max.abs().max(min.abs()) * 1e-9 {
        (min, max)
    } else if max == 0.0 {
        (0.0, 1.0)
    } else {
        (min - max.abs() / 2.0, max + max.abs() / 2.0)
    }
}

/// Values at equal distances (a sweep such as 0, 1, 2, 3): only those make readable ticks of their own.
fn even(sorted: &[f64]) -> bool {
    let gaps: Vec<f64> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.iter().all(|gap| (gap - gaps[0]).abs() <= gaps[0].abs() * 1e-6)
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

    #[test]
    fn a_sweep_keeps_its_own_values_as_ticks() {
        let axis = Axis::new("co-runners", "");
        let domain = Domain::tight(&axis, [0.0, 1.0, 2.0, 3.0, 0.0, 1.0].into_iter(), 9).unwrap();
        let labels: Vec<_> = domain.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0", "1", "2", "3"]);
    }
}
