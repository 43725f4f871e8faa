// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fast Fourier transform, radix 2, of complex doubles: into bit-reversed order, then a stage of butterflies for each
//! bit, every stage a parallel loop. From the stage on in which butterflies are wider than a thread's part, each thread
//! reads what others wrote (LIM-7).

use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, bounds, settings, team};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::TAU;

/// Real and imaginary part.
type Complex = [f64; 2];

/// A complex product, a sum and a difference.
const ARITHMETIC: u32 = 10;
/// Addresses of a butterfly from its number.
const ADDRESS: u32 = 6;

/// Entry in the table of programs.
pub(crate) static FFT: ProgramKind = ProgramKind {
    name: Fft::NAME,
    doc: "team: fast Fourier transform, radix 2",
    parameters: &[
        &[Parameter {
            name: "log2",
            kind: Kind::Count {
                min: 1,
                max: 24,
                default: 20,
            },
            doc: "binary logarithm of the length; a point takes 40 bytes",
        }],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, setting, threads| {
        let kernel = Fft::new(values.number("log2") as u32, threads as usize, setting.seed);
        Ok(team(kernel, settings(values), threads))
    }),
};

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Reverse,
    Stage(u32),
    Done,
}

/// The running program. A pass transforms `input` into `output`.
struct Fft {
    log2: u32,
    threads: usize,
    input: Traced<Complex>,
    output: Traced<Complex>,
    /// exp(−2πi k / n) for the first half of k.
    roots: Traced<Complex>,
    phase: Phase,
    outcome: Result<(), String>,
}

impl Fft {
    fn new(log2: u32, threads: usize, seed: u64) -> Self {
        let n = 1usize << log2;
        let mut random = Pcg64::seed_from_u64(seed);
        let mut layout = Layout::new();
        Self {
            log2,
            threads,
            input: layout.array((0..n).map(|_| random.random::<Complex>()).collect()),
            output: layout.array(vec![[0.0; 2]; n]),
            roots: layout.array((0..n / 2).map(|k| root(k, n)).collect()),
            phase: Phase::Done,
            outcome: Ok(()),
        }
    }

    /// Elements and root of butterfly `number` of a stage.
    fn butterfly(&self, stage: u32, number: usize) -> [usize; 3] {
        let half = 1 << stage;
        let within = number & (half - 1);
        let upper = number >> stage << (stage + 1) | within;
        [upper, upper + half, within << (self.log2 - 1 - stage)]
    }

    /// Transforms the output back by another way and compares it with the input.
    fn check(&self) -> Result<(), String> {
        let n = self.input.data.len();
        let swap = |[re, im]: Complex| [im, re];
        let back = recursive(&self.output.data.iter().copied().map(swap).collect::<Vec<_>>());
        let near = |i: &usize| {
            let [im, re] = back[*i].map(|part| part / n as f64);
            let [expected_re, expected_im] = self.input.data[*i];
            (re - expected_re).abs() < 1e-9 && (im - expected_im).abs() < 1e-9
        };
        match (0..n).find(|i| !near(i)) {
            Some(i) => Err(format!("transformed back, point {i} is not what it was")),
            None => Ok(()),
        }
    }
}

/// exp(−2πi k / n).
fn root(k: usize, n: usize) -> Complex {
    let (sin, cos) = (TAU * k as f64 / n as f64).sin_cos();
    [cos, -sin]
}

fn times([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

/// The transform by halves: even and odd points.
fn recursive(x: &[Complex]) -> Vec<Complex> {
    let n = x.len();
    if n == 1 {
        return x.to_vec();
    }
    let half = |first: usize| recursive(&x.iter().copied().skip(first).step_by(2).collect::<Vec<_>>());
    let (even, odd) = (half(0), half(1));
    let term = |k: usize| {
        let [re, im] = times(root(k, n), odd[k % (n / 2)]);
        [even[k % (n / 2)][0] + re, even[k % (n / 2)][1] + im]
    };
    (0..n).map(term).collect()
}

impl TeamKernel for Fft {
    const NAME: &'static str = "fft";

    fn areas(&self) -> Vec<Area> {
        vec![
            self.input.area("input"),
            self.output.area("output"),
            self.roots.area("roots"),
        ]
    }

    fn fills(&self) -> Vec<Fill> {
        let points = bounds(self.input.data.len(), self.threads);
        let roots = bounds(self.roots.data.len(), self.threads);
        vec![
            self.input.fill(&points, 1),
            self.output.fill(&points, 1),
            self.roots.fill(&roots, 1),
        ]
    }

    fn advance(&mut self) -> Option<Section> {
        let n = self.input.data.len();
        let (phase, iterations) = match self.phase {
            Phase::Done => (Phase::Reverse, n),
            Phase::Reverse => (Phase::Stage(0), n / 2),
            Phase::Stage(stage) if stage + 1 < self.log2 => (Phase::Stage(stage + 1), n / 2),
            Phase::Stage(_) => {
                self.outcome = self.outcome.clone().and_then(|()| self.check());
                self.phase = Phase::Done;
                return None;
            }
        };
        self.phase = phase;
        Some(Section::Parallel(iterations))
    }

    fn step(&mut self, _: usize, iteration: usize, recorder: &mut Recorder<'_>) -> bool {
        let Phase::Stage(stage) = self.phase else {
            let reversed = iteration.reverse_bits() >> (usize::BITS - self.log2);
            recorder.work(ADDRESS);
            let (point, source) = self.input.get(reversed, Source::NONE, recorder);
            self.output.set(iteration, point, source, recorder);
            recorder.work(LOOP);
            return true;
        };
        let [upper, lower, root] = self.butterfly(stage, iteration);
        recorder.work(ADDRESS);
        let ([re, im], _) = self.output.get(upper, Source::NONE, recorder);
        let (point, _) = self.output.get(lower, Source::NONE, recorder);
        let (root, last) = self.roots.get(root, Source::NONE, recorder);
        let [re_turned, im_turned] = times(point, root);
        recorder.work(ARITHMETIC);
        self.output.set(upper, [re + re_turned, im + im_turned], last, recorder);
        self.output.set(lower, [re - re_turned, im - im_turned], last, recorder);
        recorder.work(LOOP);
        true
    }

    /// The result of every complete pass.
    fn verify(&self) -> Result<(), String> {
        self.outcome.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::testing::{accesses, run_kernel, run_team, team_of};

    fn transform(input: Vec<Complex>) -> Vec<Complex> {
        let mut kernel = Fft::new(input.len().ilog2(), 3, 1);
        kernel.input.data = input;
        run_kernel(kernel, 3, 1).output.data
    }

    #[test]
    fn known_transforms() {
        let near = |found: Vec<Complex>, expected: &[Complex]| {
            let distance = |(a, b): (&Complex, &Complex)| (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
            assert!(
                found.iter().zip(expected).all(|pair| distance(pair) < 1e-12),
                "{found:?}"
            );
        };
        near(
            transform(vec![[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]]),
            &[[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0], [-2.0, -2.0]],
        );
        // A pulse has all frequencies, a wave of three periods has one.
        let mut pulse = vec![[0.0; 2]; 16];
        pulse[0] = [1.0, 0.0];
        near(transform(pulse), &[[1.0, 0.0]; 16]);
        let wave: Vec<Complex> = (0..16).map(|i| root(16 - 3 * i % 16, 16)).collect();
        let mut line = [[0.0; 2]; 16];
        line[3] = [16.0, 0.0];
        near(transform(wave), &line);
    }

    #[test]
    fn a_wrong_point_is_found() {
        let mut kernel = run_kernel(Fft::new(6, 2, 3), 2, 2);
        kernel.output.data[5][1] += 1e-6;
        assert!(kernel.check().unwrap_err().starts_with("transformed back, point"));
    }

    #[test]
    fn accesses_of_all_stages() {
        let events = run_team(team_of("fft", "log2 = 8\ninit = 'none'", 4), 1);
        // 64 points moved, 32 butterflies in each of 8 stages.
        assert!(
            events
                .iter()
                .all(|events| accesses(events).len() == 2 * 64 + 8 * 32 * 5)
        );
    }
}
