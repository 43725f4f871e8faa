// SPDX-License-Identifier: MIT OR Apache-2.0
//! Matrix multiply (BEN-9): C = A · B of square row-major matrices, plain or blocked. The sum of one element stays in
//! a register along the innermost loop; with blocks it is stored and loaded again between them.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Multiply and add.
const ARITHMETIC: u32 = 2;

/// Entry in the table of programs.
pub(crate) static MATMULT: ProgramKind = ProgramKind {
    name: MatMult::NAME,
    doc: "matrix multiply, plain or blocked (BEN-9)",
    parameters: &[
        &[
            Parameter {
                name: "n",
                kind: Kind::Count {
                    min: 1,
                    max: 4096,
                    default: 128,
                },
                doc: "rows and columns of each of the three matrices of doubles",
            },
            Parameter {
                name: "block",
                kind: Kind::Count {
                    min: 0,
                    max: 4096,
                    default: 0,
                },
                doc: "rows and columns of a block; 0: no blocks",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        let config = MatmultConfig {
            n: values.number("n"),
            block: values.number("block"),
            seed: setting.seed,
        };
        Ok(Box::new(Looped::new(MatMult::new(&config), passes(values))))
    }),
};

/// Parameters of [`MatMult`].
#[derive(Clone, Debug)]
pub(crate) struct MatmultConfig {
    /// Rows and columns of each matrix, 1 to 8192.
    pub n: u64,
    /// Rows and columns of a block; 0 or `n` and more: no blocks.
    pub block: u64,
    /// Seed of the elements.
    pub seed: u64,
}

/// Place in the loops over blocks (`ii`, `jj`, `kk`: first index in each dimension) and within them.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    ii: usize,
    jj: usize,
    kk: usize,
    i: usize,
    j: usize,
    k: usize,
}

/// The running program. A pass computes C once.
pub(crate) struct MatMult {
    n: usize,
    block: usize,
    /// Elements are whole numbers from −8 to 8, so that every sum is exact in any order.
    a: Traced<f64>,
    b: Traced<f64>,
    c: Traced<f64>,
    place: Place,
    /// The accumulator register and the load that fed it last.
    sum: f64,
    source: Source,
    passes: u64,
}

impl MatMult {
    /// Sets up A and B at random.
    pub fn new(config: &MatmultConfig) -> Self {
        let n = config.n as usize;
        let block = if config.block == 0 {
            n
        } else {
            config.block.min(config.n) as usize
        };
        let mut random = Pcg64::seed_from_u64(config.seed);
        let mut matrix = || (0..n * n).map(|_| f64::from(random.random_range(-8i32..=8))).collect();
        let mut layout = Layout::new();
        Self {
            n,
            block,
            a: layout.array(matrix()),
            b: layout.array(matrix()),
            c: layout.array(vec![0.0; n * n]),
            place: Place::default(),
            sum: 0.0,
            source: Source::NONE,
            passes: 0,
        }
    }

    /// Where the block that begins at `first` ends.
    fn end(&self, first: usize) -> usize {
        (first + self.block).min(self.n)
    }

    /// Goes on to the next element of C, the next block, the next pass. True at the end of a pass.
    fn advance(&mut self) -> bool {
        let (n, block, mut p) = (self.n, self.block, self.place);
        p.j += 1;
        if p.j == self.end(p.jj) {
            p.j = p.jj;
            p.i += 1;
        }
        if p.i == self.end(p.ii) {
            p.kk += block;
            if p.kk >= n {
                p.kk = 0;
                p.jj += block;
            }
            if p.jj >= n {
                p.jj = 0;
                p.ii += block;
            }
            if p.ii >= n {
                p.ii = 0;
            }
            (p.i, p.j) = (p.ii, p.jj);
        }
        p.k = p.kk;
        self.place = p;
        (p.ii, p.jj, p.kk, p.i, p.j) == (0, 0, 0, 0, 0)
    }

    /// Returns true if row `i` of C is complete, of this pass or of the one before it.
    fn is_complete(&self, i: usize) -> bool {
        let p = &self.place;
        let between_passes = (p.ii, p.jj, p.i, p.j, p.k) == (0, 0, 0, 0, 0);
        i < p.ii || self.passes > 0 && (between_passes || i >= self.end(p.ii))
    }
}

impl Kernel for MatMult {
    const NAME: &'static str = "matmult";

    fn areas(&self) -> Vec<Area> {
        vec![self.a.area("a"), self.b.area("b"), self.c.area("c")]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        let Place { kk, i, j, k, .. } = self.place;
        if k == kk {
            (self.sum, self.source) = match kk {
                0 => (0.0, Source::NONE),
                _ => self.c.get(i * self.n + j, Source::NONE, recorder),
            };
        }
        let (x, _) = self.a.get(i * self.n + k, Source::NONE, recorder);
        let (y, source) = self.b.get(k * self.n + j, Source::NONE, recorder);
        self.sum += x * y;
        self.source = source;
        recorder.work(ARITHMETIC + LOOP);
        self.place.k += 1;
        if self.place.k < self.end(kk) {
            return false;
        }
        self.c.set(i * self.n + j, self.sum, self.source, recorder);
        recorder.work(LOOP);
        let last = self.advance();
        self.passes += u64::from(last);
        last
    }

    /// See [`check_rows`].
    fn verify(&self) -> Result<(), String> {
        check_rows([&self.a, &self.b, &self.c], self.n, |i| self.is_complete(i))
    }
}

/// Freivalds' check of C = A · B, `n` rows each, for the rows that are complete: for a random vector x, row i of C · x must
/// equal row i of A · (B · x). All sums are whole numbers below 2^53, hence exact. A wrong row passes with a probability
/// of 2^-16.
pub(super) fn check_rows(
    [a, b, c]: [&Traced<f64>; 3],
    n: usize,
    is_complete: impl Fn(usize) -> bool,
) -> Result<(), String> {
    let mut random = Pcg64::seed_from_u64(n as u64);
    let x: Vec<f64> = (0..n).map(|_| f64::from(random.random_range(0..1u32 << 16))).collect();
    let times = |matrix: &Traced<f64>, i: usize, vector: &[f64]| -> f64 {
        matrix.data[i * n..(i + 1) * n]
            .iter()
            .zip(vector)
            .map(|(m, v)| m * v)
            .sum()
    };
    let bx: Vec<f64> = (0..n).map(|i| times(b, i, &x)).collect();
    match (0..n)
        .filter(|&i| is_complete(i))
        .find(|&i| times(c, i, &x) != times(a, i, &bx))
    {
        Some(i) => Err(format!("row {i} of the product is wrong")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::run;
    use crate::{Batch, recorder::ExecutionState};

    fn one_pass(n: u64, block: u64) -> MatMult {
        let mut kernel = MatMult::new(&MatmultConfig { n, block, seed: 5 });
        let (mut execution, mut batch) = (ExecutionState::default(), Batch::new());
        let mut recorder = execution.record(&mut batch);
        while !kernel.step(&mut recorder) {}
        kernel
    }

    #[test]
    fn blocks_do_not_change_the_product() {
        let plain = one_pass(13, 0);
        for (i, j) in (0..13).flat_map(|i| (0..13).map(move |j| (i, j))) {
            let slow: f64 = (0..13)
                .map(|k| plain.a.data[i * 13 + k] * plain.b.data[k * 13 + j])
                .sum();
            assert_eq!(plain.c.data[i * 13 + j], slow);
        }
        for block in [1, 4, 5, 13, 99] {
            assert_eq!(one_pass(13, block).c.data, plain.c.data, "block {block}");
        }
    }

    #[test]
    fn operations_of_the_plain_loops() {
        let run = run(Looped::new(
            MatMult::new(&MatmultConfig {
                n: 20,
                block: 0,
                seed: 1,
            }),
            Passes::new(1, 2),
        ));
        assert_eq!(run.marks(), (1, 2, 1));
        let ops = run.ops();
        assert_eq!(ops.len(), 3 * (2 * 20 * 20 * 20 + 20 * 20));
        assert!(ops.iter().all(|op| op.dep == u32::from(op.write)));
    }

    #[test]
    fn blocks_load_the_sum_again() {
        let run = run(Looped::new(
            MatMult::new(&MatmultConfig {
                n: 20,
                block: 8,
                seed: 1,
            }),
            Passes::new(0, 2),
        ));
        // Three blocks along k: the sum is stored three times and loaded twice.
        assert_eq!(run.ops().len(), 2 * (2 * 20 * 20 * 20 + 5 * 20 * 20));
    }

    #[test]
    fn a_wrong_element_is_found() {
        let mut kernel = one_pass(20, 6);
        assert_eq!(kernel.verify(), Ok(()));
        kernel.c.data[7 * 20 + 3] += 1.0;
        assert_eq!(kernel.verify(), Err("row 7 of the product is wrong".into()));
    }
}
