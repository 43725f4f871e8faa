// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contrasts by the difference of the banks, and the tests that names rest on.

use crate::wide::{Basis, parity};
use serde::Serialize;

/// A test decides only beyond so many standard errors: 2 × 10⁻⁹ of a normal error. Of at most 2¹² functions in some ten tests each, less
/// than one in 10,000 memories meets one by chance.
pub const SIGMAS: f64 = 6.0;

/// A function that looks like one of a kind beyond so many standard errors is tested as one. The look may be wrong in either way: the
/// test is made with pairs drawn anew, and decides.
pub const LOOK_SIGMAS: f64 = 4.0;

/// A mean with its standard error, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Level {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Of how many pairs of lines.
    pub n: u64,
}

impl Level {
    /// How far this is above another one, with the error of both.
    pub fn above(&self, other: &Level) -> Level {
        Level {
            mean: self.mean - other.mean,
            error: self.error.hypot(other.error),
            n: self.n + other.n,
        }
    }

    /// Half of the interval beyond which a test decides.
    pub fn reach(&self) -> f64 {
        SIGMAS * self.error
    }

    /// Half of the interval beyond which a function is worth a test.
    pub fn look(&self) -> f64 {
        LOOK_SIGMAS * self.error
    }

    /// Surely above `least`.
    pub fn is_above(&self, least: f64) -> bool {
        self.mean - self.reach() > least
    }

    /// Surely below `most`.
    pub fn is_below(&self, most: f64) -> bool {
        self.mean + self.reach() < most
    }

    /// Not to be told from zero, although an effect of `visible` would be; `small` effects do not count.
    pub fn is_nothing(&self, small: f64, visible: f64) -> bool {
        self.mean.abs() <= self.reach().max(small) && self.reach() <= visible
    }
}

/// Number, sum and squares of the contrasts of one difference.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    n: u64,
    sum: f64,
    squares: f64,
}

/// Contrasts by the difference of the banks of the two lines: bit i is set if function i differs.
#[derive(Clone, Debug)]
pub struct Tally {
    cells: Vec<Cell>,
}

impl Tally {
    /// Of so many functions.
    pub fn new(functions: usize) -> Self {
        Self {
            cells: vec![Cell::default(); 1 << functions],
        }
    }

    /// Notes the contrast of a pair.
    pub fn add(&mut self, difference: u64, contrast: f64) {
        let cell = &mut self.cells[difference as usize];
        cell.n += 1;
        cell.sum += contrast;
        cell.squares += contrast * contrast;
    }

    /// The level of the differences that are asked for; of no error if there are fewer than two pairs, and then of no number.
    pub fn level(&self, of: impl Fn(u64) -> bool) -> Level {
        let chosen = self.cells.iter().enumerate().filter(|(d, _)| of(*d as u64));
        let all = chosen.fold(Cell::default(), |all, (_, cell)| Cell {
            n: all.n + cell.n,
            sum: all.sum + cell.sum,
            squares: all.squares + cell.squares,
        });
        if all.n < 2 {
            return Level {
                mean: f64::NAN,
                error: f64::INFINITY,
                n: all.n,
            };
        }
        let n = all.n as f64;
        let mean = all.sum / n;
        let variance = (all.squares - n * mean * mean).max(0.0) / (n - 1.0);
        Level {
            mean,
            error: (variance / n).sqrt(),
            n: all.n,
        }
    }

    /// How much longer pairs take that differ in `function` (a sum of functions, one bit each) than those that do not, among the
    /// differences that are asked for; `None` where all or none of them differ in it.
    pub fn effect(&self, function: u64, of: impl Fn(u64) -> bool) -> Option<Level> {
        let differs = |d: u64| parity(u128::from(d & function)) == 1;
        let (with, without) = (
            self.level(|d| of(d) && differs(d)),
            self.level(|d| of(d) && !differs(d)),
        );
        (with.n > 1 && without.n > 1).then(|| with.above(&without))
    }
}

/// A space of sums of functions and the differences that none of them sees: those that keep what the functions select.
#[derive(Clone, Debug)]
pub struct Quotient {
    functions: Basis,
    /// Basis of the differences that keep all functions of the space.
    kept: Vec<u64>,
    /// All sums of functions.
    all: u64,
}

impl Quotient {
    /// The sums of `functions`, of so many functions in all.
    pub fn of(functions: impl IntoIterator<Item = u64>, count: usize) -> Self {
        let functions = Basis::of(functions.into_iter().map(u128::from));
        let all = (1u128 << count) - 1;
        let kept = functions.annihilator(all).into_iter().map(|d| d as u64).collect();
        Self {
            functions,
            kept,
            all: all as u64,
        }
    }

    /// The same with more functions.
    pub fn and(&self, more: impl IntoIterator<Item = u64>) -> Self {
        let functions = self.rows().chain(more);
        Self::of(functions, self.all.count_ones() as usize)
    }

    /// A basis of the functions.
    pub fn rows(&self) -> impl Iterator<Item = u64> {
        self.functions.rows().iter().map(|row| *row as u64)
    }

    /// log2 of how many places the functions tell apart.
    pub fn bits(&self) -> usize {
        self.functions.rank()
    }

    /// Returns true if a difference keeps all functions of the space.
    pub fn keeps(&self, difference: u64) -> bool {
        self.rows().all(|row| parity(u128::from(row & difference)) == 0)
    }

    /// A basis of the differences that keep all functions of the space.
    pub fn kept(&self) -> &[u64] {
        &self.kept
    }

    /// All sums of functions outside the space, one of each class: two of a class are alike for all differences that are kept.
    pub fn others(&self) -> Vec<u64> {
        let reduced = |f: &u64| *f != 0 && self.functions.reduce(u128::from(*f)) == u128::from(*f);
        (1..=self.all).filter(reduced).collect()
    }

    /// All sums of functions of the space but zero.
    pub fn members(&self) -> Vec<u64> {
        sums(&self.rows().collect::<Vec<_>>())
    }
}

/// All sums of some vectors, but the empty one.
pub fn sums(rows: &[u64]) -> Vec<u64> {
    let sum = |chosen: u64| {
        let rows = rows.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
        rows.fold(0, |sum, (_, row)| sum ^ row)
    };
    (1..1u64 << rows.len()).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_a_worked_example() {
        let mut tally = Tally::new(2);
        for (difference, contrast) in [(1, 4.0), (1, 6.0), (2, 1.0), (2, 1.0), (3, 3.0)] {
            tally.add(difference, contrast);
        }
        let level = tally.level(|d| d == 1);
        // Deviation sqrt(2) of two.
        assert_eq!((level.mean, level.n), (5.0, 2));
        assert!((level.error - 1.0).abs() < 1e-12);
        // Function 1 differs in differences 2 and 3: 5/3 there, 5 elsewhere.
        let effect = tally.effect(2, |_| true).expect("both sides");
        assert!((effect.mean - (5.0 / 3.0 - 5.0)).abs() < 1e-12, "{effect:?}");
        assert_eq!(tally.effect(2, |d| d == 1), None);
        assert!(!tally.level(|d| d == 0).is_above(0.0));
    }

    #[test]
    fn a_quotient_keeps_what_its_functions_do_not_see() {
        // Of three functions the sum of the first two is the channel: differences 0b011 and 0b100 keep it.
        let channel = Quotient::of([0b011], 3);
        assert!(channel.keeps(0b011) && channel.keeps(0b100) && !channel.keeps(0b001));
        assert_eq!(channel.kept().len(), 2);
        assert_eq!(sums(channel.kept()).len(), 3);
        assert_eq!(channel.members(), [0b011]);
        // Outside are three classes: 0b001 and 0b010 are alike for all that keep the channel.
        assert_eq!(channel.others().len(), 3);
        assert_eq!(channel.and([0b100]).bits(), 2);
    }

    #[test]
    fn tests_decide_beyond_six_errors_only() {
        let level = |mean| Level {
            mean,
            error: 0.1,
            n: 100,
        };
        assert!(level(1.61).is_above(1.0) && !level(1.59).is_above(1.0));
        assert!(level(0.39).is_below(1.0) && !level(0.41).is_below(1.0));
        assert!(level(0.5).is_nothing(0.0, 0.7) && !level(0.7).is_nothing(0.0, 0.7));
        // Where an effect would not be seen, that none is seen says nothing.
        assert!(!level(0.0).is_nothing(0.0, 0.5));
    }
}
