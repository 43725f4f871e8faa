// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a co-assignment is, and why there may be none.

use std::fmt;

use super::super::bottleneck::Bottleneck;
use super::super::placement::Placement;
use crate::time::Time;

/// A solution, with the work it took to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// `colors[i][a]`: colours of instance `a` of task `i`, ascending.
    pub colors: Vec<Vec<Vec<usize>>>,
    /// `memory[i][a][c]`: units of instance `a` of task `i` in colour `c`.
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

/// Why there is no co-assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAssignment {
    /// Not even without colours.
    Unschedulable(Bottleneck),
    /// All choices are excluded by so many no-goods, none of which is short enough to print.
    Excluded {
        /// No-goods learned.
        no_goods: u64,
        /// Tasks with one instance that can avoid no colour at all, even alone: copies are needed for them.
        without_color: Vec<String>,
    },
}

impl fmt::Display for NoAssignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAssignment::Unschedulable(bottleneck) => write!(f, "without any refresh: {bottleneck}"),
            NoAssignment::Excluded {
                no_goods,
                without_color,
            } if without_color.is_empty() => {
                write!(
                    f,
                    "no choice of colours leaves room for all jobs: proved by {no_goods} no-goods"
                )
            }
            NoAssignment::Excluded { without_color, .. } => write!(
                f,
                "{} can stay away from no colour while it is refreshed: give it a second instance",
                without_color.join(", ")
            ),
        }
    }
}
