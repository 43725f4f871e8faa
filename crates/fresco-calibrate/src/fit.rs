// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chooses values of what is unknown of a machine, in the order in which the parts of the curves show them.
//!
//! 1. The fixed latency of the front end, from the latency without traffic. It is set anew after each later step.
//! 2. When rows are closed, from the latency at up to half of the maximum.
//! 3. Misses in flight of a core, with and without a limit of the traffic of its node where the measured maxima lie on one, from what
//!    happens near the maximum; likewise with lines under way of a node and of a cluster, where the machine has such a limit. They belong
//!    together: where cores have too few in flight, no limit shows.
//! 4. Drains of the write buffer, from how the maximum depends on the share of reads.
//!
//! A value is taken only if it brings the model closer. One that corrects the maximum and spoils the latency at 50 and at
//! 80 % of it is not: it would be right for the wrong reason.

use crate::bench::Bench;
use crate::comparison::{Comparison, FEW, loads, measure};
use crate::knobs::{self, Knob, Setting, as_texts};
use crate::limit::Limit;
use crate::under_way::UnderWay;
use crate::{Curve, Load, Observer};
use fresco_input::InputError;
use serde::Serialize;

const FRONTEND: &str = "memory.controller.frontend";

/// Longest front end, in nanoseconds: beyond any published latency of a whole access. It is chosen in whole nanoseconds: the
/// measured shares of reads, alike without traffic, differ by as much.
const MOST_FRONTEND: f64 = 200.0;

/// How often the front end is set and the latency without traffic looked at. It settles at the second if the latency follows evenly.
const CORRECTIONS: usize = 4;

/// A step must reduce the distance by this part of it at least: less is within what seeds change.
const WORTH: f64 = 0.02;

/// How much a mean latency error changes with the seed, in percent of the latency: two deviations of the difference of two runs of 500
/// loads, of which each deviates by a third of their mean, over two shares of reads.
const SEEDS: f64 = 3.0;

/// A value that was tried, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// Values, with the front end that suits them.
    pub settings: Vec<Setting>,
    /// Sum over the shares of reads of [`crate::Errors::distance`]; `None` if the machine has no such value.
    pub distance: Option<f64>,
    /// Mean latency error at up to 60 % of the maxima, in percent.
    pub slope: f64,
    /// Mean error of the maxima, in percent.
    pub highest: f64,
}

/// One step: what was tried, and which was taken.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// What was fitted.
    pub name: &'static str,
    /// From what, and within which bounds.
    pub why: &'static str,
    /// Everything that was tried; first the values before the step.
    pub tried: Vec<Tried>,
    /// Which of them was taken; 0 if none was better.
    pub taken: usize,
}

/// Values that fit the curves, and how they were found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Fitted {
    /// In place of the machine's own.
    pub settings: Vec<Setting>,
    /// In order.
    pub steps: Vec<Step>,
}

/// Fits a machine to curves; what has been found so far if the observer stops it.
///
/// # Errors
/// What a run finds.
pub fn fit(bench: &Bench, curves: &[&Curve], observer: &dyn Observer) -> Result<Fitted, InputError> {
    let Some(loads) = loads(bench, &[], curves, &FEW, observer)? else {
        return Ok(Fitted::default());
    };
    let search = Search {
        bench,
        curves,
        loads: &loads,
        observer,
    };
    let mut fitted = Fitted::default();
    let Some(mut best) = search.measure(&[])? else {
        return Ok(fitted);
    };
    fitted.settings.clone_from(&best.settings);
    for knob in knobs::all(
        &bench.machine,
        Limit::of(curves),
        UnderWay::of_machine(curves, &bench.machine),
    ) {
        if !search.step(&knob, &mut best, &mut fitted)? {
            break;
        }
    }
    Ok(fitted)
}

struct Search<'a> {
    bench: &'a Bench,
    curves: &'a [&'a Curve],
    /// By curve: what the model is put under, whatever its values.
    loads: &'a [Vec<Load>],
    observer: &'a dyn Observer,
}

/// Settings and how far they are from the curves.
#[derive(Clone)]
struct Measure {
    settings: Vec<Setting>,
    shares: Vec<Comparison>,
}

impl Measure {
    /// What a key has: as fitted, or as the machine says.
    fn value_of(&self, key: &str, bench: &Bench) -> Option<String> {
        let fitted = self.settings.iter().find(|one| one.key == key);
        fitted.map_or_else(|| bench.value_of(key), |one| Some(one.value.clone()))
    }

    fn mean(&self, of: impl Fn(&Comparison) -> f64) -> f64 {
        self.shares.iter().map(of).sum::<f64>() / self.shares.len().max(1) as f64
    }

    fn distance(&self) -> f64 {
        self.shares.iter().map(|share| share.errors.distance()).sum()
    }

    /// Mean sizes of the latency errors at 50 and at 80 % of the maximum, in percent.
    fn loaded(&self) -> [f64; 2] {
        let size = |error: Option<f64>| error.map_or(100.0, f64::abs);
        [
            self.mean(|share| size(share.errors.at_half)),
            self.mean(|share| size(share.errors.at_80)),
        ]
    }

    /// Returns true if this corrects the maximum of another and spoils its latency at both parts of it: it is right for the
    /// wrong reason.
    fn is_wrong_beside(&self, other: &Self) -> bool {
        let spoils = std::iter::zip(self.loaded(), other.loaded()).all(|(new, old)| new > old + SEEDS);
        self.highest() < other.highest() && spoils
    }

    fn highest(&self) -> f64 {
        self.mean(|share| share.errors.highest.abs())
    }

    /// What decides in a step.
    fn objective(&self, of_the_slope: bool) -> f64 {
        match of_the_slope {
            true => self.mean(|share| share.errors.slope),
            false => self.distance(),
        }
    }

    fn tried(&self) -> Tried {
        Tried {
            settings: self.settings.clone(),
            distance: Some(self.distance()),
            slope: self.mean(|share| share.errors.slope),
            highest: self.mean(|share| share.errors.highest),
        }
    }
}

impl Search<'_> {
    /// Tries every value of a knob; false if it was stopped.
    fn step(&self, knob: &Knob, best: &mut Measure, fitted: &mut Fitted) -> Result<bool, InputError> {
        let mut step = Step {
            name: knob.name,
            why: knob.why,
            tried: vec![best.tried()],
            taken: 0,
        };
        let before = best.clone();
        for candidate in &knob.candidates {
            let mut settings = before.settings.clone();
            for setting in candidate {
                settings.retain(|other| other.key != setting.key);
                settings.push(setting.clone());
            }
            if candidate
                .iter()
                .all(|one| before.value_of(one.key, self.bench).as_ref() == Some(&one.value))
            {
                continue;
            }
            if !self.bench.accepts(&as_texts(&settings)) {
                step.tried.push(Tried {
                    settings,
                    distance: None,
                    slope: 0.0,
                    highest: 0.0,
                });
                continue;
            }
            let Some(measure) = self.measure(&settings)? else {
                return Ok(false);
            };
            step.tried.push(measure.tried());
            let [new, old] = [&measure, &*best].map(|one| one.objective(knob.of_the_slope));
            if new < old * (1.0 - WORTH) && !measure.is_wrong_beside(&before) {
                step.taken = step.tried.len() - 1;
                *best = measure;
            }
        }
        fitted.settings.clone_from(&best.settings);
        fitted.steps.push(step);
        Ok(true)
    }

    /// Measures settings with the front end that gives the latency without traffic; `None` if it was stopped.
    fn measure(&self, settings: &[Setting]) -> Result<Option<Measure>, InputError> {
        let mut settings = settings.to_vec();
        let Some(frontend) = self.frontend(&settings)? else {
            return Ok(None);
        };
        settings.retain(|one| one.key != FRONTEND);
        settings.insert(0, frontend);
        let shares = measure(self.bench, &as_texts(&settings), self.curves, self.loads, self.observer)?;
        Ok(shares.map(|shares| Measure { settings, shares }))
    }

    /// The front end with which the latency without traffic comes nearest to the mean of the measured ones; `None` if it was stopped.
    /// The latency need not follow it evenly (a chase may fall into step with the controller's clock), so that it is corrected again.
    fn frontend(&self, settings: &[Setting]) -> Result<Option<Setting>, InputError> {
        let measured = self.curves.iter().map(|curve| curve.unloaded()).sum::<f64>() / self.curves.len().max(1) as f64;
        let own = settings.iter().find(|one| one.key == FRONTEND);
        let own = match own {
            Some(setting) => nanoseconds(&setting.value),
            None => (self.bench.machine.memory.controller.frontend as f64 / 1000.0).round(),
        };
        let mut tried: Vec<(f64, f64)> = Vec::new();
        let mut next = own.clamp(0.0, MOST_FRONTEND);
        while tried.len() < CORRECTIONS && tried.iter().all(|&(value, _)| value != next) {
            let mut settings = settings.to_vec();
            settings.retain(|one| one.key != FRONTEND);
            settings.push(front(next));
            self.observer.planned(self.bench.runs(1));
            let Some(points) = self
                .bench
                .run(&as_texts(&settings), &[Load::idle(100)], self.observer)?
            else {
                return Ok(None);
            };
            let error = points[0].ns - measured;
            tried.push((next, error));
            next = (next - error).round().clamp(0.0, MOST_FRONTEND);
        }
        let nearest = tried
            .into_iter()
            .min_by(|one, other| one.1.abs().total_cmp(&other.1.abs()));
        Ok(nearest.map(|(value, _)| front(value)))
    }
}

/// A front end of so many nanoseconds.
fn front(nanoseconds: f64) -> Setting {
    Setting::new(FRONTEND, format!("\"{nanoseconds:.0} ns\""))
}

/// What [`front`] has written.
fn nanoseconds(value: &str) -> f64 {
    value.trim_matches('"').trim_end_matches(" ns").parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::under_way::NODE_IN_FLIGHT;
    use crate::{Errors, Measured};

    struct Nobody;
    impl Observer for Nobody {
        fn planned(&self, _: u64) {}
        fn done(&self) {}
        fn is_stopped(&self) -> bool {
            false
        }
    }

    fn measure(highest: f64, at_half: f64, at_80: f64) -> Measure {
        let errors = Errors {
            unloaded: 0.0,
            highest,
            at_half: Some(at_half),
            at_80: Some(at_80),
            slope: 0.0,
        };
        let measured = Curve {
            reads: 100,
            points: Vec::new(),
        };
        Measure {
            settings: Vec::new(),
            shares: vec![Comparison {
                measured,
                model: Vec::new(),
                errors,
            }],
        }
    }

    #[test]
    fn what_corrects_the_maximum_may_not_spoil_both_latencies() {
        let before = measure(30.0, 2.0, -8.0);
        assert!(measure(0.0, 9.0, 20.0).is_wrong_beside(&before));
        // One of them alone, or as much as seeds change, is no reason.
        assert!(!measure(0.0, 4.5, 20.0).is_wrong_beside(&before));
        assert!(!measure(0.0, 9.0, -10.5).is_wrong_beside(&before));
        // Nor is what does not correct the maximum.
        assert!(!measure(31.0, 9.0, 20.0).is_wrong_beside(&before));
    }

    /// A curve that the model itself has measured with so many lines under way, and another seed, beside a machine that says otherwise.
    #[test]
    fn lines_under_way_are_found_again() {
        let bench = |lines: u32, seed| {
            let set = [format!("{NODE_IN_FLIGHT}={lines}")];
            Bench::new("xeon-w3530", &set, 400, seed, true).expect("is built in")
        };
        let pauses = [400, 200, 100, 50, 20, 0].map(|pause| Load::paused(100, pause));
        let all = [&[Load::idle(100)][..], &pauses].concat();
        let points = bench(8, 77).run(&[], &all, &Nobody).expect("runs");
        let of = |point: &crate::Point| Measured {
            gb_s: point.gb_s,
            ns: point.ns,
        };
        let mut points: Vec<Measured> = points.expect("is not stopped").iter().map(of).collect();
        points.sort_by(|one, other| one.gb_s.total_cmp(&other.gb_s));
        let curve = Curve { reads: 100, points };

        let (bench, curves) = (bench(40, 1), [&curve]);
        let loads = loads(&bench, &[], &curves, &FEW, &Nobody).expect("runs");
        let search = Search {
            bench: &bench,
            curves: &curves,
            loads: &loads.expect("is not stopped"),
            observer: &Nobody,
        };
        let mut best = search.measure(&[]).expect("runs").expect("is not stopped");
        let knobs = knobs::all(&bench.machine, None, UnderWay::of_machine(&curves, &bench.machine));
        let knob = knobs.iter().find(|knob| knob.name.ends_with("lines under way"));
        let mut fitted = Fitted::default();
        search
            .step(knob.expect("the machine has the limit"), &mut best, &mut fitted)
            .expect("runs");
        assert_eq!(
            best.value_of(NODE_IN_FLIGHT, &bench).as_deref(),
            Some("8"),
            "{:#?}",
            fitted.steps
        );
        assert_eq!(best.value_of("core.mshrs", &bench).as_deref(), Some("10"));
        assert!(best.distance() < 1.0, "{}", best.distance());
    }
}
