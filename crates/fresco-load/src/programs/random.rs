// SPDX-License-Identifier: MIT OR Apache-2.0
//! A generator, not a computation: independent accesses to uniformly random lines of an area.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::Layout;
use fresco_dram::VirtAddr;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Bytes of a line, and of an access.
const LINE: u64 = 64;

/// Entry in the table of programs.
pub(crate) static RANDOM: ProgramKind = ProgramKind {
    name: Random::NAME,
    doc: "generator: independent accesses to uniformly random lines",
    parameters: &[
        &[
            Parameter {
                name: "bytes",
                kind: Kind::Size {
                    min: 64,
                    max: 1 << 40,
                    multiple: 64,
                    default: 64 << 20,
                },
                doc: "size of the area",
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
            Parameter {
                name: "write_percent",
                kind: Kind::Count {
                    min: 0,
                    max: 100,
                    default: 0,
                },
                doc: "writes among a hundred accesses, on average",
            },
            Parameter {
                name: "gap",
                kind: Kind::Count {
                    min: 0,
                    max: 1_000_000,
                    default: 0,
                },
                doc: "instructions before each access that access no memory",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, setting| {
        let config = RandomConfig {
            bytes: values.number("bytes"),
            accesses: values.number("accesses"),
            write_percent: values.number("write_percent") as u32,
            gap: values.number("gap") as u32,
            seed: setting.seed,
        };
        Ok(Box::new(Looped::new(Random::new(config), passes(values))))
    }),
};

/// Parameters of [`Random`].
#[derive(Clone, Debug)]
pub(crate) struct RandomConfig {
    /// Size of the area in bytes, at least 64.
    pub bytes: u64,
    /// Accesses of one pass, at least 1.
    pub accesses: u64,
    /// Of a hundred accesses, how many are writes on average; 0 to 100.
    pub write_percent: u32,
    /// Instructions before each access that access no memory.
    pub gap: u32,
    /// Seed of addresses and directions.
    pub seed: u64,
}

/// The running generator.
pub(crate) struct Random {
    config: RandomConfig,
    base: u64,
    random: Pcg64,
    /// Accesses of this pass so far.
    accesses: u64,
}

impl Random {
    /// Ready to begin.
    pub fn new(config: RandomConfig) -> Self {
        let base = Layout::new().reserve(config.bytes);
        let random = Pcg64::seed_from_u64(config.seed);
        Self {
            config,
            base,
            random,
            accesses: 0,
        }
    }
}

impl Kernel for Random {
    const NAME: &'static str = "random";

    fn areas(&self) -> Vec<Area> {
        let bytes = self.config.bytes / LINE * LINE;
        vec![Area {
            name: "area".into(),
            base: VirtAddr(self.base),
            bytes,
        }]
    }

    #[inline]
    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        recorder.work(self.config.gap);
        let address = VirtAddr(self.base + LINE * self.random.random_range(0..self.config.bytes / LINE));
        if self.random.random_range(0..100) < self.config.write_percent {
            recorder.store(address, LINE as u8, Source::NONE);
        } else {
            recorder.load(address, LINE as u8, Source::NONE);
        }
        self.accesses += 1;
        let over = self.accesses == self.config.accesses;
        if over {
            self.accesses = 0;
        }
        over
    }

    /// There is no result to check.
    fn verify(&self) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::run;

    #[test]
    fn spread_evenly_with_the_share_of_writes_asked_for() {
        let config = RandomConfig {
            bytes: 64 * 16,
            accesses: 8000,
            write_percent: 25,
            gap: 3,
            seed: 11,
        };
        let run = run(Looped::new(Random::new(config), Passes::new(0, 2)));
        assert_eq!(run.marks(), (1, 2, 1));
        assert_eq!(run.instructions(), 16_000 * 4);
        let ops = run.ops();
        // Six standard deviations of the binomial distribution: 330 of 16,000 writes, 184 of 1,000 per line.
        let writes = ops.iter().filter(|op| op.write).count();
        assert!(writes.abs_diff(4000) < 330, "{writes} writes");
        for line in 0..16 {
            let count = ops.iter().filter(|op| op.addr.0 == 0x1000_0000 + 64 * line).count();
            assert!(count.abs_diff(1000) < 184, "{count} accesses to line {line}");
        }
    }
}
