// SPDX-License-Identifier: MIT OR Apache-2.0
//! Page faults: frames from the allocator, and their time.

use super::Engine;
use crate::experiment::{Experiment, Schedule};
use crate::os::pages::{Page, PageTable};
use fresco_dram::Ps;
use fresco_frames::{FrameError, Frames, TaskId};
use fresco_input::InputError;
use std::collections::BTreeMap;

/// Page frames of a memory by bank color: those that the allocator has given it, or where its pages were recorded.
pub(super) fn by_bank(experiment: &Experiment, frames: &Frames, id: TaskId, pages: &PageTable) -> Vec<(u32, u64)> {
    if !experiment.recorded {
        return frames.share_by_bank(id).unwrap_or_default();
    }
    let mut counts = BTreeMap::new();
    for color in pages
        .mapped()
        .filter_map(|(_, frame)| frames.space().try_bank_color(frame))
    {
        *counts.entry(color).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

impl Engine<'_> {
    /// The memory that a task uses, as the allocator knows it.
    pub(super) fn memory_of(&self, task: usize) -> TaskId {
        let state = &self.tasks[task];
        state.memory_ids[state.instance]
    }

    /// Pages of a task have come or gone: tells the dispatchers that go by them.
    pub(super) fn pages_changed(&mut self, task: usize) {
        if !matches!(self.experiment.schedule, Schedule::Fair(_)) {
            return;
        }
        let by_bank = self.frames.share_by_bank(self.memory_of(task)).unwrap_or_default();
        for number in 0..self.cpus.len() {
            self.cpus[number].dispatcher.pages_changed(task, &by_bank);
        }
    }

    /// Gives a page of the memory in use its frame at `at`. Returns the time of the whole page fault.
    ///
    /// # Errors
    /// The memory or the colors of the task are used up.
    pub(super) fn fault(&mut self, task: usize, page: Page, at: Ps) -> Result<Ps, InputError> {
        if self.tasks[task].process.pages().is_mapped(page) {
            // Another thread was here first, since this one went to the operating system.
            return Ok(0);
        }
        let id = self.memory_of(task);
        let got = match self.frames.alloc(id) {
            // Memory pressure: what others can spare may help (BPM-7).
            Err(FrameError::OutOfColor { .. }) if self.relieve(task, at)? => self.frames.alloc(id),
            got => got,
        };
        let (frame, work) = got.map_err(|error| self.experiment.no_frame(task, id, &error))?;
        let tables = self.give_tables(task, page);
        let for_tables = tables.map_err(|error| self.experiment.no_frame(task, id, &error))?;
        self.tasks[task].process.place(page, frame);
        self.share_page(task, page, frame);
        self.pages_changed(task);
        let cost = self.frames.config().cost;
        let time = cost.ps(cost.fault_cycles(&work)) + for_tables;
        let faults = &mut self.tasks[task].faults;
        faults.count += 1;
        faults.time_ps += time;
        if let Some(core) = self.tasks[task].core {
            let color = self.space.try_bank_color(frame);
            self.recording.fault(core as u32, task, color, at, at + time);
        }
        Ok(time)
    }
}
