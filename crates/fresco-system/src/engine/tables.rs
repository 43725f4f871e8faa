// SPDX-License-Identifier: MIT OR Apache-2.0
//! Page tables: the frames that they lie in, and what walks of them do.

use super::Engine;
use super::counting::Walked;
use crate::core::{SlotClock, TableReads};
use crate::experiment::Experiment;
use crate::os::pages::{Page, PageTable};
use crate::os::tables::TableId;
use crate::results::{LevelReads, TableFrames, TlbResult};
use fresco_dram::{ColorSpace, FrameNumber, PhysAddr, Ps};
use fresco_frames::{FrameError, Frames, PageTables, TaskId};
use fresco_machine::Tlb;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Where new tables come from. Tables are smaller than large pages: then several have one frame.
pub(super) struct TableSource {
    from: PageTables,
    page_bytes: u64,
    /// By memory, or by node where the kernel gives them.
    open: HashMap<u32, Open>,
}

/// The frame that was taken last.
#[derive(Clone, Copy, Default)]
struct Open {
    /// The place for the next table.
    next: u64,
    /// End of the frame.
    end: u64,
    /// Frames taken so far.
    frames: u64,
}

impl TableSource {
    /// The source of a run; `None` on a machine without TLBs, where nobody reads tables, and where page tables are not known.
    pub fn of(experiment: &Experiment) -> Option<Self> {
        let machine = &experiment.machine;
        let tlb = machine.core.tlb.filter(|_| !experiment.recorded);
        tlb.map(|_| Self {
            from: experiment.frames.page_tables,
            page_bytes: machine.page_bytes,
            open: HashMap::new(),
        })
    }

    /// Gives a page the tables on its way that it lacks. `memory` is whose page it is, near `node`. Returns them and the cycles that it took.
    ///
    /// # Errors
    /// The memory, or the colors of the task, are used up.
    pub fn give(
        &mut self,
        frames: &mut Frames,
        pages: &mut PageTable,
        page: Page,
        (memory, node): (TaskId, u32),
    ) -> Result<(Vec<(TableId, PhysAddr)>, u64), FrameError> {
        let (mut given, mut cycles) = (Vec::new(), 0);
        for table in pages.missing_tables(page) {
            let (at, taken) = self.take(frames, memory, node)?;
            pages.add_table(table, at);
            given.push((table, at));
            cycles += taken;
        }
        Ok((given, cycles))
    }

    /// A place for a table, and what it takes to get and to clear it.
    fn take(&mut self, frames: &mut Frames, memory: TaskId, node: u32) -> Result<(PhysAddr, u64), FrameError> {
        let owner = match self.from {
            PageTables::Uncolored => node,
            PageTables::Colored => memory.0,
        };
        let cost = frames.config().cost;
        let mut cycles = cost.clear;
        let open = self.open.entry(owner).or_default();
        if open.next == open.end {
            let (frame, work) = match self.from {
                PageTables::Uncolored => frames.alloc_order(0, node)?,
                PageTables::Colored => frames.alloc(memory)?,
            };
            cycles += cost.cycles(&work);
            open.next = frame.0 * self.page_bytes;
            open.end = open.next + self.page_bytes;
            open.frames += 1;
        }
        let at = PhysAddr(open.next);
        open.next += Tlb::TABLE_BYTES;
        Ok((at, cycles))
    }

    /// Frames that a memory has given for tables.
    pub fn frames_of(&self, memory: TaskId) -> u64 {
        let open = self.open.get(&memory.0).filter(|_| !self.from.is_uncolored());
        open.map_or(0, |open| open.frames)
    }
}

impl Engine<'_> {
    /// A page of a task gets the tables that it lacks. Returns the time that it took.
    ///
    /// # Errors
    /// As [`TableSource::give`].
    pub(super) fn give_tables(&mut self, task: usize, page: Page) -> Result<Ps, FrameError> {
        let memory = self.memory_of(task);
        let node = self.experiment.machine.topology.node_of_core[self.experiment.tasks[task].core as usize];
        let Some(tables) = &mut self.tables else { return Ok(0) };
        let pages = self.tasks[task].process.pages_mut();
        let (given, cycles) = tables.give(&mut self.frames, pages, page, (memory, node))?;
        for sharer in self.sharers(task).into_iter().filter(|sharer| *sharer != task) {
            for (table, at) in &given {
                self.tasks[sharer].process.pages_mut().add_table(*table, *at);
            }
        }
        Ok(self.frames.config().cost.ps(cycles))
    }

    /// All cores forget a page of a task: it has another frame.
    pub(super) fn forget_page(&mut self, task: usize, page: Page) {
        if self.tables.is_none() {
            return;
        }
        let pages = self.tasks[task].process.pages();
        let (space, page) = (pages.space(), pages.number(page));
        for number in 0..self.cpus.len() {
            if let Some(translations) = self.private_of(number).translations() {
                translations.forget(space, page);
            }
        }
    }

    /// What the TLBs did for a task, if its core has any.
    pub(super) fn tlb_result(&self, task: usize, walked: &Walked) -> Option<TlbResult> {
        let machine = &self.experiment.machine;
        machine.core.tlb?;
        let clock = SlotClock::of(&machine.core);
        let state = &self.tasks[task];
        let memories = state.memories.iter().chain([state.process.pages()]);
        let tables = tables_by_bank(memories, &self.space, machine.page_bytes);
        let mean = |slots: u64| match walked.walks.walks {
            0 => 0.0,
            walks => clock.to_ps(slots) as f64 / 1000.0 / walks as f64,
        };
        let (lookups, walks) = (walked.lookups, &walked.walks);
        let levels = (1u32..).zip(&walks.reads).take(Tlb::levels(machine.page_bytes));
        let level = |(level, reads): (u32, &TableReads)| LevelReads {
            level,
            private: reads.private,
            llc: reads.llc,
            memory: reads.memory,
        };
        Some(TlbResult {
            lookups: lookups.lookups,
            misses: lookups.second + lookups.walks,
            l2_hits: lookups.second,
            walks: lookups.walks,
            reads: levels.map(level).collect(),
            walk_ns: mean(walks.slots),
            wait_ns: mean(walks.waited),
            tables,
        })
    }
}

/// The tables of some memories, and the frames that they lie in by bank color.
fn tables_by_bank<'p>(
    memories: impl Iterator<Item = &'p PageTable>,
    space: &ColorSpace,
    page_bytes: u64,
) -> TableFrames {
    let places: Vec<u64> = memories.flat_map(PageTable::tables).map(|at| at.0).collect();
    let frames: BTreeSet<u64> = places.iter().map(|at| at / page_bytes).collect();
    let mut by_bank = BTreeMap::new();
    for color in frames
        .into_iter()
        .filter_map(|frame| space.try_bank_color(FrameNumber(frame)))
    {
        *by_bank.entry(color).or_insert(0) += 1;
    }
    TableFrames {
        count: places.len() as u64,
        by_bank: by_bank.into_iter().collect(),
    }
}
