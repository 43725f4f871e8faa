// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches are filled before programs begin, in no time.
//!
//! Tasks execute their first loads and stores in turns, one of each: so all come equally far, whatever they would take. Each access takes its
//! place in the private caches and in the last-level cache as it would otherwise, pages are mapped when they are touched, and dirty lines that
//! leave the last cache are gone. No line is fetched from memory and no time goes by: rows, queues and budgets are as they were, which is
//! what a warm-up is for that takes time.

use super::Engine;
use crate::core::{Lookup, MicroOp, Source, Step};
use crate::os::process::Stop;
use fresco_dram::Ps;
use fresco_input::InputError;

/// Steps of a program without a load or store after which it has none to fill caches with.
const IDLE_STEPS: u32 = 1 << 16;

/// Turns that are made at once: a run can be given up between them.
const TURNS: u64 = 16;

/// How far caches are filled.
pub(super) struct Filling {
    /// The tasks that take part.
    tasks: Vec<usize>,
    /// Turns that are left.
    left: u64,
}

impl Engine<'_> {
    /// Fills the caches a little further; false if they are filled, or the phases do not ask for it. Threads that wait for each other are left
    /// out, as are tasks that begin later.
    ///
    /// # Errors
    /// As of [`run`](Self::run).
    pub(super) fn fill(&mut self, at: Ps) -> Result<bool, InputError> {
        let mut filling = match self.phases.as_mut().and_then(|phases| phases.filling.take()) {
            Some(filling) => filling,
            None => self.new_filling(),
        };
        let turns = filling.left.min(TURNS);
        for _ in 0..turns {
            let mut idle = Vec::new();
            for task in &filling.tasks {
                if !self.fill_next(*task, at)? {
                    idle.push(*task);
                }
            }
            filling.tasks.retain(|task| !idle.contains(task));
        }
        filling.left -= turns;
        let goes_on = filling.left > 0 && !filling.tasks.is_empty();
        if let Some(phases) = &mut self.phases {
            phases.filling = Some(filling);
        }
        Ok(goes_on)
    }

    fn new_filling(&self) -> Filling {
        let takes_part = |task: &usize| self.experiment.tasks[*task].start == 0 && !self.is_thread(*task);
        let phases = self.phases.iter();
        Filling {
            tasks: phases
                .clone()
                .flat_map(|phases| &phases.order)
                .copied()
                .filter(takes_part)
                .collect(),
            left: phases.map(|phases| phases.rules.fill).sum(),
        }
    }

    /// Executes a task through its next load or store; false if it has none.
    fn fill_next(&mut self, task: usize, at: Ps) -> Result<bool, InputError> {
        let core = self.experiment.tasks[task].core;
        self.tasks[task].process.begin();
        let mut found = false;
        for _ in 0..IDLE_STEPS {
            match self.tasks[task].process.next() {
                Step::Op(op) | Step::Translated(op, _) => {
                    self.fill_line(core, &op, false);
                    found = true;
                    break;
                }
                Step::Walk(line) => self.fill_line(core, &line, false),
                Step::Fetch(code) => self.fill_line(core, &code, true),
                Step::Work { .. } => {}
                Step::Event { .. } => self.fill_past_event(task, at)?,
            }
        }
        self.tasks[task].process.pause();
        Ok(found)
    }

    fn fill_line(&mut self, core: u32, op: &MicroOp, is_code: bool) {
        self.grant_in_no_time(core as usize, op, is_code);
        if matches!(op.lookup, Lookup::Miss) {
            self.memory.fill(core, op.line);
            self.tell_private_in_no_time();
        }
        for victim in op.victims {
            self.memory.fill_leaving(core, victim);
            self.tell_private_in_no_time();
        }
    }

    /// A program goes on after an event, at once.
    fn fill_past_event(&mut self, task: usize, at: Ps) -> Result<(), InputError> {
        match self.tasks[task].process.take_stop() {
            Stop::Fault(page) => self.fault(task, page, at).map(drop),
            Stop::Over => self.begin_again(task),
            Stop::Failed(failure) => Err(self.failed(task, failure)),
            Stop::Start
            | Stop::Asked
            | Stop::Interrupt
            | Stop::Mark(_)
            | Stop::Order(_)
            | Stop::Copied
            | Stop::Elapsed => Ok(()),
        }
    }
}
