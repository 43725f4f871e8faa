// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warm-up and measured phase.
//!
//! When the data of all tasks are set up, the programs begin together (a task with a `start` so much later). Each
//! measured task warms up for the length of the scenario's `warm_up` and runs on. When the last of them is warm, the
//! counters of controllers and background tasks start anew, and every measured task begins its phase: at the end of its
//! present pass if phases are counted in passes, else at its next operation. A task that has ended its phase runs on
//! too, so that the others keep their interference to the end. The run ends with the last phase.

use super::Engine;
use super::cpu::Phase;
use crate::scenario::{Extent, Role, error_at};
use fresco_dram::Ps;
use fresco_input::InputError;

impl Engine<'_> {
    /// A program begins.
    pub(super) fn started(&mut self, number: usize, at: Ps) {
        let cpu = &mut self.cpus[number];
        cpu.pass_at_instruction = Some(cpu.core.instructions());
        if self.setup.tasks[self.setup.copies[cpu.copy].task].role == Role::Background {
            cpu.phase = Phase::Running;
            return;
        }
        let warm_up = self.setup.warm_up;
        let passes = if let Extent::Passes(count) = warm_up { count } else { 0 };
        cpu.phase = Phase::WarmingUp { passes };
        match warm_up {
            extent if extent.is_empty() => self.warm(number, at),
            Extent::Passes(_) => {}
            Extent::Operations(count) => cpu.process.stop_at(count),
            Extent::Time(time) => self.timers.push((at + time, number)),
            Extent::Jobs(_) => unreachable!("only periodic tasks have jobs"),
        }
    }

    /// A program has completed a pass.
    ///
    /// # Errors
    /// It has no operations, and its phases are counted in operations: they would never end.
    pub(super) fn pass(&mut self, number: usize, at: Ps) -> Result<(), InputError> {
        let counted = |extent| matches!(extent, Extent::Operations(count) if count > 0);
        if self.cpus[number].process.operations() == 0 && (counted(self.setup.warm_up) || counted(self.setup.measure)) {
            let task = &self.setup.tasks[self.setup.copies[self.cpus[number].copy].task];
            let error = error_at(
                &task.place,
                "found a program without loads and stores, in phases that count them",
            );
            return Err(error
                .allowed("phases in passes or time")
                .cure("write passes or time in [warm_up] and [measure]"));
        }
        let in_passes = matches!(self.setup.measure, Extent::Passes(_));
        let cpu = &mut self.cpus[number];
        cpu.pass_at_instruction = Some(cpu.core.instructions());
        if let Some(measurement) = &mut self.background[number] {
            measurement.passed(at);
        }
        match &mut self.cpus[number].phase {
            // Zero passes left: the warm-up is counted in something else.
            Phase::WarmingUp { passes: 0 } | Phase::Starting | Phase::Running => {}
            Phase::WarmingUp { passes } => {
                *passes -= 1;
                if *passes == 0 {
                    self.warm(number, at);
                }
            }
            Phase::Warm if in_passes && self.opened.is_some() => self.begin(number, at),
            Phase::Warm => {}
            Phase::Measuring(measurement) => {
                measurement.passed(at);
                measurement.passes_left = measurement.passes_left.saturating_sub(1);
                if in_passes && measurement.passes_left == 0 {
                    self.end(number, at);
                }
            }
        }
        Ok(())
    }

    /// A task has stopped where it was asked to.
    pub(super) fn asked(&mut self, number: usize, at: Ps) {
        match self.cpus[number].phase {
            Phase::WarmingUp { .. } => self.warm(number, at),
            Phase::Warm if self.opened.is_some() => self.begin(number, at),
            Phase::Measuring(_) => self.end(number, at),
            Phase::Warm | Phase::Starting | Phase::Running => {}
        }
    }

    /// A task has warmed up.
    fn warm(&mut self, number: usize, at: Ps) {
        self.cpus[number].phase = Phase::Warm;
        let is_measured = |copy: usize| self.setup.tasks[self.setup.copies[copy].task].role == Role::Measured;
        let cold = |phase: &Phase| matches!(phase, Phase::Starting | Phase::WarmingUp { .. });
        if self.cpus.iter().any(|cpu| is_measured(cpu.copy) && cold(&cpu.phase)) {
            return;
        }
        self.opened = Some(at);
        self.memory.reset_stats();
        let in_passes = matches!(self.setup.measure, Extent::Passes(_));
        for other in 0..self.cpus.len() {
            let cpu = &mut self.cpus[other];
            match cpu.phase {
                // A task at the begin of a pass begins here, one within a pass at its end.
                Phase::Warm if in_passes => {
                    if cpu.is_between_passes() {
                        self.begin(other, at);
                    }
                }
                Phase::Warm if other == number => self.begin(number, at),
                Phase::Warm => cpu.process.stop_at(0),
                _ => self.background[other] = Some(cpu.measure(at, &self.memory, 0)),
            }
        }
    }

    fn begin(&mut self, number: usize, at: Ps) {
        let cpu = &mut self.cpus[number];
        let passes = match self.setup.measure {
            Extent::Passes(count) => count,
            Extent::Operations(_) | Extent::Time(_) | Extent::Jobs(_) => 0,
        };
        cpu.phase = Phase::Measuring(cpu.measure(at, &self.memory, passes));
        match self.setup.measure {
            Extent::Passes(_) => {}
            Extent::Operations(count) => cpu.process.stop_at(cpu.process.operations() + count),
            Extent::Time(time) => self.timers.push((at + time, number)),
            Extent::Jobs(_) => unreachable!("only periodic tasks have jobs"),
        }
    }

    fn end(&mut self, number: usize, at: Ps) {
        let cpu = &mut self.cpus[number];
        let Phase::Measuring(measurement) = std::mem::replace(&mut cpu.phase, Phase::Running) else {
            unreachable!("only a measured phase ends");
        };
        cpu.recording = false;
        self.results[number] = Some(self.task_result(number, &measurement, at));
    }

    /// Has every measured task ended its phase?
    pub(super) fn is_over(&self) -> bool {
        self.opened.is_some()
            && std::iter::zip(&self.results, &self.background).all(|(r, b)| r.is_some() || b.is_some())
    }
}
