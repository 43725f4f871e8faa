// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conjugate gradients for a sparse symmetric system, as a stand-in for equake (BEN-8) and after NAS CG: products of a
//! sparse matrix with a vector that all threads gather from (LIM-7), and sums that the master makes alone.

mod check;
mod matrix;
#[cfg(test)]
mod tests;
mod work;

use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, bounds, settings, team};
use crate::traced::{Layout, Traced};
use check::solution;
use matrix::Matrix;

/// Entry in the table of programs.
pub(crate) static CG: ProgramKind = ProgramKind {
    name: Cg::NAME,
    doc: "team: conjugate gradients for a sparse system, a pass is a solution (BEN-8)",
    parameters: &[
        &[
            Parameter {
                name: "rows",
                kind: Kind::Count {
                    min: 2,
                    max: 1 << 22,
                    default: 1 << 17,
                },
                doc: "rows, 52 bytes each",
            },
            Parameter {
                name: "degree",
                kind: Kind::Count {
                    min: 2,
                    max: 64,
                    default: 12,
                },
                doc: "elements of a row beside the diagonal on average, 12 bytes each",
            },
            Parameter {
                name: "iterations",
                kind: Kind::Count {
                    min: 1,
                    max: 1000,
                    default: 25,
                },
                doc: "iterations of a pass",
            },
        ],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, setting, threads| {
        let [rows, degree, iterations] = ["rows", "degree", "iterations"].map(|name| values.number(name));
        let kernel = Cg::new(
            [rows as usize, degree as usize],
            iterations,
            threads as usize,
            setting.seed,
        );
        Ok(team(kernel, settings(values), threads))
    }),
};

/// What comes next. The numbers are iterations, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// x = 0, r = p = b, parts of ρ = r · r.
    Start,
    /// The master sums ρ.
    First,
    /// q = A p, parts of p · q.
    Product(u64),
    /// The master works out α = ρ / p · q.
    Alpha(u64),
    /// x += α p, r −= α q, parts of the new ρ.
    Step(u64),
    /// The master works out β, the new ρ by the old.
    Beta(u64),
    /// p = r + β p.
    Direction(u64),
    Done,
}

/// Registers of a thread: a sum over its rows; place and sum within a row; the last load, and whether α or β is loaded.
#[derive(Clone, Copy, Debug, Default)]
struct Registers {
    sum: f64,
    place: usize,
    row: Option<f64>,
    last: Source,
    has_scalar: bool,
}

/// The running program. A pass solves A x = b from x = 0; b is A times a vector that is known.
struct Cg {
    matrix: Matrix,
    b: Traced<f64>,
    x: Traced<f64>,
    r: Traced<f64>,
    p: Traced<f64>,
    q: Traced<f64>,
    /// A line for each thread: its part of a sum.
    parts: Traced<f64>,
    /// ρ, and α or β.
    scalars: Traced<f64>,
    registers: Vec<Registers>,
    iterations: u64,
    phase: Phase,
    outcome: Result<(), String>,
}

impl Cg {
    fn new([rows, degree]: [usize; 2], iterations: u64, threads: usize, seed: u64) -> Self {
        let mut layout = Layout::new();
        let matrix = Matrix::new(rows, degree, seed, &mut layout);
        let known: Vec<f64> = (0..rows).map(solution).collect();
        let b = (0..rows).map(|row| matrix.times(row, &known)).collect();
        let mut vector = |values| layout.array(values);
        Self {
            b: vector(b),
            x: vector(vec![0.0; rows]),
            r: vector(vec![0.0; rows]),
            p: vector(vec![0.0; rows]),
            q: vector(vec![0.0; rows]),
            parts: layout.spread(vec![0.0; threads], 64),
            scalars: layout.array(vec![0.0; 2]),
            matrix,
            registers: vec![Registers::default(); threads],
            iterations,
            phase: Phase::Done,
            outcome: Ok(()),
        }
    }
}

impl TeamKernel for Cg {
    const NAME: &'static str = "cg";

    fn areas(&self) -> Vec<Area> {
        let Matrix {
            graph,
            values,
            diagonal,
        } = &self.matrix;
        let mut areas = vec![
            graph.starts.area("starts"),
            graph.neighbors.area("columns"),
            values.area("values"),
            diagonal.area("diagonal"),
        ];
        let vectors = [
            (&self.b, "b"),
            (&self.x, "x"),
            (&self.r, "r"),
            (&self.p, "p"),
            (&self.q, "q"),
        ];
        areas.extend(vectors.map(|(vector, name)| vector.area(name)));
        areas.extend([self.parts.area("parts"), self.scalars.area("scalars")]);
        areas
    }

    fn fills(&self) -> Vec<Fill> {
        let threads = self.registers.len();
        let rows = bounds(self.x.data.len(), threads);
        let graph = &self.matrix.graph;
        let vectors = [&self.matrix.diagonal, &self.b, &self.x, &self.r, &self.p, &self.q];
        let mut fills: Vec<Fill> = graph.fills(threads).into();
        fills.push(self.matrix.values.fill(&graph.bounds(threads), 1));
        fills.extend(vectors.map(|vector| vector.fill(&rows, 1)));
        fills.push(self.parts.fill(&bounds(threads, threads), 1));
        fills.push(self.scalars.fill(&crate::team::owned(0, threads), 2));
        fills
    }

    fn advance(&mut self) -> Option<Section> {
        self.registers.fill(Registers::default());
        let (next, parallel) = match self.phase {
            Phase::Done => (Phase::Start, true),
            Phase::Start => (Phase::First, false),
            Phase::First => (Phase::Product(1), true),
            Phase::Product(iteration) => (Phase::Alpha(iteration), false),
            Phase::Alpha(iteration) => (Phase::Step(iteration), true),
            Phase::Step(iteration) => (Phase::Beta(iteration), false),
            Phase::Beta(iteration) => (Phase::Direction(iteration), true),
            Phase::Direction(iteration) if iteration < self.iterations => (Phase::Product(iteration + 1), true),
            Phase::Direction(_) => {
                self.outcome = self.outcome.clone().and_then(|()| self.check());
                self.phase = Phase::Done;
                return None;
            }
        };
        self.phase = next;
        Some(match parallel {
            true => Section::Parallel(self.x.data.len()),
            false => Section::Serial(self.registers.len()),
        })
    }

    fn step(&mut self, thread: usize, iteration: usize, recorder: &mut Recorder<'_>) -> bool {
        match self.phase {
            Phase::Start => {
                let (b, source) = self.b.get(iteration, Source::NONE, recorder);
                self.x.set(iteration, 0.0, Source::NONE, recorder);
                self.r.set(iteration, b, source, recorder);
                self.p.set(iteration, b, source, recorder);
                recorder.work(2);
                (self.registers[thread].sum, self.registers[thread].last) =
                    (self.registers[thread].sum + b * b, source);
            }
            Phase::Product(_) => return self.multiply(thread, iteration, recorder),
            Phase::Step(_) => {
                let alpha = self.scalar(thread, recorder);
                let [(p, _), (q, _), (x, from_x), (r, from_r)] =
                    [&self.p, &self.q, &self.x, &self.r].map(|vector| vector.get(iteration, Source::NONE, recorder));
                recorder.work(6);
                let r = r - alpha * q;
                self.x.set(iteration, x + alpha * p, from_x, recorder);
                self.r.set(iteration, r, from_r, recorder);
                (self.registers[thread].sum, self.registers[thread].last) =
                    (self.registers[thread].sum + r * r, from_r);
            }
            Phase::Direction(_) => {
                let beta = self.scalar(thread, recorder);
                let (r, _) = self.r.get(iteration, Source::NONE, recorder);
                let (p, source) = self.p.get(iteration, Source::NONE, recorder);
                recorder.work(2);
                self.p.set(iteration, r + beta * p, source, recorder);
            }
            Phase::First | Phase::Alpha(_) | Phase::Beta(_) | Phase::Done => {
                let (part, source) = self.parts.get(iteration, Source::NONE, recorder);
                recorder.work(1);
                (self.registers[0].sum, self.registers[0].last) = (self.registers[0].sum + part, source);
            }
        }
        recorder.work(LOOP);
        true
    }

    fn close(&mut self, thread: usize, recorder: &mut Recorder<'_>) {
        let Registers { sum, last, .. } = self.registers[thread];
        match self.phase {
            Phase::Start | Phase::Product(_) | Phase::Step(_) => self.parts.set(thread, sum, last, recorder),
            Phase::First | Phase::Alpha(_) | Phase::Beta(_) if thread == 0 => self.conclude(sum, last, recorder),
            _ => {}
        }
    }

    /// The error at the end of every pass; and that the residual is that of x, unless both are just being changed.
    fn verify(&self) -> Result<(), String> {
        self.outcome.clone()?;
        if matches!(self.phase, Phase::Start | Phase::Step(_) | Phase::Done) {
            return Ok(());
        }
        match self.drift() {
            drift if drift < 1e-10 => Ok(()),
            drift => Err(format!("the residual is off by {drift:e} of b")),
        }
    }
}
