// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of slots that the scheduler of `kernel/schedulers` runs.

use super::Misfit;
use super::members::{Member, Order};
use crate::windows::{Frame, Owner, Window, frame};
use fresco_input::quoted;
use fresco_rt::Time;
use fresco_scenario::Plan;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What `kernel/schedulers/src/table.rs` accepts: of a frame, as the kernel ends a scheduler that leaves a task waiting for 30 s, ...
const LONGEST_FRAME_NS: Time = 15_000_000_000;
/// ... of a slot, as a switch takes some microseconds, ...
const SHORTEST_SLOT_NS: Time = 10_000;
/// ... and the part of a core that has no slots, for kernel threads and everything that is in no table.
const FREE: Time = 100;
const MOST_CORES: u32 = 64;
const MOST_SEGMENTS: usize = 1 << 16;
/// What a handler of a plan may take at most.
const LONGEST_HANDLER_US: Time = 1000;

/// Slots that repeat after `frame_ns`, by start and core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotTable {
    /// Length of a turn, in ns.
    pub frame_ns: Time,
    /// The slots.
    pub slots: Vec<Slot>,
    /// Tasks that share slots, and who of them goes first; none if each slot is one task's.
    pub members: Vec<Member>,
    /// How they take turns.
    pub order: Order,
}

/// Time of a core for a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The core.
    pub core: u32,
    /// Start within the turn, in ns.
    pub start_ns: Time,
    /// Length, in ns.
    pub length_ns: Time,
    /// Name of the task, or of slots that tasks share.
    pub task: String,
    /// A job ends with it.
    pub ends: bool,
    /// Colors of those that share it whose tasks do not run in it.
    pub shut: Vec<u32>,
}

/// The table of a plan that is one.
pub(super) fn of(plan: &Plan) -> Result<SlotTable, Misfit> {
    let Some(frame) = frame(plan) else {
        return Err(Misfit::new(
            "no windows that repeat",
            "a table or slots",
            "use --schedule auto",
        ));
    };
    let table = SlotTable::new(plan, &frame, |_, _| String::new());
    table.checked(plan.cores)
}

impl SlotTable {
    /// Of windows; what the owner of a color's window is called is told.
    pub(crate) fn new(plan: &Plan, frame: &Frame, of_color: impl Fn(&Window, usize) -> String) -> Self {
        let mut last = BTreeMap::new();
        for (number, window) in frame.windows.iter().enumerate() {
            if let Owner::Job { task, job, .. } = window.owner {
                last.insert((task, job), number);
            }
        }
        let slot = |(number, window): (usize, &Window)| Slot {
            core: window.core,
            start_ns: window.start_ns,
            length_ns: window.length_ns,
            task: match window.owner {
                Owner::Job { task, .. } => match plan.tasks.get(task) {
                    Some(task) => task.name.clone(),
                    None => format!("task{task}"),
                },
                Owner::Color(color) => of_color(window, color),
            },
            ends: match window.owner {
                Owner::Job { task, job, .. } => last.get(&(task, job)) == Some(&number),
                Owner::Color(_) => false,
            },
            shut: Vec::new(),
        };
        Self {
            frame_ns: frame.length_ns,
            members: Vec::new(),
            order: Order::Rank,
            slots: frame.windows.iter().enumerate().map(slot).collect(),
        }
    }

    /// The table, if the scheduler takes it.
    pub(super) fn checked(self, cores: u32) -> Result<Self, Misfit> {
        match self.misfit(cores) {
            Some(misfit) => Err(misfit),
            None if self.slots.is_empty() => Err(Misfit::new(
                "a table without slots",
                "one slot or more",
                "use --schedule none",
            )),
            None => Ok(self),
        }
    }

    /// Times of a core without a slot.
    pub(super) fn gaps(&self, core: u32) -> Vec<(Time, Time)> {
        let of_core = self.slots.iter().filter(|slot| slot.core == core);
        let mut taken: Vec<(Time, Time)> = of_core
            .map(|slot| (slot.start_ns, slot.start_ns.saturating_add(slot.length_ns)))
            .collect();
        taken.sort_unstable();
        let ends = std::iter::once(0).chain(taken.iter().map(|(_, end)| *end));
        let starts = taken.iter().map(|(start, _)| *start).chain([self.frame_ns]);
        ends.zip(starts).filter(|(from, to)| from < to).collect()
    }

    /// What the scheduler would refuse of it.
    pub(crate) fn misfit(&self, cores: u32) -> Option<Misfit> {
        if self.frame_ns > LONGEST_FRAME_NS {
            return Some(Misfit::new(
                format!("a table of {} ns", self.frame_ns),
                format!("{LONGEST_FRAME_NS} ns: the kernel ends a scheduler that leaves a task waiting for 30 s"),
                "plan with periods that have a shorter hyperperiod",
            ));
        }
        if cores > MOST_CORES {
            return Some(Misfit::new(
                format!("a plan for {cores} cores"),
                format!("{MOST_CORES}"),
                "plan for fewer cores",
            ));
        }
        let segments = self.slots.len() + (0..cores).map(|core| self.gaps(core).len()).sum::<usize>();
        if segments > MOST_SEGMENTS {
            return Some(Misfit::new(
                format!("{segments} slots and gaps between them"),
                format!("{MOST_SEGMENTS}"),
                "plan with periods that have a shorter hyperperiod",
            ));
        }
        if let Some(slot) = self.slots.iter().find(|slot| slot.length_ns < SHORTEST_SLOT_NS) {
            return Some(Misfit::new(
                format!("a window of {} ns on core {}", slot.length_ns, slot.core),
                format!("{SHORTEST_SLOT_NS} ns or more: a switch takes some microseconds"),
                "plan with fewer preemptions",
            ));
        }
        (0..cores).find_map(|core| {
            let free: Time = self.gaps(core).iter().map(|(from, to)| to - from).sum();
            (free.saturating_mul(FREE) < self.frame_ns).then(|| {
                Misfit::new(
                    format!("{free} ns of {} without a window on core {core}", self.frame_ns),
                    "a hundredth or more: kernel threads run there, and everything that is in no table",
                    self.freeing(core),
                )
            })
        })
    }

    /// How more of a core gets free. Of a plan whose slots are all the time that handlers leave, these have to be longer: no handler
    /// runs in their time, and the proof counts it.
    fn freeing(&self, core: u32) -> String {
        if self.members.is_empty() {
            return "plan by --method colored-refresh, which makes a table, or leave more of the core free".to_owned();
        }
        let gaps = self.gaps(core).len() as Time;
        let least_us = self
            .frame_ns
            .div_ceil(FREE)
            .checked_div(gaps)
            .map(|ns| (ns / 10_000 + 1) * 10);
        match least_us {
            Some(us) if us <= LONGEST_HANDLER_US => format!(
                "plan with handlers of {us} us, whose time is free here: fresco plan --set plan.lock='{us} us' --set plan.unlock='{us} us', \
                 of aligned slots plan.handler"
            ),
            _ => "plan with longer handlers, whose time is free here: plan.lock and plan.unlock, of aligned slots plan.handler".to_owned(),
        }
    }

    /// Names of its slots, in the order of the first ones: of tasks, or of slots that tasks share.
    pub fn owners(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for slot in &self.slots {
            if !names.contains(&slot.task.as_str()) {
                names.push(&slot.task);
            }
        }
        names
    }

    /// Names of its tasks.
    pub fn tasks(&self) -> Vec<&str> {
        match self.members.is_empty() {
            true => self.owners(),
            false => self.members.iter().map(|member| member.task.as_str()).collect(),
        }
    }

    /// On other cores: core n becomes `cpus[n]`.
    ///
    /// # Errors
    /// A core that has no place in the list.
    pub fn on(&self, cpus: &[u32]) -> Result<Self, u32> {
        let mut table = self.clone();
        for slot in &mut table.slots {
            slot.core = *cpus.get(slot.core as usize).ok_or(slot.core)?;
        }
        table.slots.sort_by_key(|slot| (slot.start_ns, slot.core));
        Ok(table)
    }

    /// The text that `fresco-scheduler table` reads; `cgroup` tells the cgroup of a task, if the text is to name it.
    pub fn to_toml(&self, cgroup: impl Fn(&str) -> Option<String>) -> String {
        let mut text = format!("format = \"fresco-table/1\"\nframe_ns = {}\n", self.frame_ns);
        if !self.members.is_empty() {
            _ = writeln!(text, "order = {}", quoted(self.order.name()));
        }
        text.push_str("task = [\n");
        let group =
            |name: &str| cgroup(name).map_or_else(String::new, |group| format!(", cgroup = {}", quoted(&group)));
        for name in self.tasks() {
            let member = self.members.iter().find(|member| member.task == name);
            let place = member.map_or_else(String::new, Member::to_toml);
            _ = writeln!(text, "  {{ name = {}{}{place} }},", quoted(name), group(name));
        }
        text.push_str("]\nslot = [\n");
        for slot in &self.slots {
            let shut = match slot.shut.is_empty() {
                true => String::new(),
                false => format!(", shut = {:?}", slot.shut),
            };
            _ = writeln!(
                text,
                "  {{ core = {}, start_ns = {}, length_ns = {}, task = {}{}{shut} }},",
                slot.core,
                slot.start_ns,
                slot.length_ns,
                quoted(&slot.task),
                if slot.ends { "" } else { ", ends = false" }
            );
        }
        text.push_str("]\n");
        text
    }
}
