// SPDX-License-Identifier: MIT OR Apache-2.0
//! Questions about the state of memory that change nothing.

use crate::frames::{KERNEL_SLOT, number};
use crate::pool::Pool;
use crate::{ColorSet, FrameError, Frames, FramesConfig, MAX_ORDER, Memory, Region, TaskId, TaskStats};
use fresco_dram::{ColorSpace, FrameNumber};

impl Frames {
    /// The configuration.
    pub fn config(&self) -> &FramesConfig {
        &self.config
    }

    /// Zones, regions and fallback orders.
    pub fn memory(&self) -> &Memory {
        &self.pool.memory
    }

    /// The colors of the machine.
    pub fn space(&self) -> &ColorSpace {
        self.pool.keys.space()
    }

    /// What a task has asked for and got.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`].
    pub fn stats(&self, task: TaskId) -> Result<&TaskStats, FrameError> {
        self.tasks
            .get(&task)
            .map(|task| &task.stats)
            .ok_or(FrameError::UnknownTask { task })
    }

    /// Returns the statistics of a task and begins new ones: the end of a phase. What it holds goes on being counted.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`].
    pub fn take_stats(&mut self, task: TaskId) -> Result<TaskStats, FrameError> {
        let stats = &mut self.context(task)?.task.stats;
        let fresh = TaskStats {
            held: stats.held,
            ..TaskStats::default()
        };
        Ok(std::mem::replace(stats, fresh))
    }

    /// The frames that a task holds, ascending.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`].
    pub fn frames_of(&self, task: TaskId) -> Result<Vec<FrameNumber>, FrameError> {
        let slot = self.tasks.get(&task).ok_or(FrameError::UnknownTask { task })?.slot;
        let mut frames: Vec<_> = self
            .pool
            .lists
            .iter(self.pool.layout.owned(slot, 0))
            .map(number)
            .collect();
        frames.sort_unstable();
        Ok(frames)
    }

    /// The blocks that the kernel holds for itself, page tables among them: first frame and number of frames.
    pub fn kernel_blocks(&self) -> impl Iterator<Item = (FrameNumber, u64)> + '_ {
        let pool = &self.pool;
        let blocks = move |order: u32| {
            let list = pool.lists.iter(pool.layout.owned(KERNEL_SLOT, order));
            list.map(move |block| (number(block), 1 << order))
        };
        (0..=MAX_ORDER).flat_map(blocks)
    }

    /// How many frames a task holds of each bank color, colors in ascending order, those without frames left out
    /// (COD-9: what best-effort scheduling goes by).
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`].
    pub fn share_by_bank(&self, task: TaskId) -> Result<Vec<(u32, u64)>, FrameError> {
        let task = self.tasks.get(&task).ok_or(FrameError::UnknownTask { task })?;
        let by_bank = (0u32..).zip(task.pages.iter().copied());
        Ok(by_bank.filter(|&(_, pages)| pages > 0).collect())
    }

    /// Whether a task holds a frame.
    pub fn holds(&self, task: TaskId, frame: FrameNumber) -> bool {
        let frame = u32::try_from(frame.0).ok();
        let slot = self.tasks.get(&task).map(|task| task.slot);
        frame
            .zip(slot)
            .is_some_and(|(frame, slot)| self.pool.owned_order(slot, frame) == Some(0))
    }

    /// Free frames of a zone, wherever they are; `None` if there is no such zone.
    pub fn free_frames(&self, zone: u32) -> Option<u64> {
        let pool = &self.pool;
        let free = |zone| pool.buddy_frames(zone) + pool.per_cpu_frames(zone) + pool.colored_of_zone(zone);
        (zone < pool.memory.zones()).then(|| free(zone))
    }

    /// Free blocks of a zone in the buddy system by order, as a line of `/proc/buddyinfo`; `None` if there is no such zone.
    pub fn free_blocks(&self, zone: u32) -> Option<[u32; MAX_ORDER as usize + 1]> {
        let pool = &self.pool;
        (zone < pool.memory.zones()).then(|| std::array::from_fn(|order| pool.free_blocks(zone, order as u32)))
    }

    /// Free frames that lie in the color lists of a bank color; 0 if there is no such color. Slow where blocks wait to be sorted.
    pub fn color_list_frames(&self, bank: u32) -> u64 {
        if bank < self.space().bank_colors() {
            self.pool.colored_frames(bank)
        } else {
            0
        }
    }

    /// Frames of the machine, free or not, whose bank color and LLC color are in the sets (`None` for all): the most that
    /// a task with these colors can have.
    pub fn capacity(&self, banks: Option<&ColorSet>, llc: Option<&ColorSet>) -> u64 {
        self.frames_in_rows(None, banks, llc)
    }

    /// The same of frames in these row domains; `None` for the memory that is everybody's.
    pub(crate) fn frames_in_rows(
        &self,
        rows: Option<&ColorSet>,
        banks: Option<&ColorSet>,
        llc: Option<&ColorSet>,
    ) -> u64 {
        let colors = self.space().llc_colors() as usize;
        let fits = |set: Option<&ColorSet>, color: usize| set.is_none_or(|set| set.contains(color as u32));
        let by_pair = self.frames_of_pairs(rows).into_iter().enumerate();
        let fitting = by_pair.filter(|(pair, _)| fits(banks, pair / colors) && fits(llc, pair % colors));
        fitting.map(|(_, frames)| frames).sum()
    }

    /// Frames of the machine, free or not, by pair of colors: bank color `b` with LLC color `l` is number
    /// `b * llc_colors + l`. Those in some row domains; `None` for the memory that is everybody's, all of it where nothing is set apart.
    pub fn frames_of_pairs(&self, rows: Option<&ColorSet>) -> Vec<u64> {
        let (space, memory) = (self.space(), self.memory());
        let mut frames = vec![0; (space.bank_colors() * space.llc_colors()) as usize];
        let parts = memory.parts_of(rows).unwrap_or_default();
        let wanted = |region: &&Region| parts.contains(&(region.zone / memory.zones_of_part()));
        for region in memory.regions().iter().filter(wanted) {
            let of_region = space.frames_of_pairs(region.first, region.frames);
            frames.iter_mut().zip(of_region).for_each(|(all, more)| *all += more);
        }
        frames
    }

    /// The global table of color use (CAMC-4): the tasks that have each bank color, by color.
    pub fn color_users(&self) -> Vec<Vec<TaskId>> {
        let colors = 0..self.space().bank_colors();
        colors
            .map(|bank| self.usage.users(bank).iter().copied().collect())
            .collect()
    }

    /// Bytes of the table of frames at present: 16 for each block of the highest order, 12 for each frame of a block that
    /// is split.
    pub fn table_bytes(&self) -> usize {
        self.pool.table_bytes()
    }

    /// The mechanism, for the checker.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Who holds how many frames in which slot, for the checker.
    pub(crate) fn holdings(&self) -> impl Iterator<Item = (TaskId, u32, u64)> + '_ {
        self.tasks.values().map(|task| (task.id, task.slot, task.stats.held))
    }
}
