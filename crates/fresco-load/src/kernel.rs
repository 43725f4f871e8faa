// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that goes over its data again and again, cut into steps.

use crate::passes::Passes;
use crate::recorder::{ExecutionState, Recorder};
use crate::{Area, Batch, Program};
use fresco_input::InputError;

/// The computation of a program, without the execution of its passes.
pub(crate) trait Kernel: Send {
    /// Name in the table of programs.
    const NAME: &'static str;

    /// See [`Program::footprint`].
    fn areas(&self) -> Vec<Area>;

    /// See [`Program::stalls`].
    fn stalls(&self) -> u32 {
        0
    }

    /// Does the next piece of a pass, at most a few dozen operations. True when that was the last piece; the step after
    /// it begins the next pass.
    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool;

    /// See [`Program::verify`]; may be asked between any two steps.
    fn verify(&self) -> Result<(), String>;
}

/// A kernel and how far it has come.
pub(crate) struct Looped<K> {
    kernel: K,
    passes: Passes,
    within_pass: bool,
    execution: ExecutionState,
}

impl<K: Kernel> Looped<K> {
    /// `kernel`, from its first pass on.
    pub fn new(kernel: K, passes: Passes) -> Self {
        Self {
            kernel,
            passes,
            within_pass: false,
            execution: ExecutionState::default(),
        }
    }
}

impl<K: Kernel> Program for Looped<K> {
    fn name(&self) -> &str {
        K::NAME
    }

    fn footprint(&self) -> Vec<Area> {
        self.kernel.areas()
    }

    fn stalls(&self) -> u32 {
        self.kernel.stalls()
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        let Self {
            kernel,
            passes,
            within_pass,
            execution,
        } = self;
        if passes.over() {
            return Ok(false);
        }
        let mut recorder = execution.record(out);
        while !recorder.is_full() && !passes.over() {
            if !*within_pass {
                passes.start(&mut recorder);
            }
            *within_pass = !kernel.step(&mut recorder);
            if !*within_pass {
                passes.finish(&mut recorder);
            }
        }
        Ok(true)
    }

    fn verify(&self) -> Result<(), String> {
        self.kernel.verify()
    }
}
