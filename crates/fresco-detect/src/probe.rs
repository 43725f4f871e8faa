// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measuring whether two lines conflict, against noise, refreshes, drift, and lines that are slow by themselves.

use crate::governor::Governor;
use crate::random::Draws;
use crate::stats::{median, quantile};
use std::collections::VecDeque;

/// Rounds of one run: enough that one tick of a clock counter is little of it, few enough that most runs meet no refresh.
pub const ROUNDS: u32 = 6;
/// Runs of one careful measurement, of which the second fastest counts: interrupts and refreshes only add time, and
/// one run may have found a line in a cache.
const RUNS: usize = 7;
/// Runs of a line alone.
const SINGLE_RUNS: usize = 5;
/// Random pairs from which it is found how the times of two lines make that of a pair.
const FITTED: usize = 100;

/// Probes pairs of lines.
pub struct Probe<'t> {
    /// The timer, with the bound on activations.
    pub governor: Governor<'t>,
    /// All random choices.
    pub draws: Draws,
    /// Weight of the faster line in the time of a pair, 0 to 0.5: a pair is over when its slower line is there (0), or
    /// both count alike (0.5).
    faster: f64,
}

impl<'t> Probe<'t> {
    /// A probe of a governed timer.
    pub fn new(governor: Governor<'t>, seed: u64) -> Self {
        let mut probe = Self {
            governor,
            draws: Draws::new(seed),
            faster: 0.0,
        };
        probe.fit();
        probe
    }

    /// Finds the weight with which the times of single lines explain most of the times of pairs. Conflicts, in the slow
    /// part of the residuals, have no say.
    fn fit(&mut self) {
        let times: Vec<(f64, f64, f64)> = (0..FITTED)
            .map(|_| {
                let (a, b) = (self.line(), self.line());
                (self.careful(a, b, SINGLE_RUNS), self.single(a), self.single(b))
            })
            .collect();
        let spread = |weight: f64| {
            let residuals: Vec<f64> = times.iter().map(|(t, a, b)| t - alone(weight, *a, *b)).collect();
            quantile(&residuals, 0.7) - quantile(&residuals, 0.1)
        };
        let weights = (0..6).map(|tenth| f64::from(tenth) / 10.0);
        self.faster = weights.min_by(|a, b| spread(*a).total_cmp(&spread(*b))).unwrap_or(0.0);
    }

    /// Weight of the faster of two lines in the time of a pair, 0 to 0.5.
    pub(crate) fn faster(&self) -> f64 {
        self.faster
    }

    /// A line anywhere.
    pub fn line(&mut self) -> u64 {
        self.draws.line(self.governor.ranges())
    }

    /// One run of a pair: mean time of a round in nanoseconds.
    pub fn quick(&mut self, a: u64, b: u64) -> f64 {
        self.governor.pair(a, b, ROUNDS)
    }

    /// Second fastest of several runs, the lines swapped from run to run.
    pub fn careful(&mut self, a: u64, b: u64, runs: usize) -> f64 {
        let mut times: Vec<f64> = (0..runs.max(2))
            .map(|run| {
                if run % 2 == 0 {
                    self.quick(a, b)
                } else {
                    self.quick(b, a)
                }
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[1]
    }

    /// Time of a line by itself.
    pub fn single(&mut self, line: u64) -> f64 {
        self.careful(line, line, SINGLE_RUNS)
    }

    /// How much longer a pair takes than its two lines do: the same for all pairs unless they conflict.
    ///
    /// Lines that are slow by themselves, as those of a far node are, have no contrast. Lines are measured at the same
    /// time as the pair, so that slow changes of all latencies cancel.
    pub fn contrast(&mut self, a: u64, b: u64) -> f64 {
        let time = self.careful(a, b, RUNS);
        time - alone(self.faster, self.single(a), self.single(b))
    }

    /// A first look at a pair whose first line takes `single` alone: as [`Self::contrast`], from few runs.
    pub fn glance(&mut self, a: u64, single: f64, b: u64) -> f64 {
        let other = self.quick(b, b).min(self.quick(b, b));
        self.quick(a, b) - alone(self.faster, single, other)
    }
}

/// What the times of two lines make the time of a pair, but for a constant.
fn alone(faster: f64, a: f64, b: f64) -> f64 {
    (1.0 - faster) * a.max(b) + faster * a.min(b)
}

/// What first looks at most pairs of a screen show, kept up to date: a pair that stands out is worth a careful look.
#[derive(Debug)]
pub struct Bulk {
    recent: VecDeque<f64>,
    middle: f64,
    spread: f64,
    age: usize,
}

/// What stands out takes at least so many nanoseconds longer. A row conflict takes tRP + tRCD longer, 24 ns or more in every grade from DDR2 to
/// DDR5; turns of the bus between ranks, and lines of one rank, up to some ten.
const LEAST_STEP_NS: f64 = 12.0;
/// Runs that the bulk is taken of.
const BULK_RUNS: usize = 127;

impl Bulk {
    /// The bulk of random pairs, measured now.
    pub fn measure(probe: &mut Probe<'_>) -> Self {
        let recent = (0..BULK_RUNS)
            .map(|_| {
                let (a, b) = (probe.line(), probe.line());
                let single = probe.quick(a, a).min(probe.quick(a, a));
                probe.glance(a, single, b)
            })
            .collect();
        let mut bulk = Self {
            recent,
            middle: 0.0,
            spread: 0.0,
            age: 0,
        };
        bulk.settle();
        bulk
    }

    /// Adds a run.
    pub fn add(&mut self, time: f64) {
        self.recent.pop_front();
        self.recent.push_back(time);
        self.age += 1;
        if self.age >= BULK_RUNS / 4 {
            self.settle();
        }
    }

    /// Two deviations above the middle, both of the faster half: conflicts and refreshes are in the other one. A quiet machine shows
    /// hardly any deviation, nor does a coarse timer, so at least what a conflict takes.
    pub fn limit(&self) -> f64 {
        self.middle + (2.0 * self.spread).max(LEAST_STEP_NS)
    }

    fn settle(&mut self) {
        let recent = self.recent.make_contiguous();
        self.middle = median(recent);
        self.spread = self.middle - quantile(recent, 0.16);
        self.age = 0;
    }
}
