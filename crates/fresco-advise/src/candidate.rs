// SPDX-License-Identifier: MIT OR Apache-2.0
//! A partition of the machine, and what makes a scenario of it.

use super::pick::{Given, pick};
use super::reservations::{Reserved, by_core};
use fresco_dram::color::format_list;
use fresco_system::{Overview, TaskOverview};
use serde::Serialize;
use std::collections::BTreeMap;

/// Colors that one task has for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Slice {
    /// Bank colors.
    pub banks: Vec<u32>,
    /// LLC colors.
    pub llc: Vec<u32>,
}

/// How much each task has for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Amount {
    /// Bank colors on each of the task's nodes; 0: shares those that nobody has for itself.
    pub banks: u32,
    /// LLC colors; 0: shares those that nobody has for itself.
    pub llc: u32,
}

/// A partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Candidate {
    /// What each task with a goal has for itself, by name.
    pub amounts: BTreeMap<String, Amount>,
    /// Bandwidth reserved for the core of each copy of the tasks with goals; `None` without budgets.
    pub reserved: Option<Reserved>,
    /// The colors, chosen for these amounts.
    pub slices: BTreeMap<String, Slice>,
    /// Share of the machine's banks and cache colors, and of the bandwidth that a controller guarantees, that is set aside:
    /// the mean of the three, 0 to 1.
    pub cost: f64,
}

/// Keys of `[policy]` that a partition leaves as they are.
const KEPT: [&str; 5] = ["scheduler", "context_switch", "boot", "occupied", "per_cpu"];

impl Candidate {
    /// Chooses colors for the amounts; `None` if the machine has not so many. `guaranteed` is the bandwidth that a
    /// controller guarantees, in bytes per second.
    pub fn new(
        overview: &Overview,
        amounts: BTreeMap<String, Amount>,
        reserved: Option<Reserved>,
        guaranteed: u64,
    ) -> Option<Self> {
        let space = &overview.space;
        let mut given = Given::default();
        let mut slices: BTreeMap<String, Slice> = BTreeMap::new();
        for (name, amount) in &amounts {
            let task = overview.tasks.iter().find(|task| task.name == *name)?;
            let mut whole = Slice::default();
            for (place, node) in nodes(overview, task).into_iter().enumerate() {
                // The cache colors of the first node serve on all: a task has one set of them.
                let llc = if place == 0 { amount.llc } else { 0 };
                let slice = pick(space, node, amount.banks, llc, &mut given)?;
                whole.banks.extend(slice.banks);
                whole.llc.extend(slice.llc);
            }
            whole.banks.sort_unstable();
            slices.insert(name.clone(), whole);
        }
        let part = |count: usize, all: u32| count as f64 / f64::from(all);
        let banks = part(
            slices.values().map(|slice| slice.banks.len()).sum(),
            space.bank_colors(),
        );
        let llc = part(slices.values().map(|slice| slice.llc.len()).sum(), space.llc_colors());
        let bandwidth = reserved.as_ref().map_or(0.0, |reserved| {
            let sum: u64 = by_core(overview, reserved).values().sum();
            sum as f64 / (guaranteed * u64::from(overview.machine.topology.nodes())) as f64
        });
        let candidate = Self {
            amounts,
            reserved,
            slices,
            cost: (banks + llc + bandwidth) / 3.0,
        };
        let serves = |task: &TaskOverview| task.cores.iter().all(|core| candidate.serves(overview, task, *core));
        overview.tasks.iter().all(serves).then_some(candidate)
    }

    /// The values that a scenario gets, as `--set` takes them.
    pub fn overrides(&self, overview: &Overview) -> Vec<String> {
        let is_colored = self
            .slices
            .values()
            .any(|slice| !slice.banks.is_empty() || !slice.llc.is_empty());
        let frames = if is_colored { "camc" } else { "buddy" };
        let mut overrides = vec![policy(overview, frames, self.reserved.is_some())];
        for task in &overview.tasks {
            if is_colored {
                overrides.extend(self.colors(overview, task));
            }
            if let Some(bytes) = self.reserved.as_ref().and_then(|reserved| reserved.get(&task.name)) {
                overrides.push(format!("task.{}.reserve=\"{bytes} B/s\"", task.name));
                overrides.push(format!("task.{}.reservation=\"hard\"", task.name));
            }
        }
        overrides
    }

    /// Returns true if there is memory for a task on a core: a bank and a cache color that exist together.
    fn serves(&self, overview: &Overview, task: &TaskOverview, core: u32) -> bool {
        let llc = self.llc(overview, task);
        let exists = |bank: &u32| llc.iter().any(|&llc| overview.space.pair_exists(*bank, llc));
        self.banks(overview, task, core).iter().any(exists)
    }

    /// The banks of a task on a core: its own, or those of the node that nobody has for itself.
    fn banks(&self, overview: &Overview, task: &TaskOverview, core: u32) -> Vec<u32> {
        let own = self.slices.get(&task.name).filter(|slice| !slice.banks.is_empty());
        let node = overview.machine.topology.node_of_core[core as usize];
        let of_node = (0..overview.space.bank_colors()).filter(|&bank| overview.space.node_of_color(bank) == node);
        let fits = |bank: &u32| match own {
            Some(own) => own.banks.contains(bank),
            None => !self.slices.values().any(|slice| slice.banks.contains(bank)),
        };
        of_node.filter(fits).collect()
    }

    /// The cache colors of a task: its own, or those that nobody has for itself.
    fn llc(&self, overview: &Overview, task: &TaskOverview) -> Vec<u32> {
        match self.slices.get(&task.name).filter(|slice| !slice.llc.is_empty()) {
            Some(own) => own.llc.clone(),
            None => (0..overview.space.llc_colors())
                .filter(|llc| !self.slices.values().any(|slice| slice.llc.contains(llc)))
                .collect(),
        }
    }

    /// The keys that give a task its colors.
    fn colors(&self, overview: &Overview, task: &TaskOverview) -> Vec<String> {
        let banks_of = |core: &u32| format!("{:?}", format_list(&self.banks(overview, task, *core)));
        let mut keys = vec![banks_key(task, banks_of)];
        if self.slices.values().any(|slice| !slice.llc.is_empty()) {
            keys.push(format!(
                "task.{}.llc={:?}",
                task.name,
                format_list(&self.llc(overview, task))
            ));
        }
        keys
    }
}

/// The key that gives the copies of a task their banks: one for all, where all have the same.
pub fn banks_key(task: &TaskOverview, of_core: impl FnMut(&u32) -> String) -> String {
    let each: Vec<String> = task.cores.iter().map(of_core).collect();
    match each.iter().all(|banks| *banks == each[0]) {
        true => format!("task.{}.banks={}", task.name, each[0]),
        false => format!("task.{}.banks_each=[{}]", task.name, each.join(", ")),
    }
}

/// Keys of the scenario's own `[policy]` that stay.
fn kept(overview: &Overview) -> Vec<String> {
    let stays = |(key, _): &&(String, String)| KEPT.contains(&key.as_str());
    let kept = overview.policy.iter().filter(stays);
    kept.map(|(key, value)| format!("{key} = {value}")).collect()
}

/// `[policy]` of a run, as `--set` takes it: what is kept of the scenario's, an allocator, and MemGuard if cores are regulated.
pub fn policy(overview: &Overview, frames: &str, is_regulated: bool) -> String {
    let mut policy = kept(overview);
    policy.push(format!("frames = {frames:?}"));
    if is_regulated {
        policy.push("bandwidth = \"memguard\"".to_owned());
    }
    format!("policy={{ {} }}", policy.join(", "))
}

/// The nodes of a task's cores, each once, ascending.
pub fn nodes(overview: &Overview, task: &TaskOverview) -> Vec<u32> {
    let node = |core: &u32| overview.machine.topology.node_of_core[*core as usize];
    let mut nodes: Vec<u32> = task.cores.iter().map(node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

impl Candidate {
    /// Nothing is set aside.
    pub fn is_none(&self) -> bool {
        self.reserved.is_none() && self.amounts.values().all(|amount| *amount == Amount::default())
    }
}
