// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lattice Boltzmann method in two dimensions (D2Q9, one relaxation time, periodic), as a stand-in for lbm (BEN-8): a
//! pass is a time step that reads the populations of the nine neighbours of each cell from one lattice and stores the
//! cell's new ones to another. As in the original, the populations of a cell lie side by side.

use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, bounds, settings, team};
use crate::traced::{Layout, Traced};

/// Populations of a cell.
const Q: usize = 9;
/// Where each population moves.
const MOVES: [(i64, i64); Q] = [
    (0, 0),
    (1, 0),
    (0, 1),
    (-1, 0),
    (0, -1),
    (1, 1),
    (-1, 1),
    (-1, -1),
    (1, -1),
];
/// Weights of the populations at rest.
const WEIGHTS: [f64; Q] = [
    4. / 9.,
    1. / 9.,
    1. / 9.,
    1. / 9.,
    1. / 9.,
    1. / 36.,
    1. / 36.,
    1. / 36.,
    1. / 36.,
];
/// Relaxation time in steps: a viscosity of (0.8 − 1/2) / 3 = 0.1.
const TAU: f64 = 0.8;
/// Additions, multiplications and divisions of [`collide`]: 8 for the density, 16 for the velocity, 3 for its square, 9
/// times 11 for the populations.
const ARITHMETIC: u32 = 126;
/// The neighbour's address.
const ADDRESS: u32 = 2;

/// Entry in the table of programs.
pub(crate) static LBM: ProgramKind = ProgramKind {
    name: Lbm::NAME,
    doc: "team: lattice Boltzmann method D2Q9, a pass is a time step (BEN-8)",
    parameters: &[
        &[Parameter {
            name: "n",
            kind: Kind::Count {
                min: 4,
                max: 4096,
                default: 512,
            },
            doc: "rows and columns of the grid; a cell takes 144 bytes in two lattices",
        }],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, _, threads| {
        let kernel = Lbm::new(values.number("n") as usize, threads as usize);
        Ok(team(kernel, settings(values), threads))
    }),
};

/// The running program.
struct Lbm {
    n: usize,
    threads: usize,
    lattices: [Traced<f64>; 2],
    /// The lattice that is read.
    from: usize,
    /// Time steps completed.
    done: u64,
    within_pass: bool,
}

impl Lbm {
    fn new(n: usize, threads: usize) -> Self {
        let mut layout = Layout::new();
        let first = layout.array(initial(n));
        let second = layout.array(vec![0.0; first.data.len()]);
        Self {
            n,
            threads,
            lattices: [first, second],
            from: 0,
            done: 0,
            within_pass: false,
        }
    }
}

/// Populations at the start: density 1, a shear wave along the rows with a faster one across them.
fn initial(n: usize) -> Vec<f64> {
    let wave = |times: usize, i: usize| (std::f64::consts::TAU * (times * i) as f64 / n as f64).sin();
    let cell = |(y, x): (usize, usize)| equilibrium(1.0, 0.05 * wave(1, y), 0.02 * wave(2, x));
    (0..n * n).flat_map(|i| cell((i / n, i % n))).collect()
}

/// The populations to which a density and a velocity relax.
fn equilibrium(density: f64, u: f64, v: f64) -> [f64; Q] {
    let square = 1.5 * (u * u + v * v);
    std::array::from_fn(|q| {
        let along = 3.0 * (MOVES[q].0 as f64 * u + MOVES[q].1 as f64 * v);
        WEIGHTS[q] * density * (1.0 + along + 0.5 * along * along - square)
    })
}

/// Density and velocity.
fn moments(f: &[f64; Q]) -> (f64, f64, f64) {
    let density: f64 = f.iter().sum();
    let of = |axis: fn(&(i64, i64)) -> i64| -> f64 { MOVES.iter().zip(f).map(|(to, f)| axis(to) as f64 * f).sum() };
    (density, of(|to| to.0) / density, of(|to| to.1) / density)
}

/// Populations after they have met.
fn collide(f: &[f64; Q]) -> [f64; Q] {
    let (density, u, v) = moments(f);
    let rest = equilibrium(density, u, v);
    std::array::from_fn(|q| f[q] - (f[q] - rest[q]) / TAU)
}

/// The cell that is `steps` moves of population `q` from cell (x, y) of a periodic grid.
fn neighbour(n: usize, cell: usize, q: usize, steps: i64) -> usize {
    let shift = |at: usize, by: i64| (at as i64 + by * steps).rem_euclid(n as i64) as usize;
    shift(cell / n, MOVES[q].1) * n + shift(cell % n, MOVES[q].0)
}

/// The lattice after so many steps by another way: each cell sends its populations on, then all collide in place.
fn reference(n: usize, steps: u64) -> Vec<f64> {
    let mut now = initial(n);
    for _ in 0..steps {
        let mut next = vec![0.0; now.len()];
        for cell in 0..n * n {
            for q in 0..Q {
                next[neighbour(n, cell, q, 1) * Q + q] = now[cell * Q + q];
            }
        }
        for cell in next.chunks_exact_mut(Q) {
            let met = collide(&std::array::from_fn(|q| cell[q]));
            cell.copy_from_slice(&met);
        }
        now = next;
    }
    now
}

impl TeamKernel for Lbm {
    const NAME: &'static str = "lbm";

    fn areas(&self) -> Vec<Area> {
        let [first, second] = &self.lattices;
        vec![first.area("first"), second.area("second")]
    }

    fn fills(&self) -> Vec<Fill> {
        let bounds = bounds(self.n * self.n, self.threads);
        self.lattices.iter().map(|lattice| lattice.fill(&bounds, Q)).collect()
    }

    fn advance(&mut self) -> Option<Section> {
        self.within_pass = !self.within_pass;
        if self.within_pass {
            return Some(Section::Parallel(self.n * self.n));
        }
        (self.from, self.done) = (1 - self.from, self.done + 1);
        None
    }

    fn step(&mut self, _: usize, cell: usize, recorder: &mut Recorder<'_>) -> bool {
        let (n, from) = (self.n, self.from);
        let mut last = Source::NONE;
        let f = std::array::from_fn(|q| {
            recorder.work(ADDRESS);
            let (f, source) = self.lattices[from].get(neighbour(n, cell, q, -1) * Q + q, Source::NONE, recorder);
            last = source;
            f
        });
        recorder.work(ARITHMETIC);
        for (q, f) in collide(&f).into_iter().enumerate() {
            self.lattices[1 - from].set(cell * Q + q, f, last, recorder);
        }
        recorder.work(LOOP);
        true
    }

    /// The lattice of the last complete step, to the last bit.
    fn verify(&self) -> Result<(), String> {
        let expected = reference(self.n, self.done);
        let found = &self.lattices[self.from].data;
        match (0..expected.len()).find(|&i| found[i].to_bits() != expected[i].to_bits()) {
            Some(i) => Err(format!("cell {} is wrong after {} steps", i / Q, self.done)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::testing::{accesses, run_kernel, run_team, team_of};

    /// Amplitude of the shear wave along the rows.
    fn amplitude(n: usize, lattice: &[f64]) -> f64 {
        let velocity = |cell: usize| moments(&std::array::from_fn(|q| lattice[cell * Q + q])).1;
        let term = |cell: usize| velocity(cell) * (std::f64::consts::TAU * (cell / n) as f64 / n as f64).sin();
        (0..n * n).map(term).sum::<f64>() * 2.0 / (n * n) as f64
    }

    #[test]
    fn a_shear_wave_decays_by_its_viscosity_and_mass_stays() {
        let n = 32;
        let kernel = run_kernel(Lbm::new(n, 3), 3, 60);
        let lattice = &kernel.lattices[kernel.from].data;
        // u(t) = u(0) · exp(−ν k² t): exp(−0.1 · (2π/32)² · 60) = 0.793.
        let decay = amplitude(n, lattice) / amplitude(n, &initial(n));
        assert!((decay - 0.793).abs() < 0.01, "{decay}");
        assert!((lattice.iter().sum::<f64>() - (n * n) as f64).abs() < 1e-9);
    }

    #[test]
    fn a_wrong_cell_is_found() {
        let mut kernel = run_kernel(Lbm::new(5, 2), 2, 3);
        let from = kernel.from;
        kernel.lattices[from].data[12 * Q + 4] += 1e-12;
        assert_eq!(kernel.verify(), Err("cell 12 is wrong after 3 steps".to_owned()));
    }

    #[test]
    fn nine_loads_and_nine_stores_a_cell() {
        let events = run_team(team_of("lbm", "n = 10\ninit = 'none'", 4), 1);
        for events in events {
            let accesses = accesses(&events);
            assert_eq!(accesses.len(), 25 * 18);
            assert_eq!(accesses.iter().filter(|access| access.2).count(), 25 * 9);
        }
    }
}
