// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why there is no plan, in words.

use serde::Serialize;
use std::fmt;

/// What stands in the way of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The machine lacks what the method needs: ranks, commands, colors that pages can have.
    Machine,
    /// The method is not for such tasks: their form, not their load.
    Form,
    /// The tasks do not fit: time or memory.
    Load,
    /// A search ended without a verdict, or a table would be too long.
    Undecided,
    /// A search has tried as many candidates as it may, and there are others.
    Open,
    /// Whoever waited for a verdict does so no longer: the time was over, or the user has asked for an end.
    Stopped,
}

/// Why a method has no plan for a task set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// What stands in the way.
    pub kind: Kind,
    /// The reason: what was found, against what is needed.
    pub reason: String,
}

impl Refusal {
    /// The machine lacks something.
    pub fn machine(reason: impl Into<String>) -> Self {
        Self::new(Kind::Machine, reason)
    }

    /// The tasks are not of the method's kind.
    pub fn form(reason: impl Into<String>) -> Self {
        Self::new(Kind::Form, reason)
    }

    /// The tasks do not fit.
    pub fn load(reason: impl Into<String>) -> Self {
        Self::new(Kind::Load, reason)
    }

    /// No verdict.
    pub fn undecided(reason: impl Into<String>) -> Self {
        Self::new(Kind::Undecided, reason)
    }

    /// No verdict after so many partitions, for this reason none so far.
    pub fn open(tried: usize, reason: impl fmt::Display) -> Self {
        Self::new(Kind::Open, format!("not decided after {tried} partitions: {reason}"))
    }

    /// A search gave up.
    pub fn gave_up(reason: impl Into<String>) -> Self {
        Self::new(Kind::Open, reason)
    }

    /// Whether there may be a plan all the same.
    pub fn is_open(&self) -> bool {
        matches!(self.kind, Kind::Open | Kind::Stopped)
    }

    /// No verdict, as nobody waits for it any more.
    pub fn stopped(reason: impl Into<String>) -> Self {
        Self::new(Kind::Stopped, reason)
    }

    fn new(kind: Kind, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { kind, reason }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Refusal {}

impl From<fresco_rt::Overflow> for Refusal {
    fn from(error: fresco_rt::Overflow) -> Self {
        Self::undecided(error.to_string())
    }
}
