// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a co-assignment is, and why there may be none.

use std::fmt;

use super::super::bottleneck::Bottleneck;
use super::super::memory::MemoryShortage;
use super::super::placement::Placement;
use crate::time::Time;

/// A solution, with the work it took to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// `colors[i][a]`: colors of instance `a` of task `i`, ascending.
    pub colors: Vec<Vec<Vec<usize>>>,
    /// `memory[i][a][c]`: units of instance `a` of task `i` in color `c`.
    pub memory: Vec<Vec<Vec<u64>>>,
    /// Instance that each job runs on, in the order of [`super::super::Problem::jobs`].
    pub instance_of_job: Vec<usize>,
    /// For each job, the time of copying that its execution starts with; 0 for most.
    pub copying: Vec<Time>,
    /// For each task, the time of a copy; `None` if its jobs are independent or it has one instance.
    pub copy_cost: Vec<Option<Time>>,
    /// Where each job runs, copying included.
    pub placement: Placement,
}

/// What the search says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is one, and this is it.
    Found(Box<Assignment>),
    /// There is none, for this reason.
    Impossible(NoAssignment),
    /// The budget was used up.
    Unknown,
}

/// Why there is no co-assignment: the simplest reason that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAssignment {
    /// Not even without colors.
    Unschedulable(Bottleneck),
    /// Tasks with one instance that can stay away from no color, even if all others go where they like (F6b).
    NoAvoidableColor(Vec<Unavoidable>),
    /// Memory does not fit, even if each task with one instance had all colors it can avoid alone, and others all (F7).
    Memory {
        /// Names of the tasks in the shortage.
        tasks: Vec<String>,
        /// The shortage.
        shortage: MemoryShortage,
    },
    /// Together the choices exclude each other; holds the number of no-goods that prove it.
    Exhausted(u64),
}

/// A task that every color stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavoidable {
    /// Number of the task.
    pub task: usize,
    /// Its name.
    pub name: String,
    /// For each color, the jobs that no longer fit if the task stays away from it.
    pub without: Vec<Bottleneck>,
}

impl fmt::Display for NoAssignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAssignment::Unschedulable(bottleneck) => write!(f, "without any refresh: {bottleneck}"),
            NoAssignment::NoAvoidableColor(tasks) => {
                let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
                write!(
                    f,
                    "{} can stay away from no color while it is refreshed",
                    names.join(", ")
                )?;
                match tasks.first().and_then(|task| Some((&task.name, task.without.first()?))) {
                    Some((name, why)) => write!(f, " (if {name} avoids color 0, {why}): copies are needed"),
                    None => Ok(()),
                }
            }
            NoAssignment::Memory { tasks, shortage } => write!(
                f,
                "{} need {} units of memory, but the colors they can avoid, {:?}, hold {}",
                tasks.join(", "),
                shortage.needed,
                shortage.colors,
                shortage.room
            ),
            NoAssignment::Exhausted(no_goods) => {
                write!(
                    f,
                    "no choice of colors leaves room for all jobs: proved by {no_goods} no-goods"
                )
            }
        }
    }
}
