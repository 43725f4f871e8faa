// SPDX-License-Identifier: MIT OR Apache-2.0
//! The global table of color use (CAMC-4) and the choice of colors from it (CAMC-3, CAMC-5).

use crate::policy::Shortage;
use crate::pool::Keys;
use crate::{ColorSet, Memory, TaskId};
use std::collections::BTreeSet;

/// Which tasks have which bank color.
pub(crate) struct Usage {
    /// By bank color.
    users: Vec<BTreeSet<TaskId>>,
}

impl Usage {
    /// Nobody has any of `colors` colors.
    pub(crate) fn new(colors: u32) -> Self {
        Self {
            users: vec![BTreeSet::new(); colors as usize],
        }
    }

    /// A task has got colors.
    pub(crate) fn add(&mut self, task: TaskId, banks: &ColorSet) {
        for bank in banks.iter() {
            self.users[bank as usize].insert(task);
        }
    }

    /// A task has given colors back (CAMC-18).
    pub(crate) fn release(&mut self, task: TaskId, banks: &ColorSet) {
        for bank in banks.iter() {
            self.users[bank as usize].remove(&task);
        }
    }

    /// The tasks that have a color.
    pub(crate) fn users(&self, bank: u32) -> &BTreeSet<TaskId> {
        &self.users[bank as usize]
    }

    /// Returns true if no task has the color.
    pub(crate) fn is_unused(&self, bank: u32) -> bool {
        self.users[bank as usize].is_empty()
    }

    /// All colors that no task has.
    pub(crate) fn unused(&self) -> ColorSet {
        (0..self.users.len() as u32)
            .filter(|&bank| self.is_unused(bank))
            .collect()
    }
}

/// Where a task may have colors.
pub(crate) struct Demand<'a> {
    pub(crate) home_node: u32,
    /// Zones the task may use.
    pub(crate) zones: &'a [u32],
    /// LLC colors, one of which must exist together with the bank color.
    pub(crate) llc: Option<&'a ColorSet>,
    /// Colors it has already.
    pub(crate) has: &'a ColorSet,
}

impl Demand<'_> {
    fn allows(&self, keys: &Keys, bank: u32) -> bool {
        let space = keys.space();
        let exists = |llc: &ColorSet| llc.iter().any(|llc| space.pair_exists(bank, llc));
        !self.has.contains(bank)
            && keys.zones_of_bank(bank).any(|zone| self.zones.contains(&zone))
            && self.llc.is_none_or(exists)
    }
}

/// Chooses `count` bank colors: unused ones of the task's own node, lowest number first; then what `shortage` allows.
/// `None` if there are not enough.
pub(crate) fn choose(
    usage: &Usage,
    keys: &Keys,
    memory: &Memory,
    demand: &Demand<'_>,
    count: usize,
    shortage: Shortage,
) -> Option<ColorSet> {
    let nodes = memory.nearest_nodes(demand.home_node)?;
    let of_node = |node: u32| {
        (0..keys.space().bank_colors())
            .filter(move |&bank| keys.space().node_of_color(bank) == node && demand.allows(keys, bank))
    };
    let candidates: Vec<u32> = match shortage {
        Shortage::Refuse => of_node(nodes[0]).filter(|&bank| usage.is_unused(bank)).collect(),
        Shortage::Remote => nodes
            .iter()
            .flat_map(|&node| of_node(node))
            .filter(|&bank| usage.is_unused(bank))
            .collect(),
        Shortage::Share => {
            let mut local: Vec<u32> = of_node(nodes[0]).collect();
            local.sort_by_key(|&bank| (usage.users(bank).len(), bank));
            local
        }
    };
    (candidates.len() >= count).then(|| candidates.into_iter().take(count).collect())
}
