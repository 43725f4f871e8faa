// SPDX-License-Identifier: MIT OR Apache-2.0
//! A budget belongs to a core, whatever task runs on it: what the tasks of each core ask for together.

use super::Asked;
use crate::scenario::task::Task;
use crate::scenario::{Copy, error_at};
use fresco_input::InputError;
use fresco_machine::Machine;

/// What is asked for a core.
pub(super) struct AskedCore {
    /// Its number.
    pub number: u32,
    /// Node of the memory of its tasks.
    pub node: u32,
    /// The names of its tasks.
    pub name: String,
    /// The place of the task that says what it reserves, or of its first one.
    pub place: InputError,
    pub asked: Asked,
}

/// The cores that have tasks, in the order in which the file names them.
///
/// # Errors
/// Two tasks of a core ask for different budgets, or for memory of different nodes.
pub(super) fn of(machine: &Machine, tasks: &[Task], copies: &[Copy]) -> Result<Vec<AskedCore>, InputError> {
    let mut cores: Vec<AskedCore> = Vec::new();
    for copy in copies {
        let task = &tasks[copy.task];
        let node = task.node.unwrap_or(machine.topology.node_of_core[copy.core as usize]);
        match cores.iter_mut().find(|core| core.number == copy.core) {
            Some(core) => core.join(task, copy, node)?,
            None => cores.push(AskedCore {
                number: copy.core,
                node,
                name: copy.name.clone(),
                place: task.place.clone(),
                asked: task.bandwidth,
            }),
        }
    }
    Ok(cores)
}

impl AskedCore {
    /// One more task of the core.
    fn join(&mut self, task: &Task, copy: &Copy, node: u32) -> Result<(), InputError> {
        let (now, more) = (&mut self.asked, &task.bandwidth);
        let differs = match () {
            () if node != self.node => Some("node"),
            () if differ(now.reserve, more.reserve) => Some("reserve"),
            () if differ(now.kind, more.kind) => Some("reservation"),
            () if differ(now.weight, more.weight) => Some("weight"),
            () => None,
        };
        if let Some(key) = differs {
            let found = format!(
                "found another {key} than that of {}, on core {}",
                self.name, self.number
            );
            let error = error_at(&task.place, found).in_field(format!("{}.{key}", task.place.field));
            return Err(error
                .allowed("one budget for each core, of one controller, whatever task runs on it")
                .help("write it at one of the core's tasks, or at all of them the same"));
        }
        if now.reserve.is_none() && more.reserve.is_some() {
            self.place = task.place.clone();
        }
        now.reserve = now.reserve.or(more.reserve);
        now.kind = now.kind.or(more.kind);
        now.weight = now.weight.or(more.weight);
        self.name = format!("{} + {}", self.name, copy.name);
        Ok(())
    }
}

/// Returns true if both say something, and not the same.
fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one != other)
}
