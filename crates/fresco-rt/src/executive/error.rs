// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a cyclic executive cannot even be posed.

use std::fmt;

use super::problem::{MAX_CORES, MAX_ENTRIES, MAX_PAIRS};
use crate::time::{Overflow, Time};

/// Input for which there is no table to look for. Infeasible task sets are no errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemError {
    /// The task set is empty.
    NoTasks,
    /// There is no core.
    NoCores,
    /// More cores than [`MAX_CORES`].
    TooManyCores {
        /// As given; for a partition, one more than the highest number.
        cores: usize,
    },
    /// The partition has another number of entries than there are tasks.
    PartitionOfOthers {
        /// Entries of the partition.
        entries: usize,
        /// Tasks of the set.
        tasks: usize,
    },
    /// The scheduling frame does not divide the color frame.
    FrameOutsideColorFrame {
        /// As given.
        frame: Time,
        /// f' of the rotation.
        color_frame: Time,
    },
    /// More jobs and color frames in one turn than [`MAX_ENTRIES`].
    TableTooLong {
        /// L.
        length: Time,
        /// Jobs and color frames in it.
        entries: u64,
    },
    /// More pairs of job and cell than [`MAX_PAIRS`].
    TooManyPairs {
        /// How many there are.
        pairs: usize,
    },
    /// A list has not one entry for each task, or each color.
    WrongCount {
        /// What is listed.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries needed.
        needed: usize,
    },
    /// A task is to have no instance, or more than the rotation has colors.
    Instances {
        /// Name of the task.
        task: String,
        /// As given.
        instances: usize,
        /// Colors there are.
        colors: usize,
    },
    /// Times beyond 64 bits.
    Overflow(Overflow),
}

impl From<Overflow> for ProblemError {
    fn from(overflow: Overflow) -> Self {
        ProblemError::Overflow(overflow)
    }
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemError::NoTasks => f.write_str("there is no task; a table needs at least one"),
            ProblemError::NoCores => f.write_str("there is no core; a table needs at least one"),
            ProblemError::TooManyCores { cores } => {
                write!(f, "{cores} cores were given, at most {MAX_CORES} are allowed")
            }
            ProblemError::PartitionOfOthers { entries, tasks } => {
                write!(
                    f,
                    "the partition names the cores of {entries} tasks, the set has {tasks}"
                )
            }
            ProblemError::FrameOutsideColorFrame { frame, color_frame } => {
                write!(
                    f,
                    "the scheduling frame {frame} does not divide the color frame {color_frame}"
                )
            }
            ProblemError::TableTooLong { length, entries } => write!(
                f,
                "a table of length {length} has {entries} jobs and color frames, at most {MAX_ENTRIES} are allowed: \
                 choose periods with a smaller least common multiple"
            ),
            ProblemError::TooManyPairs { pairs } => write!(
                f,
                "the table has {pairs} pairs of a job and a stretch of time it may use, at most {MAX_PAIRS} are allowed: \
                 choose periods with a smaller least common multiple"
            ),
            ProblemError::WrongCount { what, found, needed } => {
                write!(f, "{found} entries of {what} were given, {needed} are needed")
            }
            ProblemError::Instances {
                task,
                instances,
                colors,
            } => {
                write!(
                    f,
                    "task {task} is to have {instances} instances; with {colors} colors 1 to {colors} are possible"
                )
            }
            ProblemError::Overflow(overflow) => overflow.fmt(f),
        }
    }
}

impl std::error::Error for ProblemError {}
