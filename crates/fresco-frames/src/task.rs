// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the allocator knows of a task.

use crate::pool::{KeySet, Keys};
use crate::{ColorSet, Placement, WorkSummary};
use fresco_dram::ColorSpace;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A task, as the operating system names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub u32);

impl TaskId {
    /// The owner of what the kernel holds for itself: boot allocations and blocks from
    /// [`crate::Frames::alloc_order`]. It cannot be registered.
    pub const KERNEL: Self = Self(u32::MAX);
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::KERNEL => f.write_str("the kernel"),
            Self(number) => write!(f, "task {number}"),
        }
    }
}

/// Which colors a task gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coloring {
    /// None: the buddy system serves it, whatever the policy (CAMC-15: tasks that nobody asked to color).
    #[default]
    Off,
    /// These colors. Other tasks may have them too: that is how bank sharing is made on purpose.
    Explicit {
        /// Bank colors; `None` for all.
        banks: Option<ColorSet>,
        /// LLC colors; `None` for all.
        llc: Option<ColorSet>,
    },
    /// Bank colors of the task's node that no other task uses, chosen by the allocator (CAMC-3); more when they are used
    /// up (CAMC-5).
    Automatic {
        /// Colors at the start; at least 1 (CAMC-6).
        colors: u32,
        /// LLC colors; `None` for all.
        llc: Option<ColorSet>,
    },
}

impl Coloring {
    /// What CAMC gives a task of which nothing else is said: one color, more on demand (CAMC-6).
    pub fn automatic() -> Self {
        Self::Automatic { colors: 1, llc: None }
    }
}

/// What a task needs of the allocator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskMemory {
    /// Node of the core that the task is pinned to.
    pub home_node: u32,
    /// Nodes that its frames come from.
    pub placement: Placement,
    /// Colors.
    pub coloring: Coloring,
    /// Most frames it may hold at once (PAL-6: a memory cgroup's limit); `None` for no limit.
    pub limit: Option<u64>,
    /// Row domains that its frames lie in, whatever its colors, of those that [`crate::Memory::set_apart`] knows; `None` for the memory
    /// that is everybody's.
    pub rows: Option<ColorSet>,
}

impl TaskMemory {
    /// An uncolored task that gets memory of its own node first.
    pub fn local(home_node: u32) -> Self {
        Self {
            home_node,
            placement: Placement::Local,
            coloring: Coloring::Off,
            limit: None,
            rows: None,
        }
    }

    /// The same with explicit bank colors.
    #[must_use]
    pub fn with_banks(mut self, banks: ColorSet) -> Self {
        self.coloring = Coloring::Explicit {
            banks: Some(banks),
            llc: None,
        };
        self
    }

    /// The same with `colors` bank colors of the allocator's choice.
    #[must_use]
    pub fn automatic(mut self, colors: u32) -> Self {
        self.coloring = Coloring::Automatic { colors, llc: None };
        self
    }
}

/// The colors that a task has at present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Bank colors; empty for an uncolored task.
    pub banks: ColorSet,
    /// LLC colors; `None` for all.
    pub llc: Option<ColorSet>,
    /// Of the bank colors, those on other nodes than the task's.
    pub remote: ColorSet,
    /// Of the bank colors, those that other tasks have too.
    pub shared: ColorSet,
}

impl Assignment {
    /// Its bank colors, but of a task that has LLC colors alone, and so all bank colors, only those with pages of an LLC color of its.
    pub fn banks_with_pages(&self, space: &ColorSpace) -> ColorSet {
        match &self.llc {
            Some(llc) if self.banks.len() == space.bank_colors() as usize => {
                let has_page = |bank: &u32| llc.iter().any(|llc| space.pair_exists(*bank, llc));
                self.banks.iter().filter(has_page).collect()
            }
            _ => self.banks.clone(),
        }
    }
}

/// What a task has asked for and got. Counts frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskStats {
    /// Frames it holds now.
    pub held: u64,
    /// Frames from other nodes than its own.
    pub remote: u64,
    /// Frames outside its colors, because these were used up ([`crate::Exhaustion::Spill`]).
    pub spilled: u64,
    /// Bank colors added because the earlier ones were used up (CAMC-5).
    pub grown: u64,
    /// Cost of allocating.
    pub alloc: WorkSummary,
    /// Cost of freeing.
    pub free: WorkSummary,
}

/// A registered task.
#[derive(Clone)]
pub(crate) struct Task {
    pub(crate) id: TaskId,
    /// Its lists.
    pub(crate) slot: u32,
    pub(crate) memory: TaskMemory,
    /// Zones in the order in which they are asked.
    pub(crate) zones: Vec<u32>,
    /// So many of the first zones take turns at being asked first; at least 1.
    pub(crate) turns: usize,
    /// The parts of the memory that its zones are of, ascending.
    pub(crate) parts: Vec<u32>,
    /// Bank colors; empty for an uncolored task.
    pub(crate) banks: ColorSet,
    /// What `banks` and the LLC colors amount to.
    pub(crate) keys: KeySet,
    /// Frames it holds by bank color; shorter than the colors where the last ones have none.
    pub(crate) pages: Vec<u64>,
    pub(crate) stats: TaskStats,
}

impl Task {
    /// Returns true if the task is colored.
    pub(crate) fn is_colored(&self) -> bool {
        self.memory.coloring != Coloring::Off
    }

    /// Gives it these bank colors. A `blind` task searches zones that have none of them too.
    pub(crate) fn set_banks(&mut self, keys: &Keys, banks: ColorSet, blind: bool) {
        let wanted = keys.of_colors(&self.parts, &banks, self.llc());
        self.keys = KeySet::new(keys, &wanted, &self.zones, blind);
        self.banks = banks;
    }

    /// The next request asks another of the zones that take turns first; the others follow in their order.
    pub(crate) fn take_turn(&mut self) {
        self.zones[..self.turns].rotate_left(1);
    }

    /// It holds one more frame of a bank color.
    pub(crate) fn add_page(&mut self, bank: u32) {
        let bank = bank as usize;
        if self.pages.len() <= bank {
            self.pages.resize(bank + 1, 0);
        }
        self.pages[bank] += 1;
    }

    /// It holds one less, of those that it held.
    pub(crate) fn remove_page(&mut self, bank: u32) {
        self.pages[bank as usize] -= 1;
    }

    /// Its LLC colors; `None` for all.
    pub(crate) fn llc(&self) -> Option<&ColorSet> {
        match &self.memory.coloring {
            Coloring::Off => None,
            Coloring::Explicit { llc, .. } | Coloring::Automatic { llc, .. } => llc.as_ref(),
        }
    }
}
