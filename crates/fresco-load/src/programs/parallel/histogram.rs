// SPDX-License-Identifier: MIT OR Apache-2.0
//! Histogram: each thread counts its part of the values in bins of its own, then each sums its part of the bins over all
//! threads. The sums read what others wrote, which no placement makes local to all (LIM-7).

use crate::Area;
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind};
use crate::team::{Fill, Section, TEAM, TeamKernel, bounds, owned, settings, team};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Entry in the table of programs.
pub(crate) static HISTOGRAM: ProgramKind = ProgramKind {
    name: Histogram::NAME,
    doc: "team: histogram, private bins and their sum",
    parameters: &[
        &[
            Parameter {
                name: "elements",
                kind: Kind::Count {
                    min: 1,
                    max: 1 << 28,
                    default: 1 << 22,
                },
                doc: "values, 4 bytes each",
            },
            Parameter {
                name: "bins",
                kind: Kind::Count {
                    min: 1,
                    max: 1 << 24,
                    default: 4096,
                },
                doc: "bins, 4 bytes each in each thread; small values are more frequent",
            },
        ],
        TEAM,
        PASSES,
    ],
    build: Build::Team(|values, setting, threads| {
        let [elements, bins] = ["elements", "bins"].map(|name| values.number(name) as usize);
        let kernel = Histogram::new(elements, bins, threads as usize, setting.seed);
        Ok(team(kernel, settings(values), threads))
    }),
};

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Clear,
    Count,
    Sum,
    Done,
}

/// The running program.
struct Histogram {
    values: Traced<u32>,
    private: Vec<Traced<u32>>,
    totals: Traced<u32>,
    phase: Phase,
    passes: u64,
}

impl Histogram {
    fn new(elements: usize, bins: usize, threads: usize, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut value = || (random.random::<f64>() * random.random::<f64>() * bins as f64) as u32;
        let mut layout = Layout::new();
        Self {
            values: layout.array((0..elements).map(|_| value()).collect()),
            private: (0..threads).map(|_| layout.array(vec![0; bins])).collect(),
            totals: layout.array(vec![0; bins]),
            phase: Phase::Done,
            passes: 0,
        }
    }
}

impl TeamKernel for Histogram {
    const NAME: &'static str = "histogram";

    fn areas(&self) -> Vec<Area> {
        let private = self.private.iter().enumerate();
        let private = private.map(|(thread, bins)| bins.area(&format!("bins {thread}")));
        std::iter::once(self.values.area("values"))
            .chain(private)
            .chain([self.totals.area("totals")])
            .collect()
    }

    fn fills(&self) -> Vec<Fill> {
        let threads = self.private.len();
        let shared = [
            self.values.fill(&bounds(self.values.data.len(), threads), 1),
            self.totals.fill(&bounds(self.totals.data.len(), threads), 1),
        ];
        let private = self.private.iter().enumerate();
        let private = private.map(|(thread, bins)| bins.fill(&owned(thread, threads), bins.data.len()));
        shared.into_iter().chain(private).collect()
    }

    fn advance(&mut self) -> Option<Section> {
        let bins = self.totals.data.len();
        let (phase, iterations) = match self.phase {
            Phase::Done => (Phase::Clear, bins * self.private.len()),
            Phase::Clear => (Phase::Count, self.values.data.len()),
            Phase::Count => (Phase::Sum, bins),
            Phase::Sum => {
                self.passes += 1;
                self.phase = Phase::Done;
                return None;
            }
        };
        self.phase = phase;
        Some(Section::Parallel(iterations))
    }

    fn step(&mut self, thread: usize, iteration: usize, recorder: &mut Recorder<'_>) -> bool {
        let bins = self.totals.data.len();
        match self.phase {
            Phase::Clear => self.private[iteration / bins].set(iteration % bins, 0, Source::NONE, recorder),
            Phase::Count => {
                let (value, source) = self.values.get(iteration, Source::NONE, recorder);
                let private = &mut self.private[thread];
                let (count, source) = private.get(value as usize, source, recorder);
                recorder.work(1);
                private.set(value as usize, count + 1, source, recorder);
            }
            Phase::Sum | Phase::Done => {
                let (mut sum, mut last) = (0, Source::NONE);
                for private in &self.private {
                    let (count, source) = private.get(iteration, Source::NONE, recorder);
                    recorder.work(1 + LOOP);
                    (sum, last) = (sum + count, source);
                }
                self.totals.set(iteration, sum, last, recorder);
            }
        }
        recorder.work(LOOP);
        true
    }

    /// Every pass finds the same totals.
    fn verify(&self) -> Result<(), String> {
        if self.passes == 0 {
            return Ok(());
        }
        let mut expected = vec![0; self.totals.data.len()];
        self.values.data.iter().for_each(|&value| expected[value as usize] += 1);
        match (0..expected.len()).find(|&bin| self.totals.data[bin] != expected[bin]) {
            Some(bin) => Err(format!(
                "bin {bin} has {}, not {}",
                self.totals.data[bin], expected[bin]
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::testing::{accesses, run_kernel, run_team, team_of};

    #[test]
    fn a_histogram_small_enough_for_a_pencil() {
        let mut kernel = Histogram::new(6, 4, 2, 1);
        kernel.values.data = vec![3, 0, 3, 1, 3, 0];
        let mut kernel = run_kernel(kernel, 2, 1);
        assert_eq!(kernel.totals.data, [2, 1, 0, 3]);
        assert_eq!(
            (&kernel.private[0].data[..], &kernel.private[1].data[..]),
            (&[1, 0, 0, 2][..], &[1, 1, 0, 1][..])
        );
        kernel.totals.data[2] = 1;
        assert_eq!(kernel.verify(), Err("bin 2 has 1, not 0".to_owned()));
    }

    #[test]
    fn accesses_are_those_of_the_plain_loops() {
        let events = run_team(team_of("histogram", "elements = 1000\nbins = 64\ninit = 'none'", 4), 1);
        for events in events {
            // 64 bins cleared, 250 values, 16 sums over 4 threads.
            assert_eq!(accesses(&events).len(), 64 + 3 * 250 + 16 * 5);
        }
    }
}
