// SPDX-License-Identifier: MIT OR Apache-2.0
//! Breadth-first search of a random graph, level by level: each thread looks whether those of its vertices that have no
//! level yet have a neighbour on the last one. Neighbours lie anywhere, so most loads are of what others wrote (LIM-7).
//! The next level is marked in an array of its own, so no thread reads what another one writes.

#[cfg(test)]
mod tests;

use super::graph::Graph;
use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, bounds, settings, team};
use crate::traced::{Layout, Traced};

/// The level of a vertex that has none.
const NONE: u32 = u32::MAX;
/// Neighbours that one step looks at.
const CHUNK: usize = 16;

/// Entry in the table of programs.
pub(crate) static BFS: ProgramKind = ProgramKind {
    name: Bfs::NAME,
    doc: "team: breadth-first search of a random graph, level by level",
    parameters: &[
        &[
            Parameter {
                name: "vertices",
                kind: Kind::Count {
                    min: 2,
                    max: 1 << 22,
                    default: 1 << 18,
                },
                doc: "vertices, 10 bytes each",
            },
            Parameter {
                name: "degree",
                kind: Kind::Count {
                    min: 2,
                    max: 64,
                    default: 16,
                },
                doc: "neighbours of a vertex on average, 4 bytes each",
            },
        ],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, setting, threads| {
        let [vertices, degree] = ["vertices", "degree"].map(|name| values.number(name) as usize);
        let kernel = Bfs::new(vertices, degree, threads as usize, setting.seed);
        Ok(team(kernel, settings(values), threads))
    }),
};

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Reset,
    /// The search for this level.
    Search(u32),
    /// The master sums how many were found on this level.
    Sum(u32),
    Count,
    Done,
}

/// Registers of a thread: the place of the neighbour to look at next, and vertices counted.
#[derive(Clone, Copy, Debug, Default)]
struct Registers {
    place: Option<usize>,
    count: u64,
}

/// The running program. Each pass begins from another vertex.
struct Bfs {
    graph: Graph,
    levels: Traced<u32>,
    /// Whether each vertex is on the last level, or on the one being searched: one array for each parity of the level.
    fronts: [Traced<bool>; 2],
    /// A line for each thread: vertices it has counted.
    counts: Traced<u64>,
    registers: Vec<Registers>,
    phase: Phase,
    passes: u64,
    /// What was found wrong at the end of a pass.
    outcome: Result<(), String>,
}

impl Bfs {
    fn new(vertices: usize, degree: usize, threads: usize, seed: u64) -> Self {
        let mut layout = Layout::new();
        Self {
            graph: Graph::new(vertices, degree, seed, &mut layout),
            levels: layout.array(vec![NONE; vertices]),
            fronts: std::array::from_fn(|_| layout.array(vec![false; vertices])),
            counts: layout.spread(vec![0; threads], 64),
            registers: vec![Registers::default(); threads],
            phase: Phase::Done,
            passes: 0,
            outcome: Ok(()),
        }
    }

    /// Where this pass begins.
    fn source(&self) -> usize {
        (self.passes.wrapping_mul(0x9e37_79b9) % self.graph.vertices() as u64) as usize
    }

    /// Levels from `source` by a queue.
    fn reference(&self, source: usize) -> Vec<u32> {
        let mut levels = vec![NONE; self.graph.vertices()];
        levels[source] = 0;
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(vertex) = queue.pop_front() {
            for &neighbor in &self.graph.neighbors.data[self.graph.places(vertex)] {
                if levels[neighbor as usize] == NONE {
                    levels[neighbor as usize] = levels[vertex] + 1;
                    queue.push_back(neighbor as usize);
                }
            }
        }
        levels
    }

    /// Compares the result of a pass that has just ended.
    fn check(&self) -> Result<(), String> {
        let expected = self.reference(self.source());
        if let Some(vertex) = (0..expected.len()).find(|&vertex| self.levels.data[vertex] != expected[vertex]) {
            return Err(format!(
                "vertex {vertex} is on level {}, not {}",
                self.levels.data[vertex], expected[vertex]
            ));
        }
        let reached = expected.iter().filter(|&&level| level != NONE).count() as u64;
        match self.counts.data.iter().sum::<u64>() {
            sum if sum == reached => Ok(()),
            sum => Err(format!("{sum} vertices reached, not {reached}")),
        }
    }

    /// Looks at the next neighbours of a vertex. True when the vertex is dealt with.
    fn search(&mut self, thread: usize, vertex: usize, level: u32, recorder: &mut Recorder<'_>) -> bool {
        let [now, next] = [level as usize - 1, level as usize].map(|level| level % 2);
        let Some(first) = self.registers[thread].place else {
            let (known, source) = self.levels.get(vertex, Source::NONE, recorder);
            recorder.work(1 + LOOP);
            if known != NONE {
                self.fronts[next].set(vertex, false, source, recorder);
                return true;
            }
            self.graph.starts.get(vertex, Source::NONE, recorder);
            self.graph.starts.get(vertex + 1, Source::NONE, recorder);
            self.registers[thread].place = Some(self.graph.places(vertex).start);
            return false;
        };
        let end = self.graph.places(vertex).end;
        let (mut found, mut last) = (false, Source::NONE);
        let mut place = first;
        while place < end.min(first + CHUNK) && !found {
            let (neighbor, source) = self.graph.neighbors.get(place, Source::NONE, recorder);
            (found, last) = self.fronts[now].get(neighbor as usize, source, recorder);
            recorder.work(1 + LOOP);
            place += 1;
        }
        if place < end && !found {
            self.registers[thread].place = Some(place);
            return false;
        }
        self.fronts[next].set(vertex, found, last, recorder);
        if found {
            self.levels.set(vertex, level, last, recorder);
        }
        self.registers[thread].place = None;
        self.registers[thread].count += u64::from(found);
        true
    }
}

impl TeamKernel for Bfs {
    const NAME: &'static str = "bfs";

    fn areas(&self) -> Vec<Area> {
        vec![
            self.graph.starts.area("starts"),
            self.graph.neighbors.area("neighbors"),
            self.levels.area("levels"),
            self.fronts[0].area("front 0"),
            self.fronts[1].area("front 1"),
            self.counts.area("counts"),
        ]
    }

    fn fills(&self) -> Vec<Fill> {
        let threads = self.registers.len();
        let vertices = bounds(self.graph.vertices(), threads);
        let own = [
            self.levels.fill(&vertices, 1),
            self.fronts[0].fill(&vertices, 1),
            self.fronts[1].fill(&vertices, 1),
            self.counts.fill(&bounds(threads, threads), 1),
        ];
        self.graph.fills(threads).into_iter().chain(own).collect()
    }

    fn advance(&mut self) -> Option<Section> {
        let found = self.counts.data.iter().any(|&count| count > 0);
        let vertices = Section::Parallel(self.graph.vertices());
        let (phase, section) = match self.phase {
            Phase::Done => (Phase::Reset, vertices),
            Phase::Reset => (Phase::Search(1), vertices),
            Phase::Search(level) => (Phase::Sum(level), Section::Serial(self.registers.len())),
            Phase::Sum(level) if found => (Phase::Search(level + 1), vertices),
            Phase::Sum(_) => (Phase::Count, vertices),
            Phase::Count => {
                self.outcome = self.outcome.clone().and_then(|()| self.check());
                self.passes += 1;
                self.phase = Phase::Done;
                return None;
            }
        };
        self.phase = phase;
        Some(section)
    }

    fn step(&mut self, thread: usize, iteration: usize, recorder: &mut Recorder<'_>) -> bool {
        match self.phase {
            Phase::Reset => {
                let is_source = iteration == self.source();
                let level = if is_source { 0 } else { NONE };
                self.levels.set(iteration, level, Source::NONE, recorder);
                self.fronts[0].set(iteration, is_source, Source::NONE, recorder);
            }
            Phase::Search(level) => return self.search(thread, iteration, level, recorder),
            Phase::Sum(_) => {
                self.counts.get(iteration, Source::NONE, recorder);
                recorder.work(1);
            }
            Phase::Count | Phase::Done => {
                let (level, _) = self.levels.get(iteration, Source::NONE, recorder);
                recorder.work(2);
                self.registers[thread].count += u64::from(level != NONE);
            }
        }
        recorder.work(LOOP);
        true
    }

    fn close(&mut self, thread: usize, recorder: &mut Recorder<'_>) {
        if matches!(self.phase, Phase::Search(_) | Phase::Count) {
            let count = std::mem::take(&mut self.registers[thread].count);
            self.counts.set(thread, count, Source::NONE, recorder);
        }
    }

    /// The levels of every complete pass.
    fn verify(&self) -> Result<(), String> {
        self.outcome.clone()
    }
}
