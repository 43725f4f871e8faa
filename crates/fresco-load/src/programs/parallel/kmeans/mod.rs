// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clusters of points, as a stand-in for streamcluster (BEN-11): a pass is one round of Lloyd's method. Each thread finds
//! the nearest centre of its points and sums them in a table of its own; then the master alone makes the new centres of
//! all tables, which all threads read in the next round (LIM-6, LIM-7).

#[cfg(test)]
mod tests;
mod work;

use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, bounds, owned, settings, team};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Entry in the table of programs.
pub(crate) static KMEANS: ProgramKind = ProgramKind {
    name: KMeans::NAME,
    doc: "team: clusters of points, a pass is a round of k-means (BEN-11)",
    parameters: &[
        &[
            Parameter {
                name: "points",
                kind: Kind::Count {
                    min: 1,
                    max: 1 << 21,
                    default: 1 << 16,
                },
                doc: "points",
            },
            Parameter {
                name: "dimensions",
                kind: Kind::Count {
                    min: 1,
                    max: 64,
                    default: 32,
                },
                doc: "coordinates of a point, 8 bytes each",
            },
            Parameter {
                name: "clusters",
                kind: Kind::Count {
                    min: 1,
                    max: 1024,
                    default: 8,
                },
                doc: "centres",
            },
        ],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, setting, threads| {
        let sizes = ["points", "dimensions", "clusters"].map(|name| values.number(name) as usize);
        let kernel = KMeans::new(sizes, threads as usize, setting.seed);
        Ok(team(kernel, settings(values), threads))
    }),
};

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Assign,
    Update,
    Clear,
    Done,
}

/// Registers of a thread: the centre to look at next, the nearest so far and how far it is; the next dimension.
#[derive(Clone, Copy, Debug)]
struct Registers {
    center: usize,
    nearest: usize,
    distance: f64,
    last: Source,
    dimension: usize,
}

impl Registers {
    const START: Self = Self {
        center: 0,
        nearest: 0,
        distance: f64::INFINITY,
        last: Source::NONE,
        dimension: 0,
    };
}

/// The running program. Coordinates are whole numbers, so that sums are exact in any order.
struct KMeans {
    dimensions: usize,
    clusters: usize,
    points: Traced<f64>,
    centers: Traced<f64>,
    nearest: Traced<u32>,
    /// For each thread and cluster the sums of the coordinates, then the number of points.
    tables: Vec<Traced<f64>>,
    registers: Vec<Registers>,
    phase: Phase,
    /// Updates of the centres completed.
    updates: u64,
}

impl KMeans {
    fn new([points, dimensions, clusters]: [usize; 3], threads: usize, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut layout = Layout::new();
        // Around each corner of a cube, as many as there are clusters.
        let mut coordinate = |i: usize| {
            let (point, dimension) = (i / dimensions, i % dimensions);
            let corner = (point % clusters) >> (dimension % 10) & 1;
            f64::from(1000 * corner as u32 + random.random_range(0..800u32))
        };
        let points = layout.array((0..points * dimensions).map(&mut coordinate).collect());
        let mut kernel = Self {
            dimensions,
            clusters,
            centers: layout.array(vec![0.0; clusters * dimensions]),
            nearest: layout.array(vec![0; points.data.len() / dimensions]),
            tables: (0..threads)
                .map(|_| layout.array(vec![0.0; clusters * (dimensions + 1)]))
                .collect(),
            registers: vec![Registers::START; threads],
            points,
            phase: Phase::Done,
            updates: 0,
        };
        kernel.centers.data = kernel.first_centers();
        kernel
    }

    /// The first points, again from the beginning if there are too few.
    fn first_centers(&self) -> Vec<f64> {
        self.points
            .data
            .iter()
            .copied()
            .cycle()
            .take(self.clusters * self.dimensions)
            .collect()
    }
}

impl TeamKernel for KMeans {
    const NAME: &'static str = "kmeans";

    fn areas(&self) -> Vec<Area> {
        let tables = self.tables.iter().enumerate();
        let tables = tables.map(|(thread, table)| table.area(&format!("table {thread}")));
        let shared = [
            self.points.area("points"),
            self.centers.area("centers"),
            self.nearest.area("nearest"),
        ];
        shared.into_iter().chain(tables).collect()
    }

    fn fills(&self) -> Vec<Fill> {
        let threads = self.tables.len();
        let points = bounds(self.nearest.data.len(), threads);
        let shared = [
            self.points.fill(&points, self.dimensions),
            self.centers.fill(&bounds(self.clusters, threads), self.dimensions),
            self.nearest.fill(&points, 1),
        ];
        let tables = self.tables.iter().enumerate();
        let tables = tables.map(|(thread, table)| table.fill(&owned(thread, threads), table.data.len()));
        shared.into_iter().chain(tables).collect()
    }

    fn advance(&mut self) -> Option<Section> {
        let (phase, section) = match self.phase {
            Phase::Done => (Phase::Assign, Some(Section::Parallel(self.nearest.data.len()))),
            Phase::Assign => (Phase::Update, Some(Section::Serial(self.clusters))),
            Phase::Update => {
                self.updates += 1;
                let iterations = self.tables.len() * self.tables[0].data.len();
                (Phase::Clear, Some(Section::Parallel(iterations)))
            }
            Phase::Clear => (Phase::Done, None),
        };
        self.phase = phase;
        section
    }

    fn step(&mut self, thread: usize, iteration: usize, recorder: &mut Recorder<'_>) -> bool {
        match self.phase {
            Phase::Assign if self.registers[thread].center < self.clusters => {
                self.look(thread, iteration, recorder);
                false
            }
            Phase::Assign => {
                self.add(thread, iteration, recorder);
                self.registers[thread] = Registers::START;
                true
            }
            Phase::Update => self.update(iteration, recorder),
            Phase::Clear | Phase::Done => {
                let length = self.tables[0].data.len();
                self.tables[iteration / length].set(iteration % length, 0.0, Source::NONE, recorder);
                recorder.work(LOOP);
                true
            }
        }
    }

    /// The centres, to the last bit, unless they are just being updated.
    fn verify(&self) -> Result<(), String> {
        if self.phase == Phase::Update {
            return Ok(());
        }
        let expected = self.reference();
        match (0..expected.len()).find(|&i| self.centers.data[i].to_bits() != expected[i].to_bits()) {
            Some(i) => Err(format!(
                "centre {} is wrong after {} rounds",
                i / self.dimensions,
                self.updates
            )),
            None => Ok(()),
        }
    }
}
