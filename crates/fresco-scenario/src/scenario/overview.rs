// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a tool that changes scenarios needs to know of one.

use super::{Role, Scenario};
use fresco_dram::ColorSpace;
use fresco_machine::Machine;
use std::sync::Arc;

/// The only point of a scenario.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Its machine, with the scenario's own values.
    pub machine: Machine,
    /// The machine's colors.
    pub space: Arc<ColorSpace>,
    /// Its tasks, in the order of the file.
    pub tasks: Vec<TaskOverview>,
    /// The keys of `[policy]` with their values in TOML.
    pub policy: Vec<(String, String)>,
}

/// A task of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOverview {
    /// Name.
    pub name: String,
    /// Measured or background.
    pub role: Role,
    /// A core for each of its copies.
    pub cores: Vec<u32>,
    /// Its copies are threads of one program.
    pub is_team: bool,
    /// It has jobs and deadlines.
    pub is_periodic: bool,
    /// Keys of its own that say which memory it gets.
    pub placement: Vec<String>,
}

/// Keys of a task that say which memory it gets.
const PLACEMENT: [&str; 6] = ["banks", "banks_each", "llc", "colors", "placement", "nodes"];

impl Scenario {
    /// The point of a scenario without sweep; `None` if it has several.
    #[must_use]
    pub fn overview(&self) -> Option<Overview> {
        let [point] = self.points.as_slice() else { return None };
        let setup = &point.setup;
        let root = setup.document.root();
        let tables = root.array_of_tables("task").unwrap_or_default();
        let tasks = std::iter::zip(&setup.tasks, &tables).map(|(task, table)| TaskOverview {
            name: task.name.clone(),
            role: task.role,
            cores: task.cores.clone(),
            is_team: task.program.as_ref().is_some_and(|program| program.kind().is_team()) && task.cores.len() > 1,
            is_periodic: task.timing.is_some(),
            placement: table
                .keys()
                .filter(|key| PLACEMENT.contains(key))
                .map(str::to_owned)
                .collect(),
        });
        let policy = root.opt_table("policy").ok().flatten();
        let leaves = policy.and_then(|policy| policy.leaves("").ok()).unwrap_or_default();
        Some(Overview {
            machine: setup.machine.clone(),
            space: Arc::clone(&setup.space),
            tasks: tasks.collect(),
            policy: leaves.into_iter().map(|(key, item)| (key, item.to_toml())).collect(),
        })
    }
}
