// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traffic: a stream with a given share of reads in what it moves to and from memory, and a pause between accesses. What
//! generators of load do with which bandwidth-latency curves are measured (the Mess benchmark, MICRO 2024).

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Entry in the table of programs.
pub(crate) static TRAFFIC: ProgramKind = ProgramKind {
    name: Traffic::NAME,
    doc: "Traffic: streams with a given share of reads in the traffic of the memory, and a pause between accesses",
    parameters: &[
        &[
            Parameter {
                name: "bytes",
                kind: Kind::Size {
                    min: 1 << 16,
                    max: 1 << 30,
                    multiple: 64,
                    default: 16 << 20,
                },
                doc: "size of each of the two arrays, the one that is loaded and the one that is stored",
            },
            Parameter {
                name: "reads",
                kind: Kind::Count {
                    min: 50,
                    max: 100,
                    default: 100,
                },
                doc: "reads in a hundred lines moved, if every line stored is fetched and later written back",
            },
            Parameter {
                name: "pause",
                kind: Kind::Count {
                    min: 0,
                    max: 1_000_000,
                    default: 0,
                },
                doc: "instructions from one access to the next besides those of the loop, on average: each from 0 to twice that",
            },
            Parameter {
                name: "burst",
                kind: Kind::Count {
                    min: 1,
                    max: 64,
                    default: 1,
                },
                doc: "accesses without a pause between them; the pause that follows is as long as theirs together",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        let config = TrafficConfig {
            seed: setting.seed,
            bytes: values.number("bytes"),
            reads: values.number("reads"),
            pause: values.number("pause") as u32,
            burst: values.number("burst") as u32,
        };
        Ok(Box::new(Looped::new(Traffic::new(&config), passes(values))))
    }),
};

/// Bytes of a line.
const LINE: u64 = 64;

/// Parameters of [`Traffic`].
#[derive(Clone, Debug)]
pub(crate) struct TrafficConfig {
    /// Size of each array in bytes; at least one line.
    pub bytes: u64,
    /// Percent of reads in the lines moved, 50 to 100. A load moves one line, a store two: the line is fetched, and written
    /// back later. So of `reads` accesses `100 - reads` are stores.
    pub reads: u64,
    /// Instructions between accesses, on average. Pauses are drawn: with equal ones the loads that a core's window holds are a
    /// whole number, and the traffic leaps where it changes.
    pub pause: u32,
    /// Accesses of which the last alone is followed by a pause, of `burst` times the mean; at least one.
    pub burst: u32,
    /// Seed of the pauses.
    pub seed: u64,
}

/// The running program. A pass makes as many accesses as an array has lines.
pub(crate) struct Traffic {
    /// A word per line: its index.
    loaded: Traced<u32>,
    /// A word per line: how often it was stored.
    stored: Traced<u32>,
    reads: u64,
    /// From one burst to the next, on average.
    pause: u32,
    burst: u32,
    /// Accesses since the last pause.
    since: u32,
    random: Pcg64,
    /// Accesses of this pass.
    position: usize,
    /// Lines of `loaded` and of `stored` that come next. They begin anywhere, so that several generators are not at the same
    /// place of their caches.
    next: [usize; 2],
    /// Stores owed, in `reads`-th parts of a store.
    owed: u64,
    /// Sum of the words loaded, and what it must be.
    sum: u64,
    expected: u64,
    /// Stores made.
    stores: u64,
}

impl Traffic {
    /// Sets up the arrays.
    pub fn new(config: &TrafficConfig) -> Self {
        let count = (config.bytes / LINE) as u32;
        let (mut layout, mut random) = (Layout::new(), Pcg64::seed_from_u64(config.seed));
        Self {
            loaded: layout.spread((0..count).collect(), LINE),
            stored: layout.spread(vec![0; count as usize], LINE),
            reads: config.reads,
            pause: config.pause * config.burst,
            burst: config.burst,
            since: 0,
            position: 0,
            next: [(); 2].map(|()| random.random_range(0..count as usize)),
            random,
            owed: 0,
            sum: 0,
            expected: 0,
            stores: 0,
        }
    }

    /// The line of the array that comes next, and moves on.
    fn advance(&mut self, array: usize) -> usize {
        let line = self.next[array];
        self.next[array] = (line + 1) % self.loaded.data.len();
        line
    }
}

impl Kernel for Traffic {
    const NAME: &'static str = "traffic";

    fn areas(&self) -> Vec<Area> {
        vec![self.loaded.area("loaded"), self.stored.area("stored")]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        self.owed += 100 - self.reads;
        if self.owed >= self.reads {
            self.owed -= self.reads;
            let line = self.advance(1);
            self.stored
                .set(line, self.stored.data[line].wrapping_add(1), Source::NONE, recorder);
            self.stores += 1;
        } else {
            let line = self.advance(0);
            let (word, _) = self.loaded.get(line, Source::NONE, recorder);
            self.sum += u64::from(word);
            self.expected += line as u64;
            recorder.work(1); // add to the sum
        }
        self.since = (self.since + 1) % self.burst;
        let pause = match self.since {
            0 => self.random.random_range(0..=2 * self.pause),
            _ => 0,
        };
        recorder.work(LOOP + pause);
        self.position += 1;
        let last = self.position == self.loaded.data.len();
        if last {
            self.position = 0;
        }
        last
    }

    fn verify(&self) -> Result<(), String> {
        if self.sum != self.expected {
            return Err(format!("the sum is {}, not {}", self.sum, self.expected));
        }
        let counted: u64 = self.stored.data.iter().map(|&times| u64::from(times)).sum();
        match counted == self.stores {
            true => Ok(()),
            false => Err(format!("{counted} stores are in the array, not {}", self.stores)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::{addresses, run};

    fn traffic(reads: u64, pause: u32) -> Traffic {
        in_bursts(reads, pause, 1)
    }

    fn in_bursts(reads: u64, pause: u32, burst: u32) -> Traffic {
        Traffic::new(&TrafficConfig {
            bytes: 6400,
            reads,
            pause,
            burst,
            seed: 1,
        })
    }

    #[test]
    fn the_share_of_reads_is_that_of_lines_moved() {
        // By hand, of 100 accesses: a store moves two lines. 100: none. 80: one of four, 100 reads and 25 writes. 60: two of
        // three (66 after a hundred). 50: all.
        for (reads, stores) in [(100, 0), (80, 25), (60, 66), (50, 100)] {
            let run = run(Looped::new(traffic(reads, 0), Passes::new(0, 1)));
            assert_eq!(run.ops().iter().filter(|op| op.write).count(), stores, "{reads} %");
            assert!(run.ops().iter().all(|op| op.dep == 0));
        }
    }

    #[test]
    fn both_arrays_are_gone_through_in_order() {
        let run = run(Looped::new(traffic(80, 0), Passes::new(0, 1)));
        // Three loads, a store, a load: each array from where it begins, round its end.
        let all = addresses(&run);
        let after = |address: u64, base: u64| base + (address - base + 64) % 6400;
        let (loaded, stored) = (0x1000_0000, 0x1000_0000 + 8192);
        assert!((stored..stored + 6400).contains(&all[3]));
        assert_eq!(
            [all[1], all[2], all[4]],
            [after(all[0], loaded), after(all[1], loaded), after(all[2], loaded)]
        );
        assert_eq!(all[7], after(all[3], stored));
        // After a load the addition and the loop, after a store no addition.
        let gaps: Vec<u32> = run.ops()[1..5].iter().map(|op| op.gap).collect();
        assert_eq!(gaps, [4, 4, 4, 3]);
    }

    #[test]
    fn pauses_are_from_nothing_to_twice_their_mean() {
        let run = run(Looped::new(traffic(100, 10), Passes::new(0, 1)));
        let pauses: Vec<u32> = run.ops()[1..].iter().map(|op| op.gap - 4).collect();
        assert!(pauses.iter().all(|pause| *pause <= 20) && pauses.contains(&0) && pauses.contains(&20));
        let mean = f64::from(pauses.iter().sum::<u32>()) / pauses.len() as f64;
        assert!((mean - 10.0).abs() < 1.5, "{mean}");
    }

    #[test]
    fn a_burst_pauses_once_for_all_its_accesses() {
        let run = run(Looped::new(in_bursts(100, 10, 4), Passes::new(0, 1)));
        let pauses: Vec<u32> = run.ops()[1..].iter().map(|op| op.gap - 4).collect();
        // Accesses 4, 8, … come after a pause of up to 80 instructions, the three behind each at once.
        let (paused, others): (Vec<_>, Vec<_>) = (1..).zip(&pauses).partition(|(number, _)| number % 4 == 0);
        assert!(others.iter().all(|(_, pause)| **pause == 0));
        assert!(paused.iter().all(|(_, pause)| **pause <= 80) && paused.iter().any(|(_, pause)| **pause > 60));
        let mean = f64::from(pauses.iter().sum::<u32>()) / pauses.len() as f64;
        assert!((mean - 10.0).abs() < 2.5, "{mean}");
    }

    #[test]
    fn a_wrong_value_is_found() {
        let mut kernel = traffic(80, 0);
        kernel.stored.data[50] = 9;
        assert!(kernel.verify().unwrap_err().contains("9 stores"));
        let mut kernel = traffic(80, 0);
        kernel.sum = 1;
        assert!(kernel.verify().unwrap_err().contains("sum is 1"));
    }
}
