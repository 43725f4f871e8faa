// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic BPM and BPM+: at each scan, and when a task finds its colours used up, banks are divided anew, and pages that lie
//! in colours of others move (BPM-6 to 12). What is decided is in [`fresco_frames::dynamic`]; which channels,
//! in `balancing.rs`.
//!
//! The allocator moves pages at once. What that costs follows on the cores: each core copies the pages of its task
//! through the memory, as loads and stores, before anything else; and each core that runs the task stands still for the
//! shootdown of its TLB, [`SHOOTDOWN`] cycles for each page, and for the allocator's work.

use super::Engine;
use crate::multitask::Dynamic;
use crate::os::copying::CopyTo;
use crate::scenario::error_at;
use fresco_dram::{NEVER, PhysAddr, Ps};
use fresco_frames::dynamic::{self, Holding, Mode};
use fresco_frames::shares::Taken;
use fresco_frames::{ColorSet, Coloring, TaskId};
use fresco_input::InputError;
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
    /// Copies that have shares, by number.
    pub members: Vec<usize>,
    /// Colours that others have by name.
    pub taken: Taken,
    /// Channel of each member, whether or not channels are partitioned now.
    pub channel: Vec<usize>,
    pub mode: Mode,
    /// Lines fetched and moved by each member up to the last scan.
    pub seen: Vec<(u64, u64)>,
    /// Pages of one colour.
    pages: u64,
    /// Time that each cpu has to stand still yet.
    owed: Vec<Ps>,
    /// Pages moved, by copy.
    pub moved: Vec<u64>,
}

impl Recoloring {
    pub fn new(rules: &Dynamic, setup: &crate::scenario::Setup) -> Self {
        let members: Vec<usize> = (0..setup.copies.len())
            .filter(|&copy| setup.copies[copy].shared)
            .collect();
        let mut taken = Taken::default();
        for copy in setup.copies.iter().filter(|copy| !copy.shared) {
            if let Coloring::Explicit { banks: Some(banks), .. } = &copy.coloring {
                banks.iter().for_each(|bank| _ = taken.banks.insert(bank));
            }
        }
        let count = rules.channels.as_ref().map_or(1, Vec::len);
        let page = setup.machine.page_bytes;
        Self {
            next: NEVER,
            last: 0,
            channel: (0..members.len()).map(|member| member % count).collect(),
            mode: if rules.channels.is_some() {
                Mode::BpmPlus
            } else {
                Mode::Bpm
            },
            seen: vec![(0, 0); members.len()],
            pages: setup.machine.memory.organisation.total_bytes() / page / u64::from(setup.space.bank_colors()),
            owed: vec![0; setup.copies.len()],
            moved: vec![0; setup.copies.len()],
            rules: rules.clone(),
            taken,
            members,
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
            self.give(&shares)?;
        }
        self.lend(None)?;
        Ok(())
    }

    /// A copy has used its colours up: the banks are divided anew at once. Did that change anything?
    pub(super) fn relieve(&mut self, copy: usize) -> Result<bool, InputError> {
        self.lend(Some(copy))
    }

    /// Divides banks by what tasks need, where one needs more than it has. With channels partitioned, those of a channel lend to each
    /// other.
    ///
    /// Colours hold less than their pages where some of the memory is occupied: a `pressed` copy needs more than it has, whatever
    /// the count says.
    fn lend(&mut self, pressed: Option<usize>) -> Result<bool, InputError> {
        let Some(recoloring) = &self.recoloring else {
            return Ok(false);
        };
        let holding = |&copy: &usize| {
            let cpu = self.cpus.iter().position(|cpu| cpu.copy == copy).unwrap_or(0);
            let threads = self.sharers(cpu).len() as u64;
            let required = self.cpus[cpu].process.pages().count().div_ceil(threads);
            let banks = self
                .frames
                .assignment(TaskId(copy as u32))
                .map_or_else(|_| ColorSet::new(), |now| now.banks);
            let mut holding = Holding { required, banks };
            if pressed == Some(copy) {
                holding.required = required.max(holding.available(recoloring.pages) + 1);
            }
            holding
        };
        let holdings: Vec<Holding> = recoloring.members.iter().map(holding).collect();
        let mut sets: Vec<ColorSet> = holdings.iter().map(|holding| holding.banks.clone()).collect();
        let (mut changed, by_channel) = (false, recoloring.mode == Mode::BpmPlus);
        for group in 0..recoloring.rules.channels.as_ref().map_or(1, Vec::len) {
            let is_here = |&member: &usize| {
                if by_channel {
                    recoloring.channel[member] == group
                } else {
                    group == 0
                }
            };
            let here: Vec<usize> = (0..holdings.len()).filter(is_here).collect();
            let of_here: Vec<Holding> = here.iter().map(|&member| holdings[member].clone()).collect();
            let adjustment = dynamic::adjust(&of_here, recoloring.pages);
            changed |= !adjustment.is_empty();
            here.into_iter()
                .zip(adjustment.apply(&of_here))
                .for_each(|(member, set)| sets[member] = set);
        }
        // Colours that are shared already may be all that can be done: then nothing changes.
        changed &= std::iter::zip(&holdings, &sets).any(|(holding, set)| holding.banks != *set);
        if changed {
            self.give(&sets)?;
        }
        Ok(changed)
    }

    /// Gives the members these colours, and moves pages that lie elsewhere.
    fn give(&mut self, sets: &[ColorSet]) -> Result<(), InputError> {
        let members = self
            .recoloring
            .as_ref()
            .map_or_else(Vec::new, |recoloring| recoloring.members.clone());
        for (&copy, banks) in std::iter::zip(&members, sets) {
            let llc = self.assignments[copy].llc.clone();
            let coloring = Coloring::Explicit {
                banks: Some(banks.clone()),
                llc,
            };
            let given = self.frames.set_coloring(TaskId(copy as u32), coloring);
            let place = &self.setup.tasks[self.setup.copies[copy].task].place;
            self.assignments[copy] = given.map_err(|error| error_at(place, format!("found {error}")))?;
        }
        members.into_iter().for_each(|copy| self.move_pages(copy));
        Ok(())
    }

    /// Moves the pages of a copy that are not of its colours. Where its colours have no free frame a page stays.
    fn move_pages(&mut self, copy: usize) {
        let id = TaskId(copy as u32);
        let wrong: BTreeSet<u64> = match self.frames.nonconforming(id) {
            Ok(frames) if !frames.is_empty() => frames.into_iter().map(|frame| frame.0).collect(),
            _ => return,
        };
        let Some(number) = self.cpus.iter().position(|cpu| cpu.copy == copy) else {
            return;
        };
        let (page_bytes, line) = (self.setup.machine.page_bytes, self.setup.line_bytes());
        let mapped = self.cpus[number].process.pages().mapped();
        let wrong: Vec<_> = mapped.filter(|(_, frame)| wrong.contains(&frame.0)).collect();
        let sharers = self.sharers(number);
        let cost = self.frames.config().cost;
        let (mut lines, mut stand_still, mut moved) = (Vec::new(), 0, 0);
        for (page, old) in wrong {
            let Ok((new, work)) = self.frames.migrate(id, old) else {
                continue;
            };
            for &sharer in &sharers {
                self.cpus[sharer].process.pages_mut().remap(page, new);
            }
            let at = |frame: u64, offset: u64| PhysAddr(frame * page_bytes + offset);
            let offsets = (0..page_bytes).step_by(line as usize);
            lines.extend(offsets.map(|offset| (at(old.0, offset), CopyTo::Frame(at(new.0, offset)))));
            stand_still += cost.ps(SHOOTDOWN + cost.cycles(&work));
            moved += 1;
        }
        if moved == 0 {
            return;
        }
        self.cpus[number].process.copy(lines);
        for sharer in sharers {
            self.cpus[sharer].process.interrupt();
            if let Some(recoloring) = &mut self.recoloring {
                recoloring.owed[sharer] += stand_still;
            }
        }
        if let Some(recoloring) = &mut self.recoloring {
            recoloring.moved[copy] += moved;
        }
    }

    /// Has a core to stand still?
    pub(super) fn owes(&self, number: usize) -> bool {
        self.recoloring
            .as_ref()
            .is_some_and(|recoloring| recoloring.owed[number] > 0)
    }

    /// For how long a core has to stand still now.
    pub(super) fn pay(&mut self, number: usize) -> Ps {
        self.recoloring
            .as_mut()
            .map_or(0, |recoloring| std::mem::take(&mut recoloring.owed[number]))
    }
}
