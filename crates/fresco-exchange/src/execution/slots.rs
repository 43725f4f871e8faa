// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of slots that the scheduler of `kernel/schedulers` runs.

use super::Misfit;
use crate::windows::{Frame, Owner, Window, frame};
use fresco_input::quoted;
use fresco_rt::Time;
use fresco_scenario::Plan;
use fresco_scenario::plan::Schedule;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What `kernel/schedulers/src/table.rs` accepts: of a frame, as the kernel ends a scheduler that leaves a task waiting for 30 s, ...
const LONGEST_FRAME_NS: Time = 15_000_000_000;
/// ... of a slot, as a switch takes some microseconds, ...
const SHORTEST_SLOT_NS: Time = 10_000;
/// ... and the part of a core that has no slots, for kernel threads and everything that is in no table.
const FREE: Time = 100;
const MOST_CORES: u32 = 64;

/// Slots that repeat after `frame_ns`, by start and core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotTable {
    /// Length of a turn, in ns.
    pub frame_ns: Time,
    /// The slots.
    pub slots: Vec<Slot>,
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
    /// Name of the task, or of the tasks of a color.
    pub task: String,
    /// A job ends with it.
    pub ends: bool,
}

/// The table of a plan whose slots are those of single tasks.
pub(super) fn of(plan: &Plan) -> Result<SlotTable, Misfit> {
    let Some(mut frame) = frame(plan) else {
        return Err(Misfit::new(
            "no windows that repeat",
            "a table or slots",
            "use --schedule auto",
        ));
    };
    let mut names = BTreeMap::new();
    if let Schedule::Slots { cores, .. } = &plan.schedule {
        for (core, color, tasks) in (0u32..)
            .zip(cores)
            .flat_map(|(core, slots)| (0..).zip(&slots.tasks).map(move |(color, tasks)| (core, color, tasks)))
        {
            let named: Vec<&str> = tasks
                .iter()
                .filter_map(|&task| Some(plan.tasks.get(task)?.name.as_str()))
                .collect();
            match named[..] {
                [] => {}
                [name] => _ = names.insert((core, color), name.to_owned()),
                _ => {
                    return Err(Misfit::new(
                        format!(
                            "{} tasks in the slot of color {color} on core {core}: {}",
                            named.len(),
                            named.join(", ")
                        ),
                        "one: the scheduler runs those of a slot in the order in which they become ready, not by deadlines or priorities",
                        "fresco plan --set plan.method=colored-refresh makes a table, where each slot is one task's; or use --schedule none",
                    ));
                }
            }
        }
        // What has no task is free.
        frame.windows.retain(|window| match window.owner {
            Owner::Color(color) => names.contains_key(&(window.core, color)),
            Owner::Job { .. } => true,
        });
    }
    let of_color = |window: &Window, color| names.get(&(window.core, color)).cloned().unwrap_or_default();
    let table = SlotTable::new(plan, &frame, of_color);
    match table.misfit(plan.cores) {
        Some(misfit) => Err(misfit),
        None if table.slots.is_empty() => Err(Misfit::new(
            "a table without slots",
            "one slot or more",
            "use --schedule none",
        )),
        None => Ok(table),
    }
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
        };
        Self {
            frame_ns: frame.length_ns,
            slots: frame.windows.iter().enumerate().map(slot).collect(),
        }
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
        if let Some(slot) = self.slots.iter().find(|slot| slot.length_ns < SHORTEST_SLOT_NS) {
            return Some(Misfit::new(
                format!("a window of {} ns on core {}", slot.length_ns, slot.core),
                format!("{SHORTEST_SLOT_NS} ns or more: a switch takes some microseconds"),
                "plan with fewer preemptions",
            ));
        }
        (0..cores).find_map(|core| {
            let of_core = self.slots.iter().filter(|slot| slot.core == core);
            let taken = of_core.fold(0, |sum: Time, slot| sum.saturating_add(slot.length_ns));
            let free = self.frame_ns.saturating_sub(taken);
            (free.saturating_mul(FREE) < self.frame_ns).then(|| {
                Misfit::new(
                    format!("{free} ns of {} without a window on core {core}", self.frame_ns),
                    "a hundredth or more: kernel threads run there, and everything that is in no table",
                    "plan by --method colored-refresh, which makes a table, or leave more of the core free",
                )
            })
        })
    }

    /// Names of its tasks, in the order of their first slots.
    pub fn tasks(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for slot in &self.slots {
            if !names.contains(&slot.task.as_str()) {
                names.push(&slot.task);
            }
        }
        names
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
        let mut text = format!("format = \"fresco-table/1\"\nframe_ns = {}\ntask = [\n", self.frame_ns);
        for name in self.tasks() {
            let group = cgroup(name).map_or_else(String::new, |group| format!(", cgroup = {}", quoted(&group)));
            _ = writeln!(text, "  {{ name = {}{group} }},", quoted(name));
        }
        text.push_str("]\nslot = [\n");
        for slot in &self.slots {
            _ = writeln!(
                text,
                "  {{ core = {}, start_ns = {}, length_ns = {}, task = {}{} }},",
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
