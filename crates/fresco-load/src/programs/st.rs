// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics (BEN-9, by the function of Mälardalen's `st`): sum, mean, variance and standard deviation of two arrays
//! of doubles, then their correlation coefficient. Each array is read three times, in order.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Entry in the table of programs.
pub(crate) static ST: ProgramKind = ProgramKind {
    name: St::NAME,
    doc: "statistics of two arrays: sum, mean, variance, standard deviation, correlation (BEN-9)",
    parameters: &[
        &[Parameter {
            name: "elements",
            kind: Kind::Count {
                min: 2,
                max: 1 << 26,
                default: 1 << 14,
            },
            doc: "elements of each of the two arrays, 8 bytes each",
        }],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        Ok(Box::new(Looped::new(
            St::new(values.number("elements"), setting.seed),
            passes(values),
        )))
    }),
};

/// The loops of a pass, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Sum and mean of array 0 or 1.
    Sum(usize),
    /// Variance and standard deviation of array 0 or 1.
    Spread(usize),
    /// The correlation coefficient of the two.
    Correlate,
}

/// Places of the results of one array among [`Results`]; those of the second array lie four further on.
const SUM: usize = 0;
const MEAN: usize = 1;
const VARIANCE: usize = 2;
const DEVIATION: usize = 3;
/// Place of the correlation coefficient.
const CORRELATION: usize = 8;

/// What a pass computes.
type Results = [f64; 9];

/// The running program. A pass computes all results once.
pub(crate) struct St {
    arrays: [Traced<f64>; 2],
    results: Traced<f64>,
    phase: Phase,
    i: usize,
    /// Accumulators of the running loop (products, squares of the first array, of the second) and the means; registers.
    sums: [f64; 3],
    means: [f64; 2],
    passes: u64,
}

impl St {
    /// Two random arrays, the second partly a copy of the first; `elements` from 2.
    pub fn new(elements: u64, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let a: Vec<f64> = (0..elements).map(|_| 1000.0 * random.random::<f64>()).collect();
        let b = a.iter().map(|x| 0.5 * x + 300.0 * random.random::<f64>()).collect();
        let mut layout = Layout::new();
        Self {
            arrays: [layout.array(a), layout.array(b)],
            results: layout.array(vec![0.0; CORRELATION + 1]),
            phase: Phase::Sum(0),
            i: 0,
            sums: [0.0; 3],
            means: [0.0; 2],
            passes: 0,
        }
    }

    /// The end of a loop: from its accumulators to results. `source` is its last load.
    fn conclude(&mut self, source: Source, recorder: &mut Recorder<'_>) {
        let elements = self.arrays[0].data.len() as f64;
        let [sum, squares_a, squares_b] = self.sums;
        recorder.work(1); // division
        match self.phase {
            Phase::Sum(array) => {
                self.means[array] = sum / elements;
                self.results.set(4 * array + SUM, sum, source, recorder);
                self.results.set(4 * array + MEAN, sum / elements, source, recorder);
            }
            Phase::Spread(array) => {
                let variance = sum / elements;
                self.results.set(4 * array + VARIANCE, variance, source, recorder);
                recorder.work(1); // square root
                self.results
                    .set(4 * array + DEVIATION, variance.sqrt(), source, recorder);
            }
            Phase::Correlate => {
                recorder.work(3); // two square roots and their product
                let correlation = sum / (squares_a.sqrt() * squares_b.sqrt());
                self.results.set(CORRELATION, correlation, source, recorder);
            }
        }
    }

    fn following(&self) -> Phase {
        match self.phase {
            Phase::Sum(array) => Phase::Spread(array),
            Phase::Spread(0) => Phase::Sum(1),
            Phase::Spread(_) => Phase::Correlate,
            Phase::Correlate => Phase::Sum(0),
        }
    }
}

/// The same by plain loops over plain arrays, with the additions in the same order: equal to the last bit.
fn expected(a: &[f64], b: &[f64]) -> Results {
    let elements = a.len() as f64;
    let total = |terms: &mut dyn Iterator<Item = f64>| terms.fold(0.0, |sum, term| sum + term);
    let of = |x: &[f64]| {
        let sum = total(&mut x.iter().copied());
        let mean = sum / elements;
        let squares = total(&mut x.iter().map(|x| (x - mean) * (x - mean)));
        (sum, mean, squares)
    };
    let ((sum_a, mean_a, squares_a), (sum_b, mean_b, squares_b)) = (of(a), of(b));
    let products = total(&mut a.iter().zip(b).map(|(x, y)| (x - mean_a) * (y - mean_b)));
    let (variance_a, variance_b) = (squares_a / elements, squares_b / elements);
    [
        sum_a,
        mean_a,
        variance_a,
        variance_a.sqrt(),
        sum_b,
        mean_b,
        variance_b,
        variance_b.sqrt(),
        products / (squares_a.sqrt() * squares_b.sqrt()),
    ]
}

impl Kernel for St {
    const NAME: &'static str = "st";

    fn areas(&self) -> Vec<Area> {
        let [a, b] = &self.arrays;
        vec![a.area("a"), b.area("b"), self.results.area("results")]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        let source = match self.phase {
            Phase::Sum(array) => {
                let (x, source) = self.arrays[array].get(self.i, Source::NONE, recorder);
                self.sums[0] += x;
                recorder.work(1 + LOOP);
                source
            }
            Phase::Spread(array) => {
                let (x, source) = self.arrays[array].get(self.i, Source::NONE, recorder);
                let apart = x - self.means[array];
                self.sums[0] += apart * apart;
                recorder.work(3 + LOOP);
                source
            }
            Phase::Correlate => {
                let (x, _) = self.arrays[0].get(self.i, Source::NONE, recorder);
                let (y, source) = self.arrays[1].get(self.i, Source::NONE, recorder);
                let (x, y) = (x - self.means[0], y - self.means[1]);
                for (sum, term) in self.sums.iter_mut().zip([x * y, x * x, y * y]) {
                    *sum += term;
                }
                recorder.work(8 + LOOP);
                source
            }
        };
        self.i += 1;
        if self.i < self.arrays[0].data.len() {
            return false;
        }
        self.conclude(source, recorder);
        let last = self.phase == Phase::Correlate;
        self.passes += u64::from(last);
        (self.phase, self.i, self.sums) = (self.following(), 0, [0.0; 3]);
        last
    }

    /// Every result that has been computed, to the last bit.
    fn verify(&self) -> Result<(), String> {
        let results = expected(&self.arrays[0].data, &self.arrays[1].data);
        let stored = match self.phase {
            _ if self.passes > 0 => results.len(),
            Phase::Sum(array) => 4 * array,
            Phase::Spread(array) => 4 * array + VARIANCE,
            Phase::Correlate => CORRELATION,
        };
        match (0..stored).find(|&i| self.results.data[i].to_bits() != results[i].to_bits()) {
            Some(i) => Err(format!("result {i} is {}, not {}", self.results.data[i], results[i])),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::{one_pass, run};

    #[test]
    fn arrays_small_enough_for_a_pencil() {
        let mut kernel = St::new(4, 1);
        kernel.arrays[0].data = vec![1.0, 3.0, 5.0, 7.0];
        kernel.arrays[1].data = vec![8.0, 6.0, 4.0, 2.0];
        one_pass(&mut kernel);
        let deviation = 5f64.sqrt();
        assert_eq!(
            kernel.results.data[..8],
            [16.0, 4.0, 5.0, deviation, 20.0, 5.0, 5.0, deviation]
        );
        assert!((kernel.results.data[CORRELATION] + 1.0).abs() < 1e-15);
    }

    #[test]
    fn each_array_is_read_three_times() {
        let run = run(Looped::new(St::new(3000, 1), Passes::new(1, 2)));
        assert_eq!(run.marks(), (1, 2, 1));
        let ops = run.ops();
        assert_eq!(ops.len(), 3 * (6 * 3000 + 9));
        assert_eq!(ops.iter().filter(|op| op.write).count(), 3 * 9);
        assert!(ops.iter().all(|op| op.write == (op.dep > 0)));
    }

    #[test]
    fn the_arrays_correlate_and_a_wrong_result_is_found() {
        let mut kernel = St::new(10_000, 3);
        one_pass(&mut kernel);
        // b = a / 2 + 3 / 10 · noise of the same variance: 0.5 / sqrt(0.25 + 0.09) = 0.857.
        assert!((kernel.results.data[CORRELATION] - 0.857).abs() < 0.02);
        kernel.results.data[DEVIATION] += 1e-9;
        assert!(kernel.verify().unwrap_err().starts_with("result 3 is "));
        one_pass(&mut kernel);
        kernel.arrays[1].data[17] += 1.0;
        assert!(kernel.verify().unwrap_err().starts_with("result 4 is "));
    }
}
