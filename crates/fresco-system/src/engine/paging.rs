// SPDX-License-Identifier: MIT OR Apache-2.0
//! Page faults: frames from the allocator, and their time.

use super::Engine;
use crate::os::memory;
use crate::os::pages::Page;
use crate::scenario::{Paging, error_at};
use fresco_dram::Ps;
use fresco_frames::{FrameError, TaskId};
use fresco_input::InputError;

impl Engine<'_> {
    /// A task is to start: at its time, and with its pages mapped if it sets its data up first. Returns when to ask
    /// again, or when the program begins.
    pub(super) fn start(&mut self, number: usize, at: Ps) -> Result<Ps, InputError> {
        let cpu = &mut self.cpus[number];
        let task = &self.setup.tasks[self.setup.copies[cpu.copy].task];
        if at < task.start {
            return Ok(task.start);
        }
        let pages = cpu.process.pages_mut();
        if let Some(page) = pages.next_unmapped().filter(|_| task.paging == Paging::AtStart) {
            return Ok(at + self.fault(number, page)?);
        }
        cpu.process.begin();
        self.started(number, at);
        Ok(at)
    }

    /// Gives a page its frame. Returns the time of the whole page fault.
    pub(super) fn fault(&mut self, number: usize, page: Page) -> Result<Ps, InputError> {
        let cpu = &mut self.cpus[number];
        let id = TaskId(cpu.copy as u32);
        let (frame, work) = match self.frames.alloc(id) {
            Ok(got) => got,
            Err(error) => return Err(self.no_frame(number, &error)),
        };
        cpu.process.pages_mut().map(page, frame);
        let cost = self.frames.config().cost;
        let time = cost.ps(cost.fault_cycles(&work));
        cpu.faults.count += 1;
        cpu.faults.time += time;
        Ok(time)
    }

    fn no_frame(&self, number: usize, error: &FrameError) -> InputError {
        let copy = self.cpus[number].copy;
        let found = format!(
            "found no page frame: {}",
            memory::named(error, self.setup, TaskId(copy as u32))
        );
        let cure = "give the task more colours or less data, or set policy.exhaustion = \"spill\"";
        error_at(&self.setup.tasks[self.setup.copies[copy].task].place, found).cure(cure)
    }
}
