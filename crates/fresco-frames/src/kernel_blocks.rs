// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks of any order for the kernel, and what color lists do to them.

use crate::frames::{KERNEL_SLOT, inner, number};
use crate::policy;
use crate::{FrameError, Frames, MAX_ORDER, TaskId, Work};
use fresco_dram::FrameNumber;

impl Frames {
    /// A block of `2^order` frames for the kernel, near a node. Coloring policies leave this to the buddy system (PAL-3,
    /// CAMC-20); with [`crate::ColorLists::Full`] a block is put together from color lists if need be (CAMC-26).
    ///
    /// # Errors
    /// [`FrameError::Order`], [`FrameError::UnknownNode`]; [`FrameError::OutOfMemory`], which tells how many frames lie
    /// single in color lists (RLIM-1).
    pub fn alloc_order(&mut self, order: u32, node: u32) -> Result<(FrameNumber, Work), FrameError> {
        if order > MAX_ORDER {
            return Err(FrameError::Order { order });
        }
        let Self { pool, usage, .. } = self;
        let nodes = pool.memory.nodes();
        let zones = pool
            .memory
            .fallback(node)
            .ok_or(FrameError::UnknownNode { node, nodes })?
            .to_vec();
        let mut work = Work::default();
        let mut found = match order {
            0 => policy::buddy::take(pool, usage, KERNEL_SLOT, &zones, &mut work),
            _ => policy::buddy::take_block(pool, &zones, order, &mut work),
        };
        if found.is_none() && self.config.policy.model().starts_sorted() {
            found = zones.iter().find_map(|&zone| pool.demote_run(zone, order, &mut work));
        }
        let block = found.ok_or_else(|| self.out_of_memory(node, order))?;
        self.pool.own(KERNEL_SLOT, block, order);
        self.debug_conserved();
        Ok((number(block), work))
    }

    /// The kernel gives a block from [`Frames::alloc_order`] back; it merges. Boot-time allocations are the kernel's too.
    ///
    /// # Errors
    /// [`FrameError::NotOwned`] if no block of the kernel begins at `block`.
    pub fn free_order(&mut self, block: FrameNumber) -> Result<Work, FrameError> {
        let not_owned = FrameError::NotOwned {
            task: TaskId::KERNEL,
            frame: block,
        };
        let order = |inner: u32| self.pool.owned_order(KERNEL_SLOT, inner).map(|order| (inner, order));
        let (inner, order) = inner(block).and_then(order).ok_or(not_owned)?;
        self.pool.lists.remove(inner);
        let mut work = Work::default();
        self.pool.give_block(inner, order, &mut work);
        self.debug_conserved();
        Ok(work)
    }

    /// Returns all frames of the color lists to the buddy system, where they merge: the help for [RLIM-1] under CAMC, and
    /// what PALLOC's patches offer as a manual flush.
    ///
    /// [RLIM-1]: FrameError::OutOfMemory
    pub fn flush_color_lists(&mut self) -> Work {
        let mut work = Work::default();
        self.pool.flush_colored(&mut work);
        self.debug_conserved();
        work
    }
}
