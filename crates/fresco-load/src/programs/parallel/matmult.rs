// SPDX-License-Identifier: MIT OR Apache-2.0
//! Matrix multiply by a team: C = A · B in square blocks, the blocks of C dealt out to the threads. All threads read all
//! of B (LIM-7).

use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::programs::matmult::check_rows;
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, bounds, settings, team};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::ops::Range;

/// Multiply and add.
const ARITHMETIC: u32 = 2;

/// Entry in the table of programs.
pub(crate) static MATMULT_PARALLEL: ProgramKind = ProgramKind {
    name: MatMult::NAME,
    doc: "team: matrix multiply in blocks",
    parameters: &[
        &[
            Parameter {
                name: "n",
                kind: Kind::Count {
                    min: 1,
                    max: 8192,
                    default: 1024,
                },
                doc: "rows and columns of each of the three matrices of doubles",
            },
            Parameter {
                name: "block",
                kind: Kind::Count {
                    min: 1,
                    max: 64,
                    default: 32,
                },
                doc: "rows and columns of a block",
            },
        ],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, setting, threads| {
        let [n, block] = ["n", "block"].map(|name| values.number(name) as usize);
        let kernel = MatMult::new(n, block, threads as usize, setting.seed);
        Ok(team(kernel, settings(values), threads))
    }),
};

/// A thread's place within a block of C: the block of the inner dimension, row and column.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    kk: usize,
    i: usize,
    j: usize,
}

/// The running program. A pass computes C once.
struct MatMult {
    n: usize,
    block: usize,
    /// Elements are whole numbers from −8 to 8, so that every sum is exact in any order.
    a: Traced<f64>,
    b: Traced<f64>,
    c: Traced<f64>,
    places: Vec<Place>,
    /// Blocks of C that are complete.
    complete: Vec<bool>,
    within_pass: bool,
}

impl MatMult {
    fn new(n: usize, block: usize, threads: usize, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut matrix = || (0..n * n).map(|_| f64::from(random.random_range(-8i32..=8))).collect();
        let mut layout = Layout::new();
        Self {
            n,
            block,
            a: layout.array(matrix()),
            b: layout.array(matrix()),
            c: layout.array(vec![0.0; n * n]),
            places: vec![Place::default(); threads],
            complete: vec![false; n.div_ceil(block).pow(2)],
            within_pass: false,
        }
    }

    /// Blocks in a row of them.
    fn across(&self) -> usize {
        self.n.div_ceil(self.block)
    }

    /// The indices of block number `number` of a dimension.
    fn block(&self, number: usize) -> Range<usize> {
        number * self.block..((number + 1) * self.block).min(self.n)
    }

    /// The next piece of an element within its block. True at the last one.
    fn advance_place(&mut self, thread: usize, rows: usize, columns: usize) -> bool {
        let across = self.across();
        let place = &mut self.places[thread];
        place.j += 1;
        if place.j == columns {
            (place.i, place.j) = (place.i + 1, 0);
        }
        if place.i == rows {
            (place.kk, place.i) = (place.kk + 1, 0);
        }
        if place.kk < across {
            return false;
        }
        *place = Place::default();
        true
    }
}

impl TeamKernel for MatMult {
    const NAME: &'static str = "matmult-parallel";

    fn areas(&self) -> Vec<Area> {
        vec![self.a.area("a"), self.b.area("b"), self.c.area("c")]
    }

    fn fills(&self) -> Vec<Fill> {
        let rows = bounds(self.n, self.places.len());
        [&self.a, &self.b, &self.c]
            .map(|matrix| matrix.fill(&rows, self.n))
            .into()
    }

    fn advance(&mut self) -> Option<Section> {
        self.within_pass = !self.within_pass;
        self.within_pass.then_some(Section::Parallel(self.complete.len()))
    }

    fn step(&mut self, thread: usize, iteration: usize, recorder: &mut Recorder<'_>) -> bool {
        let (rows, columns) = (
            self.block(iteration / self.across()),
            self.block(iteration % self.across()),
        );
        let place = self.places[thread];
        self.complete[iteration] = false;
        let (i, j) = (rows.start + place.i, columns.start + place.j);
        let (mut sum, mut last) = match place.kk {
            0 => (0.0, Source::NONE),
            _ => self.c.get(i * self.n + j, Source::NONE, recorder),
        };
        for k in self.block(place.kk) {
            let (x, _) = self.a.get(i * self.n + k, Source::NONE, recorder);
            let (y, source) = self.b.get(k * self.n + j, Source::NONE, recorder);
            recorder.work(ARITHMETIC + LOOP);
            (sum, last) = (sum + x * y, source);
        }
        self.c.set(i * self.n + j, sum, last, recorder);
        recorder.work(LOOP);
        self.complete[iteration] = self.advance_place(thread, rows.len(), columns.len());
        self.complete[iteration]
    }

    /// See [`check_rows`]; a row is complete when its blocks are.
    fn verify(&self) -> Result<(), String> {
        let complete = |i: usize| {
            let first = i / self.block * self.across();
            self.complete[first..first + self.across()]
                .iter()
                .all(|&complete| complete)
        };
        check_rows([&self.a, &self.b, &self.c], self.n, complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::testing::{accesses, run_kernel, run_team, team_of};

    #[test]
    fn the_product_is_that_of_three_loops() {
        let kernel = run_kernel(MatMult::new(13, 4, 3, 5), 3, 2);
        for (i, j) in (0..13).flat_map(|i| (0..13).map(move |j| (i, j))) {
            let slow: f64 = (0..13)
                .map(|k| kernel.a.data[i * 13 + k] * kernel.b.data[k * 13 + j])
                .sum();
            assert_eq!(kernel.c.data[i * 13 + j], slow, "{i}, {j}");
        }
    }

    #[test]
    fn a_wrong_element_is_found() {
        let mut kernel = run_kernel(MatMult::new(9, 3, 2, 5), 2, 1);
        kernel.c.data[4 * 9 + 2] += 1.0;
        assert_eq!(kernel.verify(), Err("row 4 of the product is wrong".to_owned()));
        kernel.complete[4] = false;
        assert_eq!(kernel.verify(), Ok(()), "its block is no longer said to be complete");
    }

    #[test]
    fn loads_and_stores_of_blocks() {
        let events = run_team(team_of("matmult-parallel", "n = 8\nblock = 4\ninit = 'none'", 2), 1);
        // Each of 32 elements: 16 loads of A and B, 2 stores and 1 load of C.
        assert!(events.iter().all(|events| accesses(events).len() == 32 * 19));
    }
}
