// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copy tasks under the Colored Refresh Server (CRS-11, CRS-20): an instance in each of two servers, and a table that fixes at
//! release which of them a job uses.
//!
//! [`assign_instances`] makes the table: a job uses the color that is not locked in its window, and data are copied where
//! that changes, by a job in whose window neither color is locked (F10, F11). [`copies_test`] tests a pair of servers with
//! such tasks, exactly for known phases; [`servers_with_copies`] finds a pair, [`partition_for_phases`] one without copies.

mod accept;
mod instances;
mod phases;
mod search;
mod windows;

pub use accept::{CopyError, CopyVerdict, copies_test};
pub use instances::{
    Instance, InstanceTable, MAX_JOBS, NoInstances, Switch, assign_instances, least_gap, switches_twice,
};
pub use phases::partition_for_phases;
pub use search::{FoundWithCopies, ServerSearch, servers_with_copies, waits_for_locks};

use crate::task::Task;
use crate::time::Time;

/// A task with an instance in each color.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyTask {
    /// The task; its execution time is without copies.
    pub task: Task,
    /// c: time to copy its data from one instance to the other, with the cold caches that follow (F12). Charged to the jobs
    /// that switch.
    pub copy_cost: Time,
}
