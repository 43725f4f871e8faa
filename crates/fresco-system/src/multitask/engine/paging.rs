// SPDX-License-Identifier: MIT OR Apache-2.0
//! Page faults: frames from the allocator, and their time.

use super::Engine;
use crate::os::pages::Page;
use crate::os::process::Process;
use fresco_dram::Ps;
use fresco_frames::{FrameError, TaskId};
use fresco_input::InputError;

impl Engine<'_> {
    /// The process of a task, on a core or not.
    pub(super) fn process_mut(&mut self, task: usize) -> &mut Process {
        let state = &mut self.tasks[task];
        match (&mut state.process, state.core) {
            (Some(process), _) => process,
            (None, Some(core)) => &mut self.cpus[core].loaded.as_mut().expect("it is on this core").process,
            (None, None) => unreachable!("a process that is on no core is with its task"),
        }
    }

    /// The process of a task, on a core or not, to look at.
    pub(super) fn process(&self, task: usize) -> &Process {
        let state = &self.tasks[task];
        match (&state.process, state.core) {
            (Some(process), _) => process,
            (None, Some(core)) => &self.cpus[core].loaded.as_ref().expect("it is on this core").process,
            (None, None) => unreachable!("a process that is on no core is with its task"),
        }
    }

    /// The memory that a task uses, as the allocator knows it.
    pub(super) fn memory_of(&self, task: usize) -> TaskId {
        let state = &self.tasks[task];
        state.memory_ids[state.instance]
    }

    /// Gives a page of the memory in use its frame. Returns the time of the whole page fault.
    ///
    /// # Errors
    /// The memory or the colours of the task are used up.
    pub(super) fn fault(&mut self, task: usize, page: Page) -> Result<Ps, InputError> {
        if self.process_mut(task).pages().is_mapped(page) {
            // Another thread was here first, since this one went to the operating system.
            return Ok(0);
        }
        let id = self.memory_of(task);
        let got = match self.frames.alloc(id) {
            // Memory pressure: what others can spare may help (BPM-7).
            Err(FrameError::OutOfColor { .. }) if self.relieve(task)? => self.frames.alloc(id),
            got => got,
        };
        let (frame, work) = got.map_err(|error| self.experiment.no_frame(task, id, &error))?;
        self.process_mut(task).pages_mut().map(page, frame);
        self.share_page(task, page, frame);
        let cost = self.frames.config().cost;
        let time = cost.ps(cost.fault_cycles(&work));
        let faults = &mut self.tasks[task].faults;
        faults.count += 1;
        faults.time_ps += time;
        Ok(time)
    }
}
