// SPDX-License-Identifier: MIT OR Apache-2.0
//! What follows when the process of a core has stopped: for whom it waits, a pass that ends, a program that begins again or can no longer be run.

use super::{Engine, build};
use crate::experiment::Work;
use crate::os::process::{Failure, Stop};
use fresco_dram::Ps;
use fresco_input::InputError;
use fresco_load::Marker;

impl Engine<'_> {
    /// The process of a core has stopped, everything before being complete at `at`.
    pub(super) fn event(&mut self, number: usize, at: Ps) -> Result<(), InputError> {
        let Some(loaded) = &self.cpus[number].loaded else {
            unreachable!("a parked core does nothing");
        };
        let task = loaded.task;
        let resume = match self.tasks[task].process.take_stop() {
            Stop::Asked if self.phases.is_some() => self.asked(task, at).then_some(at),
            Stop::Asked => {
                self.stopped(number, at);
                None
            }
            Stop::Start => self.start(task, at)?,
            Stop::Interrupt => {
                self.interrupted(number, at);
                None
            }
            Stop::Mark(marker @ (Marker::Fork | Marker::Join | Marker::Pass)) if self.is_thread(task) => {
                self.meet(task, at, marker)?;
                None
            }
            Stop::Order(order) if self.is_thread(task) => self.come_to(task, at, order).then_some(at),
            Stop::Mark(Marker::Pass) => {
                self.tasks[task].marked = true;
                self.pass(task, at)?.then_some(at)
            }
            Stop::Over => self.restart(task, at)?.then_some(at),
            Stop::Fault(page) => Some(at + self.fault(task, page, at)?),
            Stop::Copied | Stop::Elapsed | Stop::Mark(_) | Stop::Order(_) => Some(at),
            Stop::Failed(failure) => return Err(self.failed(task, failure)),
        };
        if let Some(resume) = resume {
            let resume = self.paid(number, task, resume);
            self.cpus[number].core.resume(resume);
        }
        Ok(())
    }

    /// A program that is over begins again, but for one that runs meanwhile. Its course counts as a pass, unless it has passes of its own. Returns whether it
    /// goes on at once.
    fn restart(&mut self, task: usize, at: Ps) -> Result<bool, InputError> {
        if matches!(self.experiment.tasks[task].work, Work::Live(_)) {
            self.end_with_program(task, at)?;
            return Ok(true);
        }
        let executed = self.counted(task).instructions;
        if std::mem::replace(&mut self.tasks[task].began_at_instruction, executed) == executed {
            return Err(self.fault_of_program(task, "executes nothing"));
        }
        if self.is_thread(task) {
            return Err(self.fault_of_program(task, "has threads that are over, although it has no end"));
        }
        let marked = std::mem::take(&mut self.tasks[task].marked);
        self.begin_again(task)?;
        Ok(marked || self.pass(task, at)?)
    }

    /// The program of a task begins anew, in the same memory.
    pub(super) fn begin_again(&mut self, task: usize) -> Result<(), InputError> {
        let program = build::programs(self.experiment, self.operations, task, 1)?.pop();
        let program = program.expect("one thread has one program");
        self.tasks[task].process.restart(program);
        Ok(())
    }

    /// Why a program can no longer be run.
    pub(super) fn failed(&self, task: usize, failure: Failure) -> InputError {
        match failure {
            Failure::Input(error) => error,
            Failure::Outside(addr) => self.fault_of_program(task, &format!("accesses {addr} outside its areas")),
        }
    }

    pub(super) fn fault_of_program(&self, task: usize, what: &str) -> InputError {
        self.experiment
            .error_in(task, format!("found that the program {what}"))
            .help("a fault of the program or its trace, not of its description: please report it")
    }
}
