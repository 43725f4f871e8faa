// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why there is no plan, in words.

use std::fmt;

use super::super::bottleneck::Bottleneck;
use super::super::co_assign::NoAssignment;
use super::super::error::ProblemError;
use super::super::fusion::NoFusion;
use crate::patience::STOPPED;

/// Why there is no executive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// No color frame, no schedule, or no table, with or without colors.
    NoFrames(NoFusion),
    /// For every color frame (by number of colors), why no assignment of colors exists.
    NoColors(Vec<(usize, NoAssignment)>),
    /// Some search gave up; numbers of colors for which it did.
    OutOfBudget(Vec<usize>),
    /// The patience was over before there was a verdict.
    Stopped,
}

impl fmt::Display for NoPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPlan::NoFrames(reason) => reason.fmt(f),
            NoPlan::NoColors(reasons) => {
                for (number, (colors, reason)) in reasons.iter().enumerate() {
                    let semicolon = if number == 0 { "" } else { "; " };
                    write!(f, "{semicolon}with {colors} colors, {reason}")?;
                }
                Ok(())
            }
            NoPlan::Stopped => f.write_str(STOPPED),
            NoPlan::OutOfBudget(colors) => write!(f, "the search gave up with {colors:?} colors, without a verdict"),
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
