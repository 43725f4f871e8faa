// SPDX-License-Identifier: MIT OR Apache-2.0
//! Page faults: frames from the allocator, and their time.

use super::Engine;
use crate::multitask::Paging;
use crate::os::memory;
use crate::os::pages::Page;
use crate::scenario::{error_at, is_strict};
use fresco_dram::Ps;
use fresco_frames::{FrameError, Policy, TaskId};
use fresco_input::InputError;

impl Engine<'_> {
    /// A task has not begun: first its pages are mapped, if it sets its data up beforehand. When all tasks have come so
    /// far, their programs begin together, each after its own delay. Returns when to ask again, or when the program
    /// begins; `None` if it has to wait for the others.
    pub(super) fn start(&mut self, number: usize, at: Ps) -> Result<Option<Ps>, InputError> {
        let helps = self.is_helper(number);
        let cpu = &mut self.cpus[number];
        if self.released {
            cpu.process.begin();
            self.started(number, at);
            return Ok(Some(at));
        }
        let paging = self.setup.tasks[self.setup.copies[cpu.copy].task].paging;
        if let Some(page) = cpu
            .process
            .pages_mut()
            .next_unmapped()
            .filter(|_| paging == Paging::AtStart && !helps)
        {
            return Ok(Some(at + self.fault(number, page)?));
        }
        cpu.is_set_up = true;
        if !self.cpus.iter().all(|cpu| cpu.is_set_up) {
            return Ok(None);
        }
        self.released = true;
        self.regulate_from(at);
        self.scan_from(at);
        let delay = |copy: usize| self.setup.tasks[self.setup.copies[copy].task].start;
        let delays: Vec<Ps> = self.cpus.iter().map(|cpu| delay(cpu.copy)).collect();
        for (other, delay) in delays.iter().enumerate() {
            // Before any of them executes, so that phases may begin for all of them here.
            if *delay == 0 {
                self.cpus[other].process.begin();
                self.started(other, at);
            }
            if other != number {
                self.cpus[other].core.resume(at + delay);
            }
        }
        Ok(Some(at + delays[number]))
    }

    /// Gives a page its frame. Returns the time of the whole page fault.
    pub(super) fn fault(&mut self, number: usize, page: Page) -> Result<Ps, InputError> {
        let cpu = &mut self.cpus[number];
        if cpu.process.pages_mut().is_mapped(page) {
            // Another thread was here first, since this one went to the operating system.
            return Ok(0);
        }
        let copy = cpu.copy;
        let id = TaskId(copy as u32);
        let got = match self.frames.alloc(id) {
            // Memory pressure: what others can spare may help (BPM-7).
            Err(FrameError::OutOfColor { .. }) if self.relieve(copy)? => self.frames.alloc(id),
            got => got,
        };
        let (frame, work) = got.map_err(|error| self.no_frame(number, &error))?;
        let cpu = &mut self.cpus[number];
        cpu.process.pages_mut().map(page, frame);
        let cost = self.frames.config().cost;
        let time = cost.ps(cost.fault_cycles(&work));
        cpu.faults.count += 1;
        cpu.faults.time += time;
        self.share_page(number, page, frame);
        Ok(time)
    }

    fn no_frame(&self, number: usize, error: &FrameError) -> InputError {
        let copy = self.cpus[number].copy;
        let found = format!(
            "found no page frame: {}",
            memory::named(error, self.setup, TaskId(copy as u32))
        );
        let policy = self.frames.config().policy;
        let cure = match policy {
            Policy::Codesign(_) => "give the task more banks or less data, or set policy.partition = \"soft\"",
            Policy::Buddy => {
                "give the tasks less data, raise memory_limit, or lower policy.occupied of an aged machine"
            }
            _ if is_strict(&policy) => "give the task more colours or less data, or set policy.exhaustion = \"spill\"",
            _ => "give the tasks less data, or lower policy.occupied of an aged machine",
        };
        let place = &self.setup.tasks[self.setup.copies[copy].task].place;
        error_at(place, found)
            .allowed("programs that fit the memory and the colours they may have")
            .cure(cure)
    }
}
