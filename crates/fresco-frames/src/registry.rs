// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks come, change their colours, move pages, and go.

use crate::frames::release;
use crate::policy::{self, Policy, Sorting};
use crate::pool::KeySet;
use crate::task::{Assignment, Coloring, Task, TaskMemory, TaskStats};
use crate::{ColorSet, FrameError, Frames, TaskId, Work};
use fresco_dram::FrameNumber;

impl Frames {
    /// Registers a task and gives it its colours.
    ///
    /// # Errors
    /// [`FrameError::DuplicateTask`], [`FrameError::UnknownNode`] (also for a zone), [`FrameError::UnknownColor`],
    /// [`FrameError::NoSuchFrames`] for colours that no frame of its zones has, [`FrameError::NoFreeColor`] if CAMC finds
    /// too few, and [`FrameError::Policy`] if the policy cannot do it: buddy knows no colours, PALLOC chooses none.
    pub fn register(&mut self, id: TaskId, memory: TaskMemory) -> Result<Assignment, FrameError> {
        if id == TaskId::KERNEL || self.tasks.contains_key(&id) {
            return Err(FrameError::DuplicateTask { task: id });
        }
        let nodes = self.pool.memory.nodes();
        let node = memory.home_node;
        let fallback = self
            .pool
            .memory
            .fallback(node)
            .ok_or(FrameError::UnknownNode { node, nodes })?;
        let zones = memory.zones.clone().unwrap_or_else(|| fallback.to_vec());
        let count = self.pool.memory.zones();
        if let Some(&node) = zones.iter().find(|&&zone| zone >= count) {
            return Err(FrameError::UnknownNode { node, nodes: count });
        }
        let slot = self.idle_slots.last().copied().unwrap_or(self.tasks.len() as u32 + 1);
        let stats = TaskStats::default();
        let mut task = Task {
            id,
            slot,
            memory,
            zones,
            banks: ColorSet::new(),
            keys: KeySet::default(),
            stats,
        };
        self.give_colors(&mut task)?;
        self.idle_slots.pop();
        self.pool.add_slot(slot);
        self.tasks.insert(id, task);
        self.assignment(id)
    }

    /// Changes which colours a task gets from now on (PAL-5, CAMC-12). Frames that it holds stay where they are:
    /// [`Frames::nonconforming`] lists them, [`Frames::migrate`] moves them.
    ///
    /// # Errors
    /// As [`Frames::register`], and [`FrameError::UnknownTask`]; the old colours then remain.
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

    /// The colours of a task.
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

    /// A task ends: its frames are freed as its policy frees them, its colours return to the pool (CAMC-18).
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`].
    pub fn exit(&mut self, id: TaskId) -> Result<Work, FrameError> {
        let policy = self.config.policy;
        let mut scene = self.scene(id)?;
        let slot = scene.task.slot;
        let mut work = Work::default();
        while let Some(frame) = scene.pool.lists.pop_front(scene.pool.layout.owned(slot, 0)) {
            release(policy, &mut scene, frame, &mut work);
        }
        scene.pool.drain(slot, &mut work);
        scene.usage.release(id, &scene.task.banks);
        self.tasks.remove(&id);
        self.idle_slots.push(slot);
        self.debug_conserved();
        Ok(work)
    }

    /// Allocates `frames_per_bank` frames of each of the task's bank colours and frees them again (CAMC-25): later requests
    /// find them in the colour lists. Neither the task's limit nor its statistics notice; growth and spilling do not take
    /// place. Under PALLOC the frames themselves return to the buddy system, but what was sorted on the way stays sorted.
    ///
    /// # Errors
    /// [`FrameError::UnknownTask`]; [`FrameError::Policy`] for an uncoloured task; [`FrameError::OutOfColor`] if a colour
    /// has fewer free frames, whereupon nothing is held.
    pub fn preallocate(&mut self, id: TaskId, frames_per_bank: u64) -> Result<Work, FrameError> {
        let policy = self.config.policy;
        let mut scene = self.scene(id)?;
        if !scene.task.is_colored() {
            return Err(FrameError::Policy {
                task: id,
                what: "only a coloured task can preallocate frames",
            });
        }
        let (sorting, blind) = match policy {
            Policy::Palloc(palloc) => (palloc.sorting, true),
            _ => (Sorting::Block, false),
        };
        let (mut work, mut taken, mut short) = (Work::default(), Vec::new(), false);
        for bank in scene.task.banks.clone().iter() {
            let mut one = scene.task.clone();
            one.set_banks(&scene.pool.keys, ColorSet::one(bank), blind);
            let frames = policy::take_many(scene.pool, &mut one.keys, sorting, frames_per_bank, &mut work);
            short |= (frames.len() as u64) < frames_per_bank;
            taken.extend(frames);
        }
        // The last one first: each goes to the front of its list, so the lists end up in the order of the search.
        for frame in taken.into_iter().rev() {
            release(policy, &mut scene, frame, &mut work);
        }
        self.debug_conserved();
        if short { Err(self.exhausted(id)) } else { Ok(work) }
    }

    /// The frames that a task holds although they are not of its present colours: spilled, or older than a change of
    /// colours (PAL-5, PAL-7). Ascending; empty for an uncoloured task.
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

    /// Whether a frame is of the task's colours; true for any frame of the machine if the task is uncoloured. The frame need
    /// not be the task's: a page shared with others, such as cached program text, may lie anywhere (PAL-7). False for an
    /// unknown task.
    pub fn conforms(&self, id: TaskId, frame: FrameNumber) -> bool {
        let in_memory = self.pool.memory.zone_of(frame).is_some();
        let fits = |task: &Task| !task.is_colored() || task.keys.contains(self.pool.keys.of_frame(frame.0 as u32));
        in_memory && self.tasks.get(&id).is_some_and(fits)
    }

    /// Moves a page to a frame of the task's present colours: allocates one, frees the old one. A frame that conforms stays
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
        let (new, mut work) = self.alloc(id)?;
        work += self.free(id, frame)?;
        Ok((new, work))
    }

    /// Chooses and books the colours of a task that has none.
    fn give_colors(&mut self, task: &mut Task) -> Result<(), FrameError> {
        let what = match (&self.config.policy, &task.memory.coloring) {
            (_, Coloring::Off) => {
                task.keys = KeySet::default();
                return Ok(());
            }
            (Policy::Buddy, _) => Some("the buddy policy knows no colours; use palloc or camc"),
            (Policy::Palloc(_), Coloring::Automatic { .. }) => {
                Some("PALLOC does not choose banks by itself; name bank colours, or use camc")
            }
            (_, Coloring::Automatic { colors: 0, .. }) => Some("a coloured task needs at least one colour"),
            _ => None,
        };
        if let Some(what) = what {
            return Err(FrameError::Policy { task: task.id, what });
        }
        let banks = self.wanted_banks(task)?;
        let blind = matches!(self.config.policy, Policy::Palloc(_));
        task.set_banks(&self.pool.keys, banks, blind);
        if task.keys.is_empty() {
            let (banks, llc) = (task.banks.clone(), task.llc().cloned());
            return Err(FrameError::NoSuchFrames {
                task: task.id,
                banks,
                llc,
            });
        }
        self.usage.add(task.id, &task.banks);
        Ok(())
    }

    fn wanted_banks(&mut self, task: &mut Task) -> Result<ColorSet, FrameError> {
        let space = self.pool.keys.space();
        let check = |kind, set: Option<&ColorSet>, colors| match set.and_then(ColorSet::last) {
            Some(color) if color >= colors => Err(FrameError::UnknownColor { kind, color, colors }),
            _ => Ok(()),
        };
        check("LLC", task.llc(), space.llc_colors())?;
        match (task.memory.coloring.clone(), self.config.policy) {
            (Coloring::Explicit { banks, .. }, _) => {
                check("bank", banks.as_ref(), space.bank_colors())?;
                Ok(banks.unwrap_or_else(|| (0..space.bank_colors()).collect()))
            }
            (Coloring::Automatic { colors, .. }, Policy::Camc(camc)) => {
                let scene = policy::Scene {
                    pool: &mut self.pool,
                    usage: &mut self.usage,
                    task,
                };
                let chosen = policy::camc::choose_for(camc, &scene, colors as usize);
                chosen.ok_or_else(|| self.no_free_color(task, colors))
            }
            _ => Ok(ColorSet::new()),
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
