// SPDX-License-Identifier: MIT OR Apache-2.0
//! Filling color lists before they are needed.

use crate::frames::release;
use crate::{ColorSet, FrameError, Frames, TaskId, Work};

impl Frames {
    /// Allocates `frames_per_bank` frames of each of the task's bank colors and frees them again (CAMC-25): later requests
    /// find them in the color lists. Neither the task's limit nor its statistics notice; growth and spilling do not take
    /// place. Under PALLOC the frames themselves return to the buddy system, but what was sorted on the way stays sorted.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`]; [`FrameError::Policy`] for an uncolored task; [`FrameError::OutOfColor`] if a color
    /// has fewer free frames, whereupon nothing is held.
    pub fn preallocate(&mut self, id: TaskId, frames_per_bank: u64) -> Result<Work, FrameError> {
        let policy = self.config.policy;
        let mut context = self.context(id)?;
        if !context.task.is_colored() {
            return Err(FrameError::Policy {
                task: id,
                what: "only a colored task can preallocate frames",
            });
        }
        let (mut work, mut taken, mut short) = (Work::default(), Vec::new(), false);
        for bank in context.task.banks.clone().iter() {
            let mut one = context.task.clone();
            one.set_banks(
                &context.pool.keys,
                ColorSet::one(bank),
                policy.model().is_blind_to_nodes(),
            );
            let take = |_| policy.model().own(context.pool, &mut one.keys, &mut work);
            let frames: Vec<u32> = (0..frames_per_bank).map_while(take).collect();
            short |= (frames.len() as u64) < frames_per_bank;
            taken.extend(frames);
        }
        // The last one first: each goes to the front of its list, so the lists end up in the order of the search.
        for frame in taken.into_iter().rev() {
            release(policy, &mut context, frame, &mut work);
        }
        self.debug_conserved();
        if short { Err(self.exhausted(id)) } else { Ok(work) }
    }
}
