// SPDX-License-Identifier: MIT OR Apache-2.0
//! Soft partition: a task prefers its own share. When that is used up it takes colors that no task has, then what is free
//! of the others' in turn; [`crate::TaskStats::spilled`] counts these. Nothing is refused before the memory is out.

use super::{AllocContext, bpm};
use crate::Work;

/// A frame for a colored task, and whether it had to be of another color.
pub(crate) fn alloc(context: &mut AllocContext<'_>, work: &mut Work) -> Option<(u32, bool)> {
    let AllocContext { pool, usage, task } = context;
    if let Some(frame) = bpm::own(pool, &mut task.keys, work) {
        return Some((frame, false));
    }
    let some_unused = (0..pool.keys.space().bank_colors()).any(|bank| usage.is_unused(bank));
    for pass in [some_unused, false] {
        for (step, &zone) in task.zones.iter().enumerate() {
            work.zone_steps += u64::from(step > 0);
            let found = match pass {
                true => pool.take_any_shaded(zone, |bank| usage.is_unused(bank), work),
                false => pool.take_block(zone, 0, work),
            };
            if found.is_some() {
                return found.map(|frame| (frame, true));
            }
        }
    }
    None
}
