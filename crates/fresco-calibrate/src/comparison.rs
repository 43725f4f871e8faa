// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model's points beside the measured curve of their share of reads.

use crate::{Bench, Curve, Load, Observer, Point};
use fresco_input::InputError;
use serde::Serialize;

/// How far a model is from a measured curve, each in percent of what was measured; positive where the model has more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Errors {
    /// Latency without traffic.
    pub unloaded: f64,
    /// Most traffic.
    pub highest: f64,
    /// Latency at half of the measured maximum; `None` if the model does not get near it.
    pub at_half: Option<f64>,
    /// The same at 80 %.
    pub at_80: Option<f64>,
    /// Mean of the sizes of latency errors at up to 60 % of the measured maximum.
    pub slope: f64,
}

/// What counts as close, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limits {
    /// Of the latency without traffic.
    pub unloaded: f64,
    /// Of the highest traffic.
    pub highest: f64,
    /// Of the latency at 50 and 80 % of it.
    pub loaded: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            unloaded: 3.0,
            highest: 7.0,
            loaded: 15.0,
        }
    }
}

impl Errors {
    /// A distance for choosing: the sum of squares of the errors in units of their limits. A latency that is not reached
    /// counts as an error of twice its limit.
    pub fn distance(&self) -> f64 {
        let limits = Limits::default();
        let square = |error: f64, limit: f64| (error / limit).powi(2);
        let loaded = |error: Option<f64>| square(error.unwrap_or(2.0 * limits.loaded), limits.loaded);
        square(self.unloaded, limits.unloaded)
            + square(self.highest, limits.highest)
            + loaded(self.at_half)
            + loaded(self.at_80)
    }

    /// Returns true if every error is within its limit.
    pub fn are_within(&self, limits: &Limits) -> bool {
        let loaded = |error: Option<f64>| error.is_some_and(|error| error.abs() <= limits.loaded);
        self.unloaded.abs() <= limits.unloaded
            && self.highest.abs() <= limits.highest
            && loaded(self.at_half)
            && loaded(self.at_80)
    }
}

/// The model beside one measured curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What was measured.
    pub measured: Curve,
    /// What the model does, by traffic; the first without generators.
    pub model: Vec<Point>,
    /// How far the two are apart.
    pub errors: Errors,
}

/// Parts of the measured maximum that a comparison asks for when values are chosen, besides idleness and saturation.
pub(crate) const FEW: [f64; 3] = [0.3, 0.5, 0.8];

/// Those of a whole curve.
const MANY: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// Bytes that the chase moves in a latency.
const LINE_BYTES: f64 = 64.0;

/// How near in traffic a point must be to one that is asked for, as a part of the measured maximum, to stand for it.
const NEAR: f64 = 0.07;

/// The loads of a comparison with each measured curve: none, parts of the maximum as far as the model gets, and less and less pause
/// up to none at all. `None` if the observer has stopped it.
pub(crate) fn loads(
    bench: &Bench,
    settings: &[String],
    curves: &[&Curve],
    parts: &[f64],
    observer: &dyn Observer,
) -> Result<Option<Vec<Vec<Load>>>, InputError> {
    let wanted = |curve: &&Curve| {
        let part = |part: &f64| {
            let gb_s = part * curve.highest();
            (curve.reads, gb_s, curve.at(gb_s).unwrap_or_default())
        };
        parts.iter().chain(&[1.0]).map(part).collect::<Vec<_>>()
    };
    let all: Vec<_> = curves.iter().flat_map(wanted).collect();
    let Some(aimed) = bench.aim(settings, &all, observer)? else {
        return Ok(None);
    };
    let of_share = |(curve, loads): (&&Curve, &[Load])| {
        let reads = curve.reads;
        let (enough, parts) = loads.split_last().expect("a load for the maximum");
        // Between just enough and no pause saturation may be reached, and left again.
        let enough = enough.pause.unwrap_or(0);
        let pressed = [enough * 3 / 4, enough / 2, 0].map(|pause| Load {
            saturates: true,
            ..Load::paused(reads, pause)
        });
        std::iter::once(Load::idle(reads))
            .chain(parts.iter().copied())
            .chain(pressed)
            .collect()
    };
    let shares = std::iter::zip(curves, aimed.chunks(parts.len() + 1));
    Ok(Some(shares.map(of_share).collect()))
}

/// The model beside each of the measured curves, from idleness to saturation, each load `repetitions` times; `None` if the observer has
/// stopped it.
///
/// # Errors
/// What a run finds.
pub fn compare(
    bench: &Bench,
    settings: &[String],
    curves: &[&Curve],
    repetitions: u32,
    observer: &dyn Observer,
) -> Result<Option<Vec<Comparison>>, InputError> {
    let Some(loads) = loads(bench, settings, curves, &MANY, observer)? else {
        return Ok(None);
    };
    measure(&bench.repeated(repetitions), settings, curves, &loads, observer)
}

/// The model under the loads of each curve, beside it.
pub(crate) fn measure(
    bench: &Bench,
    settings: &[String],
    curves: &[&Curve],
    loads: &[Vec<Load>],
    observer: &dyn Observer,
) -> Result<Option<Vec<Comparison>>, InputError> {
    let all = loads.concat();
    observer.planned(bench.runs(all.len()));
    let Some(points) = bench.run(settings, &all, observer)? else {
        return Ok(None);
    };
    let mut points = points.into_iter();
    let of_share =
        |(curve, loads): (&&Curve, &Vec<Load>)| Comparison::new(curve, points.by_ref().take(loads.len()).collect());
    Ok(Some(std::iter::zip(curves, loads).map(of_share).collect()))
}

impl Comparison {
    /// Compares points, the first without generators.
    pub fn new(measured: &Curve, mut model: Vec<Point>) -> Self {
        let unloaded = model.first().map_or(0.0, |point| point.ns);
        model.sort_by(|a, b| a.gb_s.total_cmp(&b.gb_s));
        let highest = model.iter().map(|point| point.gb_s).fold(0.0, f64::max);
        let percent = |ours: f64, theirs: f64| 100.0 * (ours / theirs - 1.0);
        let at = |part: f64| {
            let wanted = part * measured.highest();
            let point = near(&model, wanted, NEAR * measured.highest())?;
            Some(percent(point.ns, measured.at(point.gb_s)?))
        };
        let low = model.iter().filter(|point| point.gb_s <= 0.6 * measured.highest());
        let of_slope: Vec<f64> = low
            .filter_map(|point| Some(percent(point.ns, measured.at(point.gb_s)?).abs()))
            .collect();
        let errors = Errors {
            unloaded: percent(unloaded, measured.unloaded()),
            highest: percent(highest, measured.highest()),
            at_half: at(0.5),
            at_80: at(0.8),
            slope: of_slope.iter().sum::<f64>() / of_slope.len().max(1) as f64,
        };
        Self {
            measured: measured.clone(),
            model,
            errors,
        }
    }

    /// Error of a point's latency, in percent of what was measured at its traffic; `None` beyond the measured maximum.
    pub fn error(&self, point: &Point) -> Option<f64> {
        self.measured.at(point.gb_s).map(|ns| 100.0 * (point.ns / ns - 1.0))
    }

    /// Returns true if the DRAM served the share of reads that was asked for, to 2 % of all lines, wherever there was
    /// traffic to speak of: caches were as dirty as they become. What the chase itself reads is no part of the generators' share.
    pub fn is_dirty_enough(&self) -> bool {
        let is_so = |point: &Point| {
            let chase = (LINE_BYTES / point.ns / point.gb_s).min(1.0);
            let expected = 100.0 * chase + f64::from(point.reads) * (1.0 - chase);
            (point.reads_served - expected).abs() <= 2.0
        };
        let is_loaded = |point: &&Point| point.gb_s > 0.3 * self.measured.highest();
        self.model.iter().filter(is_loaded).all(is_so)
    }
}

/// The point nearest to a traffic, if it is within `reach` of it; else one on the straight line between the two beside it.
/// `None` if the model does not get there. Points are by traffic.
fn near(model: &[Point], gb_s: f64, reach: f64) -> Option<Point> {
    let distance = |point: &&Point| (point.gb_s - gb_s).abs();
    let nearest = model.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    if distance(&nearest) <= reach {
        return Some(*nearest);
    }
    let above = model.iter().position(|point| point.gb_s >= gb_s)?;
    let (left, right) = (model[above.checked_sub(1)?], model[above]);
    let part = (gb_s - left.gb_s) / (right.gb_s - left.gb_s);
    Some(Point {
        gb_s,
        ns: left.ns + part * (right.ns - left.ns),
        ..left
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measured;

    fn point(gb_s: f64, ns: f64) -> Point {
        Point {
            reads: 100,
            pause: Some(0),
            gb_s,
            ns,
            reads_served: 100.0,
        }
    }

    #[test]
    fn errors_are_those_at_the_models_own_traffic() {
        let points = [(0.0, 100.0), (50.0, 110.0), (80.0, 120.0), (100.0, 200.0)];
        let measured = Curve {
            reads: 100,
            points: points.map(|(gb_s, ns)| Measured { gb_s, ns }).to_vec(),
        };
        let model = vec![
            point(0.6, 102.0),
            point(52.0, 122.0),
            point(77.0, 119.0),
            point(95.0, 300.0),
        ];
        let comparison = Comparison::new(&measured, model);
        let errors = comparison.errors;
        assert!(
            (errors.unloaded - 2.0).abs() < 1e-9 && (errors.highest + 5.0).abs() < 1e-9,
            "{errors:?}"
        );
        // At 52 GB/s 110.67 ns were measured, at 77 119 ns.
        assert!((errors.at_half.expect("is near") - (12_200.0 / 110.0 / (1.0 + 2.0 / 330.0) - 100.0)).abs() < 0.01);
        assert!(errors.at_80.expect("is near").abs() < 1e-9);
        assert!(errors.are_within(&Limits::default()));
        assert!(!Errors { at_80: None, ..errors }.are_within(&Limits::default()));
        assert!(Errors { at_80: None, ..errors }.distance() > errors.distance() + 3.9);
    }

    #[test]
    fn between_points_that_are_far_apart_lies_a_straight_line() {
        let model = [point(0.0, 100.0), point(40.0, 120.0), point(80.0, 160.0)];
        let at = |gb_s| near(&model, gb_s, 5.0).map(|point| (point.gb_s, point.ns));
        assert_eq!(at(42.0), Some((40.0, 120.0)));
        assert_eq!(at(60.0), Some((60.0, 140.0)));
        assert_eq!((at(84.0), at(90.0)), (Some((80.0, 160.0)), None));
    }

    #[test]
    fn clean_caches_are_told() {
        let measured = Curve {
            reads: 80,
            points: vec![Measured { gb_s: 0.0, ns: 100.0 }, Measured { gb_s: 10.0, ns: 110.0 }],
        };
        let served = |reads_served| Point {
            reads: 80,
            reads_served,
            ..point(9.0, 110.0)
        };
        // The chase reads 64 bytes in 110 ns, 6.5 % of all: 81.3 % are expected.
        assert!(Comparison::new(&measured, vec![served(83.2)]).is_dirty_enough());
        assert!(!Comparison::new(&measured, vec![served(83.4)]).is_dirty_enough());
        assert!(!Comparison::new(&measured, vec![served(92.0)]).is_dirty_enough());
    }
}
