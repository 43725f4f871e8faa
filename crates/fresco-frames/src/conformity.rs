// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames that are not where a task's colors say, and moving them there.

use crate::frames::number;
use crate::task::Task;
use crate::{FrameError, Frames, TaskId, Work};
use fresco_dram::FrameNumber;

impl Frames {
    /// The frames that a task holds although they are not of its present colors: spilled, or older than a change of
    /// colors (PAL-5, PAL-7). Ascending; empty for an uncolored task.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`].
    pub fn nonconforming(&self, id: TaskId) -> Result<Vec<FrameNumber>, FrameError> {
        Ok(self
            .frames_of(id)?
            .into_iter()
            .filter(|&frame| !self.conforms(id, frame))
            .collect())
    }

    /// Whether a frame is of the task's colors; true for any frame of its row domains if the task is uncolored. The frame need
    /// not be the task's: a page shared with others, such as cached program text, may lie anywhere (PAL-7). False for an
    /// unknown task.
    pub fn conforms(&self, id: TaskId, frame: FrameNumber) -> bool {
        let Some(part) = self.pool.memory.part_of(frame) else {
            return false;
        };
        let fits = |task: &Task| match task.is_colored() {
            true => task.keys.contains(self.pool.keys.of_frame(frame.0 as u32)),
            false => task.parts.contains(&part),
        };
        self.tasks.get(&id).is_some_and(fits)
    }

    /// Moves a page to a frame of the task's present colors: allocates one, frees the old one. It does not spill. A frame that conforms stays
    /// where it is, at no cost. The caller copies the contents.
    ///
    /// # Errors
    /// As [`Frames::alloc`] and [`Frames::free`]; the old frame is then still held.
    pub fn migrate(&mut self, id: TaskId, frame: FrameNumber) -> Result<(FrameNumber, Work), FrameError> {
        if !self.tasks.contains_key(&id) {
            return Err(FrameError::UnknownTask { task: id });
        }
        if !self.holds(id, frame) {
            return Err(FrameError::NotOwned { task: id, frame });
        }
        if self.conforms(id, frame) {
            return Ok((frame, Work::default()));
        }
        // The task holds as many frames afterwards as before: its limit does not matter.
        let mut work = Work::default();
        let (new, spilled) = self.find(id, &mut work)?;
        if spilled {
            match self.pool.is_shaded() {
                true => self.pool.give_block(new, 0, &mut work),
                false => self.pool.give_colored(new, &mut work),
            }
            return Err(self.exhausted(id));
        }
        self.book(id, new, false, work)?;
        work += self.free(id, frame)?;
        Ok((number(new), work))
    }
}
