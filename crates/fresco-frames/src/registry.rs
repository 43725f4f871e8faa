// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks come, change their colors, move pages, and go.

use crate::frames::release;
use crate::policy;
use crate::pool::KeySet;
use crate::task::{Assignment, Coloring, Task, TaskMemory, TaskStats};
use crate::{ColorSet, FrameError, Frames, TaskId, Work};

impl Frames {
    /// Registers a task and gives it its colors.
    ///
    /// # Errors
    /// [`FrameError::DuplicateTask`], [`FrameError::UnknownNode`], [`FrameError::Memory`] for nodes that pages cannot
    /// choose, [`FrameError::UnknownColor`], [`FrameError::NoSuchRows`] for row domains that are not set apart or have no memory on its
    /// nodes,
    /// [`FrameError::NoSuchFrames`] for colors that no frame of its zones has, [`FrameError::NoFreeColor`] if CAMC finds
    /// too few, [`FrameError::BankTaken`] if a hard partition would give a bank to a second task, and
    /// [`FrameError::Policy`] if the policy cannot do it: buddy knows no colors, and only CAMC chooses them by itself.
    pub fn register(&mut self, id: TaskId, memory: TaskMemory) -> Result<Assignment, FrameError> {
        if id == TaskId::KERNEL || self.tasks.contains_key(&id) {
            return Err(FrameError::DuplicateTask { task: id });
        }
        let zones = memory.placement.zones(memory.home_node, &self.pool.memory)?;
        let (parts, zones, turns) = self.pool.memory.within(memory.rows.as_ref(), zones).ok_or_else(|| {
            let rows = memory.rows.clone().unwrap_or_default();
            FrameError::NoSuchRows { task: id, rows }
        })?;
        let slot = self.idle_slots.last().copied().unwrap_or(self.tasks.len() as u32 + 1);
        let stats = TaskStats::default();
        let mut task = Task {
            id,
            slot,
            memory,
            zones,
            turns,
            parts,
            banks: ColorSet::new(),
            keys: KeySet::default(),
            pages: Vec::new(),
            stats,
        };
        self.give_colors(&mut task)?;
        self.idle_slots.pop();
        self.pool.add_slot(slot);
        self.tasks.insert(id, task);
        self.assignment(id)
    }

    /// Changes which colors a task gets from now on (PAL-5, CAMC-12). Frames that it holds stay where they are:
    /// [`Frames::nonconforming`] lists them, [`Frames::migrate`] moves them.
    ///
    /// # Errors
    /// As [`Frames::register`], and [`FrameError::UnknownTask`]; the old colors then remain.
    pub fn set_coloring(&mut self, id: TaskId, coloring: Coloring) -> Result<Assignment, FrameError> {
        let old = self.tasks.get(&id).ok_or(FrameError::UnknownTask { task: id })?;
        let mut task = old.clone();
        self.usage.release(id, &task.banks);
        task.banks = ColorSet::new();
        task.memory.coloring = coloring;
        match self.give_colors(&mut task) {
            Ok(()) => {
                self.tasks.insert(id, task);
                self.assignment(id)
            }
            Err(error) => {
                self.usage.add(id, &self.tasks[&id].banks);
                Err(error)
            }
        }
    }

    /// The colors of a task.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`].
    pub fn assignment(&self, id: TaskId) -> Result<Assignment, FrameError> {
        let task = self.tasks.get(&id).ok_or(FrameError::UnknownTask { task: id })?;
        let of = |test: &dyn Fn(u32) -> bool| task.banks.iter().filter(|&bank| test(bank)).collect();
        let space = self.pool.keys.space();
        Ok(Assignment {
            banks: task.banks.clone(),
            llc: task.llc().cloned(),
            remote: of(&|bank| space.node_of_color(bank) != task.memory.home_node),
            shared: of(&|bank| self.usage.users(bank).len() > 1),
        })
    }

    /// A task ends: its frames are freed as its policy frees them, its colors return to the pool (CAMC-18).
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`].
    pub fn exit(&mut self, id: TaskId) -> Result<Work, FrameError> {
        let policy = self.config.policy;
        let mut context = self.context(id)?;
        let slot = context.task.slot;
        let mut work = Work::default();
        while let Some(frame) = context.pool.lists.pop_front(context.pool.layout.owned(slot, 0)) {
            release(policy, &mut context, frame, &mut work);
        }
        context.pool.drain(slot, &mut work);
        context.usage.release(id, &context.task.banks);
        self.tasks.remove(&id);
        self.idle_slots.push(slot);
        self.debug_conserved();
        Ok(work)
    }

    /// Chooses and books the colors of a task that has none.
    fn give_colors(&mut self, task: &mut Task) -> Result<(), FrameError> {
        let policy = self.config.policy;
        let coloring = &task.memory.coloring;
        if matches!(coloring, Coloring::Off) {
            task.keys = KeySet::default();
            return Ok(());
        }
        let what = policy.model().refuses(coloring).or(match coloring {
            _ if task.llc().is_some() && !self.pool.keys.by_llc() => {
                Some("color lists are kept by bank alone; set `lists` to bank-and-llc to ask for LLC colors")
            }
            Coloring::Automatic { colors: 0, .. } => Some("a colored task needs at least one color"),
            _ => None,
        });
        if let Some(what) = what {
            return Err(FrameError::Policy { task: task.id, what });
        }
        let banks = self.wanted_banks(task)?;
        self.check_partition(task, &banks)?;
        task.set_banks(&self.pool.keys, banks, policy.model().is_blind_to_nodes());
        if policy.model().spreads_turns() {
            task.keys.spread(task.id.0);
        }
        let rows = task.memory.rows.as_ref();
        // In a part of the memory colors that exist may have no frame.
        let none_in_rows = || rows.is_some() && self.frames_in_rows(rows, Some(&task.banks), task.llc()) == 0;
        if task.keys.is_empty() || none_in_rows() {
            return Err(FrameError::NoSuchFrames {
                task: task.id,
                banks: task.banks.clone(),
                llc: task.llc().cloned(),
                rows: rows.cloned(),
            });
        }
        self.usage.add(task.id, &task.banks);
        Ok(())
    }

    /// In a hard partition nobody else has the banks (COD-5).
    fn check_partition(&self, task: &Task, banks: &ColorSet) -> Result<(), FrameError> {
        if !self.config.policy.model().owns_banks_alone() {
            return Ok(());
        }
        let taken = banks.iter().find_map(|bank| {
            let other = self.usage.users(bank).iter().find(|&&user| user != task.id)?;
            Some((bank, *other))
        });
        match taken {
            Some((bank, other)) => Err(FrameError::BankTaken {
                task: task.id,
                bank,
                other,
            }),
            None => Ok(()),
        }
    }

    fn wanted_banks(&mut self, task: &mut Task) -> Result<ColorSet, FrameError> {
        let space = self.pool.keys.space();
        let check = |kind, set: Option<&ColorSet>, colors| match set.and_then(ColorSet::last) {
            Some(color) if color >= colors => Err(FrameError::UnknownColor { kind, color, colors }),
            _ => Ok(()),
        };
        check("LLC", task.llc(), space.llc_colors())?;
        match task.memory.coloring.clone() {
            Coloring::Explicit { banks, .. } => {
                check("bank", banks.as_ref(), space.bank_colors())?;
                Ok(banks.unwrap_or_else(|| (0..space.bank_colors()).collect()))
            }
            Coloring::Automatic { colors, .. } => {
                let context = policy::AllocContext {
                    pool: &mut self.pool,
                    usage: &mut self.usage,
                    task,
                };
                let chosen = self.config.policy.model().choose(&context, colors as usize);
                chosen.ok_or_else(|| self.no_free_color(task, colors))
            }
            Coloring::Off => Ok(ColorSet::new()),
        }
    }

    fn no_free_color(&self, task: &Task, wanted: u32) -> FrameError {
        let space = self.pool.keys.space();
        let node = task.memory.home_node;
        let (unused, unused_elsewhere): (Vec<u32>, Vec<u32>) = self
            .usage
            .unused()
            .iter()
            .partition(|&bank| space.node_of_color(bank) == node);
        FrameError::NoFreeColor {
            task: task.id,
            node,
            wanted,
            unused: unused.into_iter().collect(),
            unused_elsewhere: unused_elsewhere.into_iter().collect(),
        }
    }
}
