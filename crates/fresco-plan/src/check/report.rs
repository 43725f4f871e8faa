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
    /// What could not be looked at to its end, though nothing wrong was found in it. Empty for a plan that is sound.
    pub unverified: Vec<Unverified>,
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

/// A part of a plan that is too long to be looked at: neither that it holds nor that it does not was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unverified {
    /// Part of the plan, as a path of fields.
    pub place: String,
    /// What is too long, and the limit.
    pub limit: String,
    /// What gives a plan that can be verified.
    pub way_out: String,
}

/// Why a plan is not called sound.
#[derive(Clone, Debug, PartialEq)]
pub enum Objection {
    /// It is not: the first fact that does not hold.
    Violated(Violation),
    /// All that could be looked at holds, but some is too long: [`CheckReport::unverified`] says what.
    Unverifiable(CheckReport),
}

impl Objection {
    /// The fact that does not hold, if one was found.
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Self::Violated(violation) => Some(violation),
            Self::Unverifiable(_) => None,
        }
    }
}

impl From<Violation> for Objection {
    fn from(violation: Violation) -> Self {
        Self::Violated(violation)
    }
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Violated(violation) => violation.fmt(f),
            Self::Unverifiable(report) => {
                let parts: Vec<String> = report.unverified.iter().map(Unverified::to_string).collect();
                f.write_str(&parts.join("; "))
            }
        }
    }
}

impl std::error::Error for Objection {}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.limit, self.way_out)
    }
}

/// Why a part of a check ends early.
pub(super) enum Stop {
    Violated(Violation),
    TooLong(Unverified),
}

impl Stop {
    /// `place` is too long to be looked at: `limit` says what is, and how long it may be.
    pub fn too_long(place: impl Into<String>, limit: impl Into<String>) -> Self {
        Self::TooLong(Unverified {
            place: place.into(),
            limit: limit.into(),
            way_out: "choose periods with a smaller least common multiple, with each other and with the retention time, or a method whose \
                      proof holds for sporadic tasks"
                .to_owned(),
        })
    }
}

impl From<Violation> for Stop {
    fn from(violation: Violation) -> Self {
        Self::Violated(violation)
    }
}

impl From<Stop> for Objection {
    fn from(stop: Stop) -> Self {
        let unverified = |part| CheckReport {
            unverified: vec![part],
            ..CheckReport::default()
        };
        match stop {
            Stop::Violated(violation) => Self::Violated(violation),
            Stop::TooLong(part) => Self::Unverifiable(unverified(part)),
        }
    }
}

impl CheckReport {
    /// Notes what was too long, so that the rest is looked at all the same: a fact that does not hold counts more.
    ///
    /// # Errors
    /// The fact that does not hold.
    pub(super) fn go_on<T>(&mut self, part: Result<T, Stop>) -> Result<Option<T>, Violation> {
        match part {
            Ok(found) => Ok(Some(found)),
            Err(Stop::Violated(violation)) => Err(violation),
            Err(Stop::TooLong(part)) => {
                if !self.unverified.contains(&part) {
                    self.unverified.push(part);
                }
                Ok(None)
            }
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
        if !$fact { return Err($crate::check::report::Violation::new($place, format!($($words)+)).into()); }
    };
}
pub(super) use holds;
