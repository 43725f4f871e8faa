// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cyclic executive inside a server (CRS-8): which job runs when, in slots that are known beforehand.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{JobList, ListError, Served};
use crate::executive::Bottleneck;
use crate::supply::{SlotTable, Supply};
use crate::task::{Task, hyperperiod};
use crate::time::{Time, lcm};

/// A job runs during `[start, end)` of every turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutiveSlot {
    /// First instant.
    pub start: Time,
    /// First instant after.
    pub end: Time,
    /// Number of the task.
    pub task: usize,
    /// k: the job released at `(φ + k p)` modulo the turn.
    pub job: u64,
}

/// A table for one server. [`check`](Self::check) proves it without trusting how it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerExecutive {
    /// The turn: least common multiple of the periods and the slots of the server.
    pub length: Time,
    /// Who runs when, by start.
    pub slots: Vec<ExecutiveSlot>,
}

/// Why a server has no cyclic executive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoExecutive {
    /// The turn is too long to write down.
    List(ListError),
    /// These jobs need more than the server gives them.
    Bottleneck(Bottleneck),
}

impl fmt::Display for NoExecutive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoExecutive::List(error) => error.fmt(f),
            NoExecutive::Bottleneck(bottleneck) => bottleneck.fmt(f),
        }
    }
}

impl std::error::Error for NoExecutive {}

impl From<ListError> for NoExecutive {
    fn from(error: ListError) -> Self {
        NoExecutive::List(error)
    }
}

/// Places every job of one turn into the slots of its server, earliest deadline first, which finds a table if there is one.
///
/// The slots are those of a top level with idling servers ([`server_tables`](crate::toplevel::server_tables)), a frame of aligned
/// refresh, or any others.
///
/// # Errors
/// The jobs that do not fit, or a turn beyond what is written down.
pub fn cyclic_executive(tasks: &[Task], table: &SlotTable) -> Result<ServerExecutive, NoExecutive> {
    let length = hyperperiod(tasks).and_then(|turn| lcm(turn, table.period()));
    let length = length.map_err(ListError::from)?;
    let list = JobList::of(tasks, length)?;
    match list.serve(table, None)? {
        Served::Met(slices) => {
            let slot = |slice: super::Slice| {
                let job = list.jobs()[slice.job];
                ExecutiveSlot {
                    start: slice.start,
                    end: slice.end,
                    task: job.task,
                    job: job.index,
                }
            };
            Ok(ServerExecutive {
                length,
                slots: slices.into_iter().map(slot).collect(),
            })
        }
        Served::Missed { deadline, .. } => {
            let shortage = list.shortage(table, deadline).ok_or(ListError::Overflow)?;
            let named = |&index: &usize| {
                let job = list.jobs()[index];
                (tasks[job.task].name.clone(), job.index)
            };
            Err(NoExecutive::Bottleneck(Bottleneck {
                jobs: shortage.jobs.iter().map(named).collect(),
                demand: Time::try_from(shortage.demand).map_err(|_| ListError::Overflow)?,
                room: shortage.room,
            }))
        }
        Served::Unsettled => Err(ListError::Overflow.into()),
    }
}
