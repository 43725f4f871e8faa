// SPDX-License-Identifier: MIT OR Apache-2.0
//! The allocator as the operating system sees it: allocate, free, blocks for the kernel.

use crate::policy::{self, ColorLists, Policy, Scene};
use crate::pool::{Class, Keys, PerCpu, Pool};
use crate::task::Task;
use crate::usage::Usage;
use crate::{Boot, CostModel, FrameError, MAX_ORDER, Memory, TaskId, Work, boot};
use fresco_dram::{ColorSpace, FrameNumber};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What kind of allocator, on what kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// How frames are chosen.
    pub policy: Policy,
    /// How free memory lies at the start.
    pub boot: Boot,
    /// Per-CPU lists in front of the buddy system; `None` for none. Coloured requests never use them.
    pub per_cpu: Option<PerCpu>,
    /// How work becomes time, for the dearest call in the statistics.
    pub cost: CostModel,
}

impl Default for Config {
    /// The plain buddy system shortly after boot, with Linux' per-CPU lists.
    fn default() -> Self {
        Self {
            policy: Policy::Buddy,
            boot: Boot::Fresh,
            per_cpu: Some(PerCpu::default()),
            cost: CostModel::default(),
        }
    }
}

impl Config {
    /// `policy` on a pristine machine without per-CPU lists: every step can be followed by hand.
    pub fn pristine(policy: Policy) -> Self {
        Self {
            policy,
            boot: Boot::Pristine,
            per_cpu: None,
            cost: CostModel::default(),
        }
    }
}

/// Owner slot of [`TaskId::KERNEL`].
pub(crate) const KERNEL_SLOT: u32 = 0;

/// All physical frames of a machine, and who has them.
pub struct Frames {
    pub(crate) pool: Pool,
    pub(crate) usage: Usage,
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    /// Owner slots of tasks that have exited.
    pub(crate) idle_slots: Vec<u32>,
    pub(crate) config: Config,
    total: u64,
}

impl Frames {
    /// A machine whose memory is free as `config.boot` says; `seed` decides which frames exactly.
    ///
    /// # Errors
    /// [`FrameError::Memory`] if the regions lie where the address map has no memory, or the zones of several nodes do not
    /// agree with the map's nodes; [`FrameError::Boot`] for a starting state that cannot be.
    pub fn new(space: Arc<ColorSpace>, memory: Memory, config: Config, seed: u64) -> Result<Self, FrameError> {
        agree(&space, &memory)?;
        let usage = Usage::new(space.bank_colors());
        let keys = Keys::new(space, &memory);
        let total = memory.regions().iter().map(|region| region.frames).sum();
        let mut pool = Pool::new(memory, keys, config.per_cpu);
        boot::prepare(&mut pool, config.boot, seed)?;
        if matches!(config.policy, Policy::Camc(camc) if camc.start == ColorLists::Full) {
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
    /// colours are used up and the policy is strict; [`FrameError::OutOfMemory`] if nothing at all is left for it. Failed
    /// requests change no holdings, but the search may have moved free frames into colour lists.
    pub fn alloc(&mut self, task: TaskId) -> Result<(FrameNumber, Work), FrameError> {
        let mut work = Work::default();
        let policy = self.config.policy;
        let mut scene = self.scene(task)?;
        if let Some(limit) = scene.task.memory.limit.filter(|&limit| scene.task.stats.held >= limit) {
            return Err(FrameError::Limit { task, limit });
        }
        let colored = scene.task.is_colored();
        let found = match policy {
            Policy::Palloc(palloc) if colored => policy::palloc::alloc(palloc, &mut scene, &mut work),
            Policy::Camc(camc) if colored => policy::camc::alloc(camc, &mut scene, &mut work),
            _ => policy::buddy::alloc(&mut scene, &mut work).map(|frame| (frame, false)),
        };
        let Some((frame, spilled)) = found else {
            return Err(self.exhausted(task));
        };
        let cycles = self.config.cost.cycles(&work);
        let scene = self.scene(task)?;
        scene.pool.own(scene.task.slot, frame, 0);
        let bank = scene.pool.keys.bank(scene.pool.keys.of_frame(frame));
        let stats = &mut scene.task.stats;
        stats.held += 1;
        stats.spilled += u64::from(spilled);
        stats.remote += u64::from(scene.pool.keys.space().node_of_color(bank) != scene.task.memory.home_node);
        stats.alloc.add(work, cycles);
        self.debug_conserved();
        Ok((number(frame), work))
    }

    /// A task gives a frame back.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`]; [`FrameError::NotOwned`] if the task does not hold the frame.
    pub fn free(&mut self, task: TaskId, frame: FrameNumber) -> Result<Work, FrameError> {
        let policy = self.config.policy;
        let mut scene = self.scene(task)?;
        let inner = inner(frame).filter(|&inner| scene.pool.owned_order(scene.task.slot, inner) == Some(0));
        let inner = inner.ok_or(FrameError::NotOwned { task, frame })?;
        scene.pool.lists.remove(inner);
        let mut work = Work::default();
        release(policy, &mut scene, inner, &mut work);
        let cycles = self.config.cost.cycles(&work);
        let stats = &mut self.scene(task)?.task.stats;
        stats.held -= 1;
        stats.free.add(work, cycles);
        self.debug_conserved();
        Ok(work)
    }

    /// A block of `2^order` frames for the kernel, near a node. Colouring policies leave this to the buddy system (PAL-3,
    /// CAMC-20); with [`ColorLists::Full`] a block is put together from colour lists if need be (CAMC-26).
    ///
    /// # Errors
    /// [`FrameError::Order`], [`FrameError::UnknownNode`]; [`FrameError::OutOfMemory`], which tells how many frames lie
    /// single in colour lists (RLIM-1).
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
        if found.is_none() && matches!(self.config.policy, Policy::Camc(camc) if camc.start == ColorLists::Full) {
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

    /// Returns all frames of the colour lists to the buddy system, where they merge: the cure for [RLIM-1] under CAMC, and
    /// what PALLOC's patches offer as a manual flush.
    ///
    /// [RLIM-1]: FrameError::OutOfMemory
    pub fn flush_color_lists(&mut self) -> Work {
        let mut work = Work::default();
        self.pool.flush_colored(&mut work);
        self.debug_conserved();
        work
    }

    /// The pieces a policy works on.
    pub(crate) fn scene(&mut self, task: TaskId) -> Result<Scene<'_>, FrameError> {
        let Self { pool, usage, tasks, .. } = self;
        let task = tasks.get_mut(&task).ok_or(FrameError::UnknownTask { task })?;
        Ok(Scene { pool, usage, task })
    }

    /// Why a task's request failed.
    pub(crate) fn exhausted(&self, id: TaskId) -> FrameError {
        let Some(task) = self.tasks.get(&id) else {
            return FrameError::UnknownTask { task: id };
        };
        let free = self.free_anywhere();
        if !task.is_colored() || free == 0 {
            return self.out_of_memory(task.memory.home_node, 0);
        }
        FrameError::OutOfColor {
            task: id,
            banks: task.banks.clone(),
            llc: task.llc().cloned(),
            held: task.stats.held,
            free_elsewhere: free,
            unused: self.usage.unused(),
        }
    }

    fn out_of_memory(&self, node: u32, order: u32) -> FrameError {
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
pub(crate) fn release(policy: Policy, scene: &mut Scene<'_>, frame: u32, work: &mut Work) {
    match policy {
        Policy::Palloc(_) if scene.task.is_colored() => policy::palloc::free(scene, frame, work),
        Policy::Camc(_) if scene.task.is_colored() => policy::camc::free(scene, frame, work),
        _ => scene.pool.give_single(scene.task.slot, frame, work),
    }
}

/// The frame number of the interface.
pub(crate) fn number(frame: u32) -> FrameNumber {
    FrameNumber(u64::from(frame))
}

fn inner(frame: FrameNumber) -> Option<u32> {
    u32::try_from(frame.0).ok()
}

/// Regions lie in the map's memory, and the frames of a zone on its node. Within an aligned block colours are linear in
/// the address, so the block's first frame and one frame for each address bit tell.
fn agree(space: &ColorSpace, memory: &Memory) -> Result<(), FrameError> {
    for region in memory.regions() {
        let end = region.first.0 + region.frames;
        let blocks = (region.first.0 >> MAX_ORDER)..(end - 1 >> MAX_ORDER) + 1;
        for block in blocks.map(|block| block << MAX_ORDER) {
            let samples = std::iter::once(block).chain((0..MAX_ORDER).map(|bit| block | 1 << bit));
            let edges = [region.first.0.max(block), (end - 1).min(block | ((1 << MAX_ORDER) - 1))];
            for frame in samples
                .filter(|frame| (region.first.0..end).contains(frame))
                .chain(edges)
            {
                let color = space
                    .try_bank_color(FrameNumber(frame))
                    .ok_or_else(|| FrameError::Memory {
                        what: format!("the address map has no memory at frame {frame:#x}; end the region before it"),
                    })?;
                let node = space.node_of_color(color);
                if memory.zones() > 1 && node != region.zone {
                    let zone = region.zone;
                    let cure = "correct the regions, or use a single zone where nodes are interleaved";
                    let what = format!("frame {frame:#x} of zone {zone} is on node {node}; {cure}");
                    return Err(FrameError::Memory { what });
                }
            }
        }
    }
    Ok(())
}
