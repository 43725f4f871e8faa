// SPDX-License-Identifier: MIT OR Apache-2.0
//! The allocator as the operating system sees it: a frame for a task, and back.

use crate::agreement::agree;
use crate::policy::{self, AllocContext, Policy};
use crate::pool::{Class, Keys, Pool};
use crate::task::Task;
use crate::usage::Usage;
use crate::{FrameError, FramesConfig, Memory, TaskId, Work, boot};
use fresco_dram::{ColorSpace, FrameNumber};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Owner slot of [`TaskId::KERNEL`].
pub(crate) const KERNEL_SLOT: u32 = 0;

/// All physical frames of a machine, and who has them.
///
/// Under PALLOC, a task with one bank gets frames of that bank alone, and an error when they are used up:
///
/// ```
/// use fresco_dram::{AddressMap, ColorSpace, Functions, Organisation, Region};
/// use fresco_frames::{ColorSet, FramesConfig, FrameError, Frames, Memory, Palloc, Policy, TaskId, TaskMemory};
/// use std::sync::Arc;
///
/// // 256 KiB in four banks, selected by address bits 12 and 13: frame 2 is the first of bank 2, frame 6 the next.
/// let bits = |bits: std::ops::Range<u32>| bits.map(|bit| 1 << bit).collect::<Vec<u64>>();
/// let functions = Functions { bank: bits(12..14), row: bits(14..18), column: bits(3..12), ..Functions::default() };
/// let organisation =
///     Organisation { nodes: 1, channels: 1, ranks: 1, bank_groups: 1, banks: 4, rows: 16, columns: 512, bus_bytes: 8 };
/// let region = Region { base: 0, size: 256 << 10, offset: 0, node: None, functions };
/// let map = AddressMap::new(organisation, vec![region])?;
/// let space = Arc::new(ColorSpace::new(&map, &[], 12)?);
/// let memory = Memory::of_map(&map, 12, &[vec![0]])?;
/// let mut frames = Frames::new(space, memory, FramesConfig::pristine(Policy::Palloc(Palloc::default())), 0)?;
///
/// let task = TaskId(1);
/// frames.register(task, TaskMemory::local(0).with_banks(ColorSet::one(2)))?;
/// for _ in 0..16 {
///     let (frame, _) = frames.alloc(task)?;
///     assert_eq!(frame.0 % 4, 2);
/// }
/// // A bank has 16 frames. The other 48 are free, but of other colors.
/// let refused = frames.alloc(task).expect_err("bank 2 is used up");
/// assert!(matches!(refused, FrameError::OutOfColor { free_elsewhere: 48, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Frames {
    pub(crate) pool: Pool,
    pub(crate) usage: Usage,
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    /// Owner slots of tasks that have exited.
    pub(crate) idle_slots: Vec<u32>,
    pub(crate) config: FramesConfig,
    total: u64,
}

impl Frames {
    /// A machine whose memory is free as `config.boot` says; `seed` decides which frames exactly.
    ///
    /// # Errors
    /// [`FrameError::Memory`] if the regions lie where the address map has no memory, or the zones of several nodes do not
    /// agree with the map's nodes, or a policy that keeps buddy lists by color finds colors that are not linear in blocks;
    /// [`FrameError::Boot`] for a starting state that cannot be.
    pub fn new(space: Arc<ColorSpace>, memory: Memory, config: FramesConfig, seed: u64) -> Result<Self, FrameError> {
        agree(&space, &memory)?;
        let usage = Usage::new(space.bank_colors());
        let mut keys = Keys::new(space, &memory, config.lists);
        if config.policy.model().is_shaded() {
            keys = keys.shaded(&memory)?;
        }
        let total = memory.regions().iter().map(|region| region.frames).sum();
        let mut pool = Pool::new(memory, keys, config.per_cpu);
        boot::prepare(&mut pool, config.boot, seed)?;
        if config.policy.model().starts_sorted() {
            (0..pool.memory.zones()).for_each(|zone| pool.sort_zone(zone));
        }
        Ok(Self {
            pool,
            usage,
            tasks: BTreeMap::new(),
            idle_slots: Vec::new(),
            config,
            total,
        })
    }

    /// A frame for a task: a page fault's request of order 0.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`]; [`FrameError::Limit`] at the task's memory limit; [`FrameError::OutOfColor`] if its
    /// colors are used up and the policy is strict; [`FrameError::OutOfRows`] if its row domains are; [`FrameError::OutOfMemory`] if nothing at all is left for it. Failed
    /// requests change no holdings, but the search may have moved free frames into color lists.
    pub fn alloc(&mut self, task: TaskId) -> Result<(FrameNumber, Work), FrameError> {
        let asker = self.context(task)?.task;
        if let Some(limit) = asker.memory.limit.filter(|&limit| asker.stats.held >= limit) {
            return Err(FrameError::Limit { task, limit });
        }
        let mut work = Work::default();
        let (frame, spilled) = self.find(task, &mut work)?;
        self.book(task, frame, spilled, work)?;
        Ok((number(frame), work))
    }

    /// A loose frame for a task, and whether it had to be of another color than the task's.
    pub(crate) fn find(&mut self, task: TaskId, work: &mut Work) -> Result<(u32, bool), FrameError> {
        let policy = self.config.policy;
        let mut context = self.context(task)?;
        let found = match context.task.is_colored() {
            true => policy.model().alloc(&mut context, work),
            false => policy::buddy::alloc(&mut context, work).map(|frame| (frame, false)),
        };
        found.ok_or_else(|| self.exhausted(task))
    }

    /// Makes a loose frame the task's.
    pub(crate) fn book(&mut self, task: TaskId, frame: u32, spilled: bool, work: Work) -> Result<(), FrameError> {
        let cycles = self.config.cost.cycles(&work);
        let context = self.context(task)?;
        context.pool.own(context.task.slot, frame, 0);
        let bank = context.pool.keys.bank(context.pool.keys.of_frame(frame));
        context.task.add_page(bank);
        let stats = &mut context.task.stats;
        stats.held += 1;
        stats.spilled += u64::from(spilled);
        stats.remote += u64::from(context.pool.keys.space().node_of_color(bank) != context.task.memory.home_node);
        stats.alloc.add(work, cycles);
        self.debug_conserved();
        Ok(())
    }

    /// A task gives a frame back.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`]; [`FrameError::NotOwned`] if the task does not hold the frame.
    pub fn free(&mut self, task: TaskId, frame: FrameNumber) -> Result<Work, FrameError> {
        let policy = self.config.policy;
        let mut context = self.context(task)?;
        let inner = inner(frame).filter(|&inner| context.pool.owned_order(context.task.slot, inner) == Some(0));
        let inner = inner.ok_or(FrameError::NotOwned { task, frame })?;
        let bank = context.pool.keys.bank(context.pool.keys.of_frame(inner));
        context.task.remove_page(bank);
        context.pool.lists.remove(inner);
        let mut work = Work::default();
        release(policy, &mut context, inner, &mut work);
        let cycles = self.config.cost.cycles(&work);
        let stats = &mut self.context(task)?.task.stats;
        stats.held -= 1;
        stats.free.add(work, cycles);
        self.debug_conserved();
        Ok(work)
    }

    /// The pieces a policy works on.
    pub(crate) fn context(&mut self, task: TaskId) -> Result<AllocContext<'_>, FrameError> {
        let Self { pool, usage, tasks, .. } = self;
        let task = tasks.get_mut(&task).ok_or(FrameError::UnknownTask { task })?;
        Ok(AllocContext { pool, usage, task })
    }

    /// Why a task's request failed.
    pub(crate) fn exhausted(&self, id: TaskId) -> FrameError {
        let Some(task) = self.tasks.get(&id) else {
            return FrameError::UnknownTask { task: id };
        };
        let free = self.free_anywhere();
        if !task.is_colored() && self.pool.memory.parts() > 1 {
            return FrameError::OutOfRows {
                task: id,
                rows: task.memory.rows.clone(),
                held: task.stats.held,
                free_elsewhere: free,
            };
        }
        if !task.is_colored() || free == 0 {
            return self.out_of_memory(task.memory.home_node, 0);
        }
        FrameError::OutOfColor {
            task: id,
            banks: task.banks.clone(),
            llc: task.llc().cloned(),
            rows: task.memory.rows.clone().map(Box::new),
            held: task.stats.held,
            free_elsewhere: free,
            unused: self.usage.unused(),
        }
    }

    pub(crate) fn out_of_memory(&self, node: u32, order: u32) -> FrameError {
        let in_color_lists = self.pool.lists.frames(Class::Colored);
        FrameError::OutOfMemory {
            node,
            order,
            free: self.free_anywhere(),
            in_color_lists,
        }
    }

    fn free_anywhere(&self) -> u64 {
        self.total - self.pool.lists.frames(Class::Owned)
    }

    /// The four counters add up to all frames after every call; [`Frames::check`] proves the rest.
    pub(crate) fn debug_conserved(&self) {
        let census = self.census();
        debug_assert_eq!(
            census.buddy + census.colored + census.per_cpu + census.held,
            self.total,
            "{census:?}"
        );
    }
}

/// Gives a loose frame of a task to where the policy wants it.
pub(crate) fn release(policy: Policy, context: &mut AllocContext<'_>, frame: u32, work: &mut Work) {
    match context.task.is_colored() {
        true => policy.model().free(context.pool, frame, work),
        false => context.pool.give_single(context.task.slot, frame, work),
    }
}

/// The frame number of the interface.
pub(crate) fn number(frame: u32) -> FrameNumber {
    FrameNumber(u64::from(frame))
}

/// The frame number of the pool; `None` for one beyond any memory.
pub(crate) fn inner(frame: FrameNumber) -> Option<u32> {
    u32::try_from(frame.0).ok()
}
