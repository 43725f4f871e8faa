// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes in registers alone: a core that is busy and leaves the memory in peace.

use crate::Area;
use crate::kernel::Kernel;
use crate::recorder::Recorder;

/// Parameters of [`Idle`].
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Instructions of one pass, at least 1 (a program without end that takes no time would never let time pass).
    pub instructions: u32,
}

/// The running program.
pub(crate) struct Idle {
    instructions: u32,
}

impl Idle {
    /// Ready to begin.
    pub fn new(config: &Config) -> Self {
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
    use crate::kernel::Looped;
    use crate::passes::Passes;
    use crate::testing::run;

    #[test]
    fn instructions_and_no_memory() {
        let run = run(Looped::new(
            Idle::new(&Config { instructions: 1000 }),
            Passes::new(0, 5),
        ));
        assert_eq!((run.marks(), run.ops().len(), run.instructions()), ((1, 5, 1), 0, 5000));
    }
}
