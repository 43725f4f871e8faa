// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where memory lies: colors as sets of ranks, and whether they hold what is in them.

use super::plan::{Plan, Schedule};
use super::{Harm, bit};
use std::collections::BTreeMap;

impl Plan {
    /// The ranks of a color, a bit each.
    pub fn ranks_of(&self, color: usize) -> u64 {
        self.colors[color]
            .ranks
            .iter()
            .fold(0, |ranks, &rank| ranks | bit(rank as usize))
    }

    /// Colors in which an instance of a task has memory, a bit each; of memory without colors bit 0.
    pub fn colors_of(&self, task: usize, instance: usize) -> u64 {
        match self.tasks[task].instances.get(instance) {
            None => 1,
            Some(bytes) => bytes
                .iter()
                .enumerate()
                .filter(|(_, bytes)| **bytes > 0)
                .fold(0, |all, (color, _)| all | bit(color)),
        }
    }

    /// Ranks in which an instance of a task has memory, a bit each.
    pub fn touched(&self, task: usize, instance: usize) -> u64 {
        if self.colors.is_empty() {
            return u64::MAX;
        }
        let colors = self.colors_of(task, instance);
        (0..self.colors.len())
            .filter(|&color| colors & bit(color) != 0)
            .fold(0, |all, color| all | self.ranks_of(color))
    }
}

/// What is wrong with the memory of instances and colors.
pub fn held(plan: &Plan) -> Option<Harm> {
    let mut used = vec![0u128; plan.colors.len()];
    for (number, task) in plan.tasks.iter().enumerate() {
        let mut some = task.instances.is_empty();
        for (instance, bytes) in task.instances.iter().enumerate() {
            let sum: u128 = bytes.iter().map(|&bytes| u128::from(bytes)).sum();
            let by_table = match &plan.schedule {
                Schedule::Table { table, .. } => table
                    .slots
                    .iter()
                    .any(|slot| slot.task == number && slot.instance == instance),
                _ => false,
            };
            let runs = by_table || task.instance_of_job.contains(&instance) || task.instances.len() == 1;
            if runs && sum < u128::from(task.memory_bytes) {
                return Some(Harm::Memory(format!(
                    "instance {instance} of {} has {sum} bytes",
                    task.name
                )));
            }
            some |= runs;
            used.iter_mut()
                .zip(bytes)
                .for_each(|(used, &bytes)| *used += u128::from(bytes));
        }
        if !some && task.period_ns > 0 {
            return Some(Harm::Memory(format!("{} has no memory", task.name)));
        }
    }
    let over = used
        .iter()
        .zip(&plan.colors)
        .position(|(&used, color)| used > u128::from(color.bytes));
    over.map(|color| Harm::Memory(format!("color {color} holds {} bytes", used[color])))
}

/// The ranks of each bank color, as a sound plan tells them: each list of colors names those of its ranks.
pub fn truth(sound: &Plan) -> BTreeMap<u64, u64> {
    let mut ranks = BTreeMap::new();
    for (number, color) in sound.colors.iter().enumerate() {
        for bank in list(&color.bank_colors).unwrap_or_default() {
            ranks.insert(bank, sound.ranks_of(number));
        }
    }
    ranks
}

/// Numbers in a list such as `0-3,8`.
pub fn list(text: &str) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        all.extend(from.trim().parse().ok()?..=to.trim().parse::<u64>().ok()?);
    }
    Some(all)
}

/// Pages that lie in other ranks than their color has, or belong to two colors.
pub fn astray(plan: &Plan, truth: &BTreeMap<u64, u64>) -> Option<Harm> {
    let mut owners: BTreeMap<u64, usize> = BTreeMap::new();
    for (number, color) in plan.colors.iter().enumerate() {
        for bank in list(&color.bank_colors)? {
            let inside = truth
                .get(&bank)
                .is_some_and(|ranks| ranks & !plan.ranks_of(number) == 0);
            if !inside || owners.insert(bank, number).is_some() {
                return Some(Harm::Memory(format!("bank color {bank} of color {number}")));
            }
        }
    }
    None
}
