// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistical models of programs that cannot be shipped (BEN-8, BEN-10, BEN-11, BEN-12). A model computes nothing: it
//! makes the accesses that would miss the last-level cache, so many in so many instructions, with the footprint and, as far
//! as they are known, the stores, runs and overlap of the program. Accesses that hit are not made. All that a model says of
//! its program is in `published.toml`; what is assumed is marked there.

mod published;
mod sweep;

pub use published::{Characteristics, characteristics};

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter, Values};
use crate::recorder::{Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::Layout;
use fresco_dram::VirtAddr;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use sweep::Sweep;

/// Bytes of a line and of an access to it.
const LINE: u64 = 64;
const WORD: u8 = 8;

/// Programs of which there are models, as in the file.
const NAMES: &[&str] = &[
    "470.lbm",
    "462.libquantum",
    "437.leslie3d",
    "433.milc",
    "482.sphinx3",
    "450.soplex",
    "434.zeusmp",
    "483.xalancbmk",
    "436.cactusADM",
    "403.gcc",
    "473.astar",
    "471.omnetpp",
    "447.dealII",
    "481.wrf",
    "400.perlbench",
    "429.mcf",
    "444.namd",
    "456.hmmer",
    "410.bwaves",
    "459.GemsFDTD",
    "453.povray",
    "464.h264ref",
    "npb-ua",
    "stream",
];

/// The program that a model with these parameters stands for.
pub(crate) fn model_of(values: &Values) -> &'static str {
    NAMES[values.number("of") as usize]
}

/// Entry in the table of programs.
pub(crate) static MODEL: ProgramKind = ProgramKind {
    name: Model::NAME,
    doc: "statistical model of a program that cannot be shipped: its misses, from published characteristics (BEN-10)",
    parameters: &[
        &[
            Parameter {
                name: "of",
                kind: Kind::Choice(NAMES),
                doc: "the program that it stands for",
            },
            Parameter {
                name: "limit",
                kind: Kind::Size {
                    min: 4096,
                    max: 16 << 30,
                    multiple: 64,
                    default: 16 << 30,
                },
                doc: "footprint at most, if the published one is larger",
            },
            Parameter {
                name: "accesses",
                kind: Kind::Count {
                    min: 1,
                    max: 1 << 40,
                    default: 1_000_000,
                },
                doc: "accesses of one pass",
            },
        ],
        PASSES,
    ],
    build: Build::Model(|values, setting| {
        let of = model_of(values);
        let mut all = characteristics()?.into_iter();
        let Some(mut of) = all.find(|model| model.name == of) else {
            return Err(values.error("of", format!("found {of:?}, of which nothing is published")));
        };
        of.footprint = of.footprint.min(values.number("limit"));
        let model = Model::new(of, values.number("accesses"), setting.seed);
        Ok(Box::new(Looped::new(model, passes(values))))
    }),
};

/// The running model.
struct Model {
    of: Characteristics,
    base: u64,
    sweep: Sweep,
    random: Pcg64,
    /// The last loads, as many as may be outstanding, in turn: each load waits for the one whose place it takes.
    loads: Vec<Source>,
    turn: usize,
    /// Of the instructions between two accesses, what has not come to a whole one: in 1 / misses.
    rest: u64,
    accesses_of_pass: u64,
    accesses: u64,
    stores: u64,
    /// A bit for each line: the parity of the sweeps that have come to it.
    seen: Vec<u64>,
    /// The first line that came twice in a sweep.
    fault: Option<u64>,
}

impl Model {
    fn new(of: Characteristics, accesses_of_pass: u64, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let lines = of.footprint / LINE;
        Self {
            base: Layout::new().reserve(of.footprint),
            sweep: Sweep::new(lines, of.run, &mut random),
            loads: vec![Source::NONE; of.parallel as usize],
            turn: 0,
            rest: 0,
            accesses_of_pass,
            accesses: 0,
            stores: 0,
            seen: vec![0; lines.div_ceil(64) as usize],
            fault: None,
            random,
            of,
        }
    }

    /// Notes that the sweep has come to `line`.
    fn note(&mut self, line: u64) {
        let (word, bit) = ((line / 64) as usize, line % 64);
        let sweep = self.accesses / (self.of.footprint / LINE);
        if self.seen[word] >> bit & 1 != sweep & 1 {
            self.fault.get_or_insert(line);
        }
        self.seen[word] ^= 1 << bit;
    }
}

impl Kernel for Model {
    const NAME: &'static str = "model";

    fn areas(&self) -> Vec<Area> {
        vec![Area {
            name: "data".into(),
            base: VirtAddr(self.base),
            bytes: self.of.footprint / LINE * LINE,
        }]
    }

    fn stalls(&self) -> u32 {
        self.of.stalls
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        self.rest += 1_000_000;
        let instructions = self.rest / self.of.misses;
        self.rest %= self.of.misses;
        // At least one: there are a million misses in a million instructions at most. At most a million.
        recorder.work(instructions as u32 - 1);
        let line = self.sweep.next(&mut self.random);
        self.note(line);
        let at = VirtAddr(self.base + line * LINE);
        if self.random.random_range(0..100) < self.of.stores {
            recorder.store(at, WORD, Source::NONE);
            self.stores += 1;
        } else {
            let before = &mut self.loads[self.turn];
            *before = recorder.load(at, WORD, *before);
            self.turn = (self.turn + 1) % self.loads.len();
        }
        self.accesses += 1;
        self.accesses.is_multiple_of(self.accesses_of_pass)
    }

    /// Nothing is computed; but every line must come once in a sweep, and the share of stores must be that of the model, to
    /// six standard deviations.
    fn verify(&self) -> Result<(), String> {
        if let Some(line) = self.fault {
            return Err(format!("line {line} came twice in one sweep, or was left out of one"));
        }
        let (accesses, share) = (self.accesses as f64, f64::from(self.of.stores) / 100.0);
        let away = (self.stores as f64 - accesses * share).abs();
        if away <= 6.0 * (accesses * share * (1.0 - share)).sqrt() {
            Ok(())
        } else {
            Err(format!(
                "{} of {} accesses are stores, not {} %",
                self.stores, self.accesses, self.of.stores
            ))
        }
    }
}

#[cfg(test)]
mod tests;
