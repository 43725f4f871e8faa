// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why antipodal copies do not apply, in words.

use std::fmt;

use super::super::bottleneck::Bottleneck;
use super::super::error::ProblemError;
use crate::time::Time;

/// Why antipodal copies do not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAntipodal {
    /// The number of colors is odd; [`super::super::CoAssign`] takes any number of instances and colors (F13).
    OddColors(usize),
    /// A window may meet both colors: `D ≤ R/2 − B` fails.
    WindowTooLong {
        /// Name of the task.
        task: String,
        /// Its deadline.
        deadline: Time,
        /// R/2 − B.
        limit: Time,
    },
    /// Jobs hand data on, and no whole window need fit between the two bursts: `p + D ≤ R/2 − B` fails.
    NoTimeToSwitch {
        /// Name of the task.
        task: String,
        /// Its period and deadline together.
        reach: Time,
        /// R/2 − B.
        limit: Time,
    },
    /// A task's memory fits no pair of opposite colors beside the others', which were placed largest first.
    NoRoom {
        /// Name of the task.
        task: String,
        /// Units it needs in both colors.
        needed: u64,
    },
    /// The jobs with their copies do not fit the processor.
    Unschedulable(Bottleneck),
    /// Input that makes no question.
    Problem(ProblemError),
}

impl fmt::Display for NotAntipodal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAntipodal::OddColors(colors) => {
                write!(f, "{colors} colors have no opposites: an even number is needed")
            }
            NotAntipodal::WindowTooLong { task, deadline, limit } => {
                write!(
                    f,
                    "{task}: a window of {deadline} may meet both of its colors; at most {limit} cannot"
                )
            }
            NotAntipodal::NoTimeToSwitch { task, reach, limit } => write!(
                f,
                "{task}: period and deadline, {reach}, exceed {limit}: no job is sure to fit between the refreshes of \
                 its two colors to copy data"
            ),
            NotAntipodal::NoRoom { task, needed } => {
                write!(f, "{task}: no two opposite colors have {needed} units of memory left")
            }
            NotAntipodal::Unschedulable(bottleneck) => write!(f, "with its copies: {bottleneck}"),
            NotAntipodal::Problem(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotAntipodal {}
