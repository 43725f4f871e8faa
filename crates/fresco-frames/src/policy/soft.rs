// SPDX-License-Identifier: MIT OR Apache-2.0
//! Soft partition: a task prefers its own share. When that is used up it takes colors that no task has, then what is free
//! of the others' in turn; [`crate::TaskStats::spilled`] counts these. Nothing is refused before the memory is out.

use super::frame_policy::FramePolicy;
use super::{AllocContext, bpm};
use crate::Work;
use crate::pool::{KeySet, Pool};

/// The policy; it has no choices.
pub(crate) struct Soft;

impl FramePolicy for Soft {
    fn own(&self, pool: &mut Pool, keys: &mut KeySet, work: &mut Work) -> Option<u32> {
        bpm::find(pool, keys, work)
    }

    fn is_strict(&self) -> bool {
        false
    }

    fn other(&self, context: &mut AllocContext<'_>, work: &mut Work) -> Option<u32> {
        let AllocContext { pool, usage, task } = context;
        let some_unused = (0..pool.keys.space().bank_colors()).any(|bank| usage.is_unused(bank));
        for pass in [some_unused, false] {
            for (step, &zone) in task.zones.iter().enumerate() {
                work.zone_steps += u64::from(step > 0);
                let found = match pass {
                    true => pool.take_any_shaded(zone, |bank| usage.is_unused(bank), work),
                    false => pool.take_block(zone, 0, work),
                };
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    fn is_shaded(&self) -> bool {
        true
    }
}
