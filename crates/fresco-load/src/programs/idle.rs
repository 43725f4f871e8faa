// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes in registers alone: a core that is busy and leaves the memory in peace.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::Recorder;
use crate::registry::{Build, PASSES, ProgramKind, passes};

/// Entry in the table of programs.
pub(crate) static IDLE: ProgramKind = ProgramKind {
    name: Idle::NAME,
    doc: "computes in registers and accesses no memory",
    parameters: &[
        &[Parameter {
            name: "instructions",
            kind: Kind::Count {
                min: 1,
                max: 1_000_000_000,
                default: 1_000_000,
            },
            doc: "instructions of one pass",
        }],
        PASSES,
    ],
    build: Build::Program(|values, _| {
        let config = IdleConfig {
            instructions: values.number("instructions") as u32,
        };
        Ok(Box::new(Looped::new(Idle::new(&config), passes(values))))
    }),
};

/// Parameters of [`Idle`].
#[derive(Clone, Debug)]
pub(crate) struct IdleConfig {
    /// Instructions of one pass, at least 1 (a program without end that takes no time would never let time pass).
    pub instructions: u32,
}

/// The running program.
pub(crate) struct Idle {
    instructions: u32,
}

impl Idle {
    /// Ready to begin.
    pub fn new(config: &IdleConfig) -> Self {
        Self {
            instructions: config.instructions,
        }
    }
}

impl Kernel for Idle {
    const NAME: &'static str = "idle";

    fn areas(&self) -> Vec<Area> {
        Vec::new()
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        recorder.work(self.instructions);
        true
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
    fn instructions_and_no_memory() {
        let run = run(Looped::new(
            Idle::new(&IdleConfig { instructions: 1000 }),
            Passes::new(0, 5),
        ));
        assert_eq!((run.marks(), run.ops().len(), run.instructions()), ((1, 5, 1), 0, 5000));
    }
}
