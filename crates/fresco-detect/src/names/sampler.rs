// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pairs of lines whose banks differ as asked, and what the second of them adds.

use super::tally::{Level, Tally};
use crate::model::Model;
use crate::probe::Probe;
use crate::shape::Shape;
use crate::stats::median;
use std::collections::BTreeMap;

/// Lines kept of each bank.
const LINES: usize = 16;
/// Lines tried for them, for each.
const TRIES: usize = 64;
/// Runs of a pair, and of a line alone, of which the second fastest counts: refreshes only add time, a cached line takes it away.
const RUNS: usize = 4;
/// Rounds of a run, drawn anew for each: the steps of a clock do not fall on the same place of all runs.
const LEAST_ROUNDS: u64 = 5;
const MOST_ROUNDS: u64 = 12;
/// Rounds of the look that says which of two lines is the slower one.
const LOOK: u32 = 4;
/// Pairs of a row that the deviation is taken of.
const FIRST: u64 = 400;
/// Pairs of one test, at least and at most.
const LEAST: u64 = 1_000;
const MOST: u64 = 6_000;
/// The error that is aimed at, as a share of what a second line of a row takes.
const ERROR: f64 = 0.006;

/// Draws pairs of lines.
pub struct Sampler<'p, 't> {
    probe: &'p mut Probe<'t>,
    lines: BTreeMap<u64, Vec<u64>>,
    functions: usize,
    /// What a second line of the same row adds.
    row: Level,
    /// What effects are measured by, in nanoseconds: what a second line adds in a channel.
    unit: f64,
    /// Pairs of each test.
    pairs: u64,
}

impl<'p, 't> Sampler<'p, 't> {
    /// Looks for lines of all banks, and measures what a second line of the same row adds; `Err` says what is missing.
    pub fn new(probe: &'p mut Probe<'t>, model: &Model, shape: &Shape) -> Result<Self, String> {
        let functions = model.functions.len();
        let mut lines: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for _ in 0..(LINES * TRIES) << functions {
            if lines.len() == 1 << functions && lines.values().all(|of| of.len() >= LINES) {
                break;
            }
            let line = probe.line();
            if let Some(bank) = model.bank(line) {
                let of = lines.entry(bank).or_default();
                if of.len() < LINES && !of.contains(&line) {
                    of.push(line);
                }
            }
        }
        if lines.len() < 1 << functions {
            return Err(format!(
                "only {} of the {} banks have lines in what was probed",
                lines.len(),
                1u64 << functions
            ));
        }
        let mut sampler = Self {
            probe,
            lines,
            functions,
            row: Level {
                mean: f64::NAN,
                error: f64::INFINITY,
                n: 0,
            },
            unit: f64::NAN,
            pairs: 0,
        };
        let mut contrasts = Vec::new();
        let mut wanted = FIRST;
        while (contrasts.len() as u64) < wanted {
            let Some((a, b)) = sampler.row_pair(model, shape) else {
                return Err("no two lines of one row are known".to_owned());
            };
            if sampler.is_stopped() {
                return Err(super::STOPPED.to_owned());
            }
            contrasts.push(sampler.contrast(a, b));
            if contrasts.len() as u64 == FIRST {
                let level = sampler.level_of(&contrasts);
                let deviation = level.error * (FIRST as f64).sqrt();
                // A step that is not above 0 is refused later.
                let pairs = (deviation / (ERROR * level.mean.max(f64::MIN_POSITIVE))).powi(2);
                sampler.pairs = (pairs as u64).clamp(LEAST, MOST);
                wanted = sampler.pairs;
            }
        }
        sampler.row = sampler.level_of(&contrasts);
        sampler.unit = sampler.row.mean;
        Ok(sampler)
    }

    /// What a second line of the same row adds.
    pub fn row(&self) -> Level {
        self.row
    }

    /// What effects are measured by, in nanoseconds: what a second line adds in a channel, of the same row or of another bank, whichever
    /// is more.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Notes what a line of another bank of the channel adds.
    pub fn set_unit(&mut self, other_bank: f64) {
        self.unit = self.unit.max(other_bank);
    }

    /// The probe.
    pub fn probe(&mut self) -> &mut Probe<'t> {
        self.probe
    }

    /// Returns true if somebody wants an end.
    pub fn is_stopped(&self) -> bool {
        self.probe.governor.is_stopped()
    }

    /// How many functions there are.
    pub fn functions(&self) -> usize {
        self.functions
    }

    /// A pair of lines whose banks have this difference.
    pub fn pair(&mut self, difference: u64) -> (u64, u64) {
        let bank = self.probe.draws.below(1 << self.functions);
        (self.line_of(bank), self.line_of(bank ^ difference))
    }

    /// Contrasts of as many pairs as a test needs, of differences drawn from `of`; fewer if somebody wants an end.
    pub fn sample(&mut self, of: &[u64]) -> Tally {
        let mut tally = Tally::new(self.functions);
        for _ in 0..self.pairs {
            if of.is_empty() || self.is_stopped() {
                break;
            }
            let difference = of[self.probe.draws.below(of.len() as u64) as usize];
            let (a, b) = self.pair(difference);
            let contrast = self.contrast(a, b);
            tally.add(difference, clipped(contrast, self.unit));
        }
        tally
    }

    fn line_of(&mut self, bank: u64) -> u64 {
        let of = &self.lines[&bank];
        of[self.probe.draws.below(of.len() as u64) as usize]
    }

    /// Two lines of a row, or `None` if none are known.
    fn row_pair(&mut self, model: &Model, shape: &Shape) -> Option<(u64, u64)> {
        let columns: Vec<u64> = shape
            .columns
            .iter()
            .filter_map(|column| u64::try_from(*column).ok())
            .collect();
        if columns.is_empty() {
            return None;
        }
        (0..TRIES).find_map(|_| {
            let line = self.probe.line();
            let column = columns[self.probe.draws.below(columns.len() as u64) as usize];
            let span = &model.form.spans[model.form.span_of(line)?];
            let partner = ((line - span.offset) ^ column).checked_add(span.offset)?;
            let is_there = self
                .probe
                .governor
                .ranges()
                .iter()
                .any(|range| range.contains(&partner));
            (is_there && model.same_bank(line, partner)).then_some((line, partner))
        })
    }

    /// How much longer a pair takes than its slower line. That line is chosen by one measurement and timed by another: the slower
    /// of two times is too slow by chance.
    fn contrast(&mut self, a: u64, b: u64) -> f64 {
        let governor = &mut self.probe.governor;
        let slower = match governor.pair(a, a, LOOK) >= governor.pair(b, b, LOOK) {
            true => (a, b),
            false => (b, a),
        };
        let pair = self.time(a, b);
        let weight = self.probe.faster();
        let mut alone = (1.0 - weight) * self.time(slower.0, slower.0);
        if weight > 0.0 {
            alone += weight * self.time(slower.1, slower.1);
        }
        pair - alone
    }

    fn time(&mut self, a: u64, b: u64) -> f64 {
        let mut times = [0.0; RUNS];
        for (run, time) in times.iter_mut().enumerate() {
            let rounds = LEAST_ROUNDS + self.probe.draws.below(MOST_ROUNDS + 1 - LEAST_ROUNDS);
            let (first, second) = if run % 2 == 0 { (a, b) } else { (b, a) };
            *time = self.probe.governor.pair(first, second, rounds as u32);
        }
        times.sort_by(f64::total_cmp);
        times[1]
    }

    fn level_of(&self, contrasts: &[f64]) -> Level {
        let middle = median(contrasts);
        let mut tally = Tally::new(0);
        contrasts
            .iter()
            .for_each(|contrast| tally.add(0, clipped(*contrast, middle)));
        tally.level(|_| true)
    }
}

/// A contrast without what cannot be one of two open rows: interrupts, cached lines.
fn clipped(contrast: f64, row: f64) -> f64 {
    let row = row.abs();
    contrast.clamp(-2.0 * row, 4.0 * row)
}
