// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic BPM and BPM+: at each scan, and when a task finds its colors used up, banks are divided anew, and pages that lie
//! in colors of others move (BPM-6 to 12). What is decided is in [`fresco_frames::dynamic`]; which channels,
//! in `balancing.rs`.
//!
//! The allocator moves pages at once. What that costs follows on the cores: each task copies its pages through the memory,
//! as loads and stores, before anything else; and its core, and that of each other thread of its program, stands still for
//! the shootdown of its TLB, [`SHOOTDOWN`] cycles for each page, and for the allocator's work. A task that is on no core
//! pays when it comes on one.

use super::Engine;
use crate::experiment::{Dynamic, Experiment};
use crate::os::copying::CopyTo;
use fresco_dram::{ColorSpace, NEVER, PhysAddr, Ps};
use fresco_frames::dynamic::{self, Holding, Mode};
use fresco_frames::shares::Taken;
use fresco_frames::{ColorSet, Coloring};
use fresco_input::InputError;
use fresco_memory::Lines;
use std::collections::BTreeSet;

/// Cycles for which each core that runs a task stands still when a page of it moves: an inter-processor interrupt, the
/// flush of the entry, and its acknowledgement. An assumption: about a microsecond on machines of the papers' time.
const SHOOTDOWN: u64 = 2000;

/// The division of a run.
pub(super) struct Recoloring {
    pub rules: Dynamic,
    /// When the next scan is; [`NEVER`] before the programs begin.
    next: Ps,
    pub last: Ps,
    /// Colors that others have by name.
    pub taken: Taken,
    /// Channel of each member, whether or not channels are partitioned now.
    pub channel: Vec<usize>,
    pub mode: Mode,
    /// Lines moved by each member up to the last scan.
    pub seen: Vec<Lines>,
    /// Pages of one color.
    pages: u64,
    /// Time for which each task has to stand still yet.
    owed: Vec<Ps>,
    /// Pages moved, by task.
    pub moved: Vec<u64>,
}

impl Recoloring {
    /// The division at time 0, from which the time to the first scan runs where there are no phases.
    pub fn new(rules: &Dynamic, experiment: &Experiment, space: &ColorSpace) -> Self {
        let tasks = experiment.tasks.len();
        let mut taken = Taken::default();
        for task in (0..tasks).filter(|task| !rules.members.contains(task)) {
            for instance in &experiment.tasks[task].instances {
                if let Coloring::Explicit { banks: Some(banks), .. } = &instance.coloring {
                    banks.iter().for_each(|bank| _ = taken.banks.insert(bank));
                }
            }
        }
        let count = rules.channels.as_ref().map_or(1, Vec::len);
        let machine = &experiment.machine;
        let bytes = machine.memory.organisation.total_bytes();
        Self {
            next: if experiment.phases.is_some() {
                NEVER
            } else {
                rules.interval
            },
            last: 0,
            channel: (0..rules.members.len()).map(|member| member % count).collect(),
            mode: if rules.channels.is_some() {
                Mode::BpmPlus
            } else {
                Mode::Bpm
            },
            seen: vec![Lines::default(); rules.members.len()],
            pages: bytes / machine.page_bytes / u64::from(space.bank_colors()),
            owed: vec![0; tasks],
            moved: vec![0; tasks],
            rules: rules.clone(),
            taken,
        }
    }
}

impl Engine<'_> {
    /// The programs begin, and with them the time to the first scan.
    pub(super) fn scan_from(&mut self, at: Ps) {
        if let Some(recoloring) = &mut self.recoloring {
            (recoloring.last, recoloring.next) = (at, at + recoloring.rules.interval);
        }
    }

    /// When the next scan is.
    pub(super) fn next_scan(&self) -> Ps {
        self.recoloring.as_ref().map_or(NEVER, |recoloring| recoloring.next)
    }

    /// Scans, if it is time: channels first, then banks within them (BPM-10).
    pub(super) fn scan(&mut self, now: Ps) -> Result<(), InputError> {
        let Some(recoloring) = self.recoloring.as_mut().filter(|recoloring| recoloring.next <= now) else {
            return Ok(());
        };
        recoloring.next += recoloring.rules.interval;
        if let Some(shares) = self.divide_channels(now) {
            self.give(&shares, now)?;
        }
        self.lend(None, now)?;
        Ok(())
    }

    /// A task has used its colors up: the banks are divided anew at once. Returns whether that changed anything.
    pub(super) fn relieve(&mut self, task: usize, now: Ps) -> Result<bool, InputError> {
        self.lend(Some(task), now)
    }

    /// Divides banks by what tasks need, where one needs more than it has. With channels partitioned, those of a channel lend to each
    /// other.
    ///
    /// Colors hold less than their pages where some of the memory is occupied: a `pressed` task needs more than it has, whatever
    /// the count says.
    fn lend(&mut self, pressed: Option<usize>, now: Ps) -> Result<bool, InputError> {
        let Some(recoloring) = &self.recoloring else {
            return Ok(false);
        };
        let holding = |&task: &usize| {
            let threads = self.sharers(task).len() as u64;
            let required = self.tasks[task].process.pages().count().div_ceil(threads);
            let banks = self
                .frames
                .assignment(self.memory_of(task))
                .map_or_else(|_| ColorSet::new(), |now| now.banks);
            let mut holding = Holding { required, banks };
            if pressed == Some(task) {
                holding.required = required.max(holding.available(recoloring.pages) + 1);
            }
            holding
        };
        let holdings: Vec<Holding> = recoloring.rules.members.iter().map(holding).collect();
        let group: Vec<usize> = match recoloring.mode {
            Mode::BpmPlus => recoloring.channel.clone(),
            Mode::Bpm => vec![0; holdings.len()],
        };
        let adjustment = dynamic::adjust_within(&holdings, &group, recoloring.pages);
        let sets = adjustment.apply(&holdings);
        // Colors that are shared already may be all that can be done: then nothing changes.
        let changed = std::iter::zip(&holdings, &sets).any(|(holding, set)| holding.banks != *set);
        if changed {
            self.give(&sets, now)?;
        }
        Ok(changed)
    }

    /// Gives the members these colors, and moves pages that lie elsewhere.
    fn give(&mut self, sets: &[ColorSet], now: Ps) -> Result<(), InputError> {
        let recoloring = self.recoloring.as_ref();
        let members = recoloring.map_or_else(Vec::new, |recoloring| recoloring.rules.members.clone());
        for (&task, banks) in std::iter::zip(&members, sets) {
            let id = self.memory_of(task);
            let given = self.frames.assignment(id).and_then(|now| {
                let coloring = Coloring::Explicit {
                    banks: Some(banks.clone()),
                    llc: now.llc,
                };
                self.frames.set_coloring(id, coloring)
            });
            given.map_err(|error| self.experiment.no_frame(task, id, &error))?;
        }
        members.into_iter().for_each(|task| self.move_pages(task, now));
        Ok(())
    }

    /// Moves the pages of a task that are not of its colors. Where its colors have no free frame a page stays.
    fn move_pages(&mut self, task: usize, now: Ps) {
        let id = self.memory_of(task);
        let wrong: BTreeSet<u64> = match self.frames.nonconforming(id) {
            Ok(frames) if !frames.is_empty() => frames.into_iter().map(|frame| frame.0).collect(),
            _ => return,
        };
        let (page_bytes, line) = (self.experiment.machine.page_bytes, self.line_bytes);
        let mapped = self.tasks[task].process.pages().mapped();
        let wrong: Vec<_> = mapped.filter(|(_, frame)| wrong.contains(&frame.0)).collect();
        let sharers = self.sharers(task);
        let cost = self.frames.config().cost;
        let (mut lines, mut stand_still, mut moved) = (Vec::new(), 0, 0);
        for (page, old) in wrong {
            let Ok((new, work)) = self.frames.migrate(id, old) else {
                continue;
            };
            for &sharer in &sharers {
                self.tasks[sharer].process.pages_mut().remap(page, new);
            }
            self.forget_page(task, page);
            let at = |frame: u64, offset: u64| PhysAddr(frame * page_bytes + offset);
            let offsets = (0..page_bytes).step_by(line as usize);
            lines.extend(offsets.map(|offset| (at(old.0, offset), CopyTo::Frame(at(new.0, offset)))));
            stand_still += cost.ps(SHOOTDOWN + cost.cycles(&work));
            moved += 1;
            let [from, to] = [old, new].map(|frame| self.space.try_bank_color(frame));
            self.recording.moved(now, task, from, to);
        }
        if moved == 0 {
            return;
        }
        self.pages_changed(task);
        self.tasks[task].process.copy(lines);
        for &sharer in &sharers {
            if self.tasks[sharer].core.is_some() {
                self.tasks[sharer].process.interrupt();
            }
        }
        if let Some(recoloring) = &mut self.recoloring {
            sharers
                .into_iter()
                .for_each(|sharer| recoloring.owed[sharer] += stand_still);
            recoloring.moved[task] += moved;
        }
    }

    /// Pages of a task that have moved so far.
    pub(super) fn pages_moved(&self, task: usize) -> u64 {
        self.recoloring.as_ref().map_or(0, |recoloring| recoloring.moved[task])
    }

    /// Returns true if a task has to stand still.
    pub(super) fn owes(&self, task: usize) -> bool {
        self.recoloring
            .as_ref()
            .is_some_and(|recoloring| recoloring.owed[task] > 0)
    }

    /// A task that was to go on at `from` on a core stands still for what it owes: when it goes on.
    pub(super) fn paid(&mut self, number: usize, task: usize, from: Ps) -> Ps {
        let Some(recoloring) = &mut self.recoloring else {
            return from;
        };
        let on = from + std::mem::take(&mut recoloring.owed[task]);
        self.recording.shootdown(number as u32, task, from, on);
        on
    }
}
