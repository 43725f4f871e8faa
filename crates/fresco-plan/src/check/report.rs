// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a check found.

use serde::Serialize;
use std::fmt;

/// The facts that hold, and what is worth knowing besides.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckReport {
    /// What was verified, one sentence each.
    pub facts: Vec<String>,
    /// What holds but should be known: limits of the standard that are left, phases that proofs rest on.
    pub warnings: Vec<String>,
    /// Longest time that any row waits for its refresh; `None` if nothing is refreshed.
    pub longest_row_gap_ns: Option<u64>,
    /// Longest time between two refresh commands of a rank.
    pub longest_command_gap_ns: Option<u64>,
}

/// The first fact that does not hold, in words: where, what was found, what must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Part of the plan, as a path of fields.
    pub place: String,
    /// What is wrong.
    pub fact: String,
}

impl Violation {
    /// A fact about `place` that does not hold.
    pub(super) fn new(place: impl Into<String>, fact: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            fact: fact.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fact)
    }
}

impl std::error::Error for Violation {}

/// Returns with a violation unless the fact holds. (In braces, so that the formatter leaves one fact on one line.)
macro_rules! holds {
    { $fact:expr, $place:expr, $($words:tt)+ } => {
        if !$fact { return Err($crate::check::report::Violation::new($place, format!($($words)+))); }
    };
}
pub(super) use holds;
