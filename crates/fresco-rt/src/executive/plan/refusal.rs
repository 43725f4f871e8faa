// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why there is no plan, in words.

use std::fmt;

use super::super::bottleneck::Bottleneck;
use super::super::co_assign::NoAssignment;
use super::super::error::ProblemError;
use super::super::fusion::NoFusion;

/// Why there is no executive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// No colour frame, no schedule, or no table, with or without colours.
    NoFrames(NoFusion),
    /// For every colour frame (by number of colours), why no assignment of colours exists.
    NoColors(Vec<(usize, NoAssignment)>),
    /// Some search gave up; numbers of colours for which it did.
    OutOfBudget(Vec<usize>),
}

impl fmt::Display for NoPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPlan::NoFrames(reason) => reason.fmt(f),
            NoPlan::NoColors(reasons) => {
                for (number, (colors, reason)) in reasons.iter().enumerate() {
                    let semicolon = if number == 0 { "" } else { "; " };
                    write!(f, "{semicolon}with {colors} colours, {reason}")?;
                }
                Ok(())
            }
            NoPlan::OutOfBudget(colors) => write!(f, "the search gave up with {colors:?} colours, without a verdict"),
        }
    }
}

impl std::error::Error for NoPlan {}

impl From<ProblemError> for NoPlan {
    fn from(error: ProblemError) -> Self {
        NoPlan::NoFrames(NoFusion::Problem(error))
    }
}

impl From<Bottleneck> for NoPlan {
    fn from(bottleneck: Bottleneck) -> Self {
        NoPlan::NoFrames(NoFusion::Unschedulable(bottleneck))
    }
}
