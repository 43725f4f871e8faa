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
/// Reference lines: what the two lines of a pair cost beside lines that have nothing to do with them.
const REFERENCES: usize = 5;
/// Lines of which the references are chosen.
const CANDIDATES: usize = 12;
/// Runs that the level of the references is taken of: the fastest fifth, as some of them may conflict.
const LEVEL_RUNS: usize = 15;

/// Probes pairs of lines.
pub struct Probe<'t> {
    /// The timer, with the bound on activations.
    pub governor: Governor<'t>,
    /// All random choices.
    pub draws: Draws,
    references: Vec<u64>,
    level: VecDeque<f64>,
}

impl<'t> Probe<'t> {
    /// A probe of a governed timer.
    pub fn new(governor: Governor<'t>, seed: u64) -> Self {
        let mut probe = Self {
            governor,
            draws: Draws::new(seed),
            references: Vec::new(),
            level: VecDeque::new(),
        };
        probe.references = probe.choose_references();
        probe
    }

    /// Lines that are as fast together as can be: few of them conflict with one another.
    fn choose_references(&mut self) -> Vec<u64> {
        let mut lines: Vec<u64> = (0..CANDIDATES).map(|_| self.line()).collect();
        let mut times = vec![vec![0.0; CANDIDATES]; CANDIDATES];
        for i in 0..CANDIDATES {
            for j in 0..i {
                let time = self.careful(lines[i], lines[j], 3);
                (times[i][j], times[j][i]) = (time, time);
            }
        }
        while lines.len() > REFERENCES {
            let sum = |i: &usize| times[*i].iter().sum::<f64>();
            let slowest = (0..lines.len()).max_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap_or(0);
            lines.remove(slowest);
            times.remove(slowest);
            times.iter_mut().for_each(|row| {
                row.remove(slowest);
            });
        }
        lines
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

    /// How much longer a pair takes than its two lines beside references would: about zero unless they conflict.
    ///
    /// Lines that are slow by themselves, with whatever partner, have no contrast. The references are measured at the
    /// same time as the pair, so that slow changes of all latencies cancel.
    pub fn contrast(&mut self, a: u64, b: u64) -> f64 {
        let time = self.careful(a, b, RUNS);
        let beside_a = self.beside_references(a);
        let beside_b = self.beside_references(b);
        for _ in 0..3 {
            let (i, j) = (
                self.draws.below(REFERENCES as u64),
                self.draws.below(REFERENCES as u64 - 1),
            );
            let j = if j >= i { j + 1 } else { j };
            let level = self.quick(self.references[i as usize], self.references[j as usize]);
            self.level.push_back(level);
        }
        while self.level.len() > LEVEL_RUNS {
            self.level.pop_front();
        }
        time - (beside_a + beside_b - quantile(self.level.make_contiguous(), 0.2))
    }

    /// The second fastest reference: as long as a line conflicts with fewer than four of them, it is the same one for all
    /// lines, and what it adds is the same.
    fn beside_references(&mut self, line: u64) -> f64 {
        let times: Vec<f64> = (0..REFERENCES)
            .map(|i| {
                let reference = self.references[i];
                self.quick(line, reference).min(self.quick(reference, line))
            })
            .collect();
        quantile(&times, 0.25)
    }
}

/// What most pairs of a screen take, kept up to date: a pair that stands out is worth a careful look.
#[derive(Debug)]
pub struct Bulk {
    recent: VecDeque<f64>,
    middle: f64,
    spread: f64,
    age: usize,
}

/// What stands out takes at least this share longer. A row conflict takes half as long again as the rest, and more.
const LEAST_STEP: f64 = 0.06;
/// Runs that the bulk is taken of.
const BULK_RUNS: usize = 127;

impl Bulk {
    /// The bulk of random pairs, measured now.
    pub fn measure(probe: &mut Probe<'_>) -> Self {
        let recent = (0..BULK_RUNS)
            .map(|_| {
                let (a, b) = (probe.line(), probe.line());
                probe.quick(a, b)
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

    /// Two deviations above the middle, both of the faster half: conflicts and refreshes are in the other one. A coarse
    /// timer shows no deviation, so at least a few percent.
    pub fn limit(&self) -> f64 {
        self.middle + (2.0 * self.spread).max(LEAST_STEP * self.middle)
    }

    fn settle(&mut self) {
        let recent = self.recent.make_contiguous();
        self.middle = median(recent);
        self.spread = self.middle - quantile(recent, 0.16);
        self.age = 0;
    }
}
