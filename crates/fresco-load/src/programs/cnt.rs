// SPDX-License-Identifier: MIT OR Apache-2.0
//! Count (BEN-9, by the function of Mälardalen's `cnt`): counts and sums the non-negative and the negative elements of
//! a square matrix. One load per element, in order, with a branch that the data decide.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Test the sign, add to the sum, increment the count.
const ARITHMETIC: u32 = 3;

/// Entry in the table of programs.
pub(crate) static CNT: ProgramKind = ProgramKind {
    name: Cnt::NAME,
    doc: "counts and sums the non-negative and the negative elements of a matrix (BEN-9)",
    parameters: &[
        &[Parameter {
            name: "n",
            kind: Kind::Count {
                min: 1,
                max: 8192,
                default: 256,
            },
            doc: "rows and columns of the matrix of 4-byte integers",
        }],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        Ok(Box::new(Looped::new(
            Cnt::new(values.number("n"), setting.seed),
            passes(values),
        )))
    }),
};

/// What a pass finds; non-negative elements first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    sums: [i64; 2],
    counts: [i64; 2],
}

impl Tally {
    fn add(&mut self, element: i32) {
        let side = usize::from(element < 0);
        self.sums[side] += i64::from(element);
        self.counts[side] += 1;
    }

    fn of(elements: &[i32]) -> Self {
        let mut tally = Self::default();
        elements.iter().for_each(|&element| tally.add(element));
        tally
    }

    /// In the order in which the results lie in memory.
    fn words(self) -> [i64; 4] {
        [self.sums[0], self.counts[0], self.sums[1], self.counts[1]]
    }
}

/// The running program. A pass goes once over the matrix and stores the four results.
pub(crate) struct Cnt {
    n: usize,
    matrix: Traced<i32>,
    results: Traced<i64>,
    position: usize,
    /// Sums and counts of the running pass; registers.
    tally: Tally,
    passes: u64,
}

impl Cnt {
    /// A matrix of `n` by `n` random elements; `n` from 1.
    pub fn new(n: u64, seed: u64) -> Self {
        let n = n as usize;
        let mut random = Pcg64::seed_from_u64(seed);
        let mut layout = Layout::new();
        Self {
            n,
            matrix: layout.array((0..n * n).map(|_| random.random_range(-9999..=9999)).collect()),
            results: layout.array(vec![0; 4]),
            position: 0,
            tally: Tally::default(),
            passes: 0,
        }
    }
}

impl Kernel for Cnt {
    const NAME: &'static str = "cnt";

    fn areas(&self) -> Vec<Area> {
        vec![self.matrix.area("matrix"), self.results.area("results")]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        let (element, source) = self.matrix.get(self.position, Source::NONE, recorder);
        self.tally.add(element);
        recorder.work(ARITHMETIC + LOOP);
        self.position += 1;
        if self.position.is_multiple_of(self.n) {
            recorder.work(LOOP);
        }
        if self.position < self.matrix.data.len() {
            return false;
        }
        for (i, word) in self.tally.words().into_iter().enumerate() {
            self.results.set(i, word, source, recorder);
        }
        (self.position, self.tally) = (0, Tally::default());
        self.passes += 1;
        true
    }

    /// Counts again: the elements so far, and all of them once there are results.
    fn verify(&self) -> Result<(), String> {
        let expected = Tally::of(&self.matrix.data[..self.position]);
        if self.tally != expected {
            return Err(format!(
                "after {} elements {:?}, not {expected:?}",
                self.position, self.tally
            ));
        }
        let expected = Tally::of(&self.matrix.data).words();
        if self.passes > 0 && self.results.data != expected {
            return Err(format!("results {:?}, not {expected:?}", self.results.data));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::{one_pass, run};

    #[test]
    fn a_matrix_counted_by_hand() {
        let mut kernel = Cnt::new(2, 1);
        kernel.matrix.data = vec![7, -3, 0, -4];
        one_pass(&mut kernel);
        assert_eq!(kernel.results.data, [7, 2, -7, 2]);
        assert_eq!(kernel.verify(), Ok(()));
    }

    #[test]
    fn a_load_per_element_and_four_stores() {
        let run = run(Looped::new(Cnt::new(70, 1), Passes::new(1, 2)));
        assert_eq!(run.marks(), (1, 2, 1));
        let ops = run.ops();
        assert_eq!(ops.len(), 3 * (70 * 70 + 4));
        assert!(ops.iter().all(|op| op.write == (op.size == 8)));
        let stores: Vec<u32> = ops[70 * 70..][..4].iter().map(|op| op.dep).collect();
        assert_eq!(stores, [1, 2, 3, 4], "all wait for the last element");
        let per_pass = 70 * (70 * (1 + ARITHMETIC + LOOP) + LOOP) + 4;
        assert_eq!(run.instructions(), 3 * u64::from(per_pass));
    }

    #[test]
    fn a_wrong_element_is_found() {
        let mut kernel = Cnt::new(20, 6);
        one_pass(&mut kernel);
        kernel.matrix.data[33] += 1;
        assert!(kernel.verify().unwrap_err().starts_with("results ["));
        kernel.matrix.data[33] -= 1;
        kernel.tally.counts[1] = 1;
        assert!(kernel.verify().unwrap_err().starts_with("after 0 elements"));
    }
}
