// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparing distances, and collecting those that are too short.

use super::{CommandRecord, Constraint};
use fresco_dram::Cycle;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// A command that came too early, or to a bank in the wrong state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule.
    pub constraint: Constraint,
    /// The earlier command of the pair; `None` if the rule needs none (a bank that was never opened).
    pub earlier: Option<CommandRecord>,
    /// The command at fault.
    pub later: CommandRecord,
    /// Least distance in cycles; 0 for rules on state.
    pub required: Cycle,
    /// Distance in cycles; 0 for rules on state.
    pub found: Cycle,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.constraint.name(), self.later)?;
        if let Some(earlier) = &self.earlier {
            write!(f, " after {earlier}")?;
        }
        if self.required > 0 {
            write!(f, ": {} cycles, at least {}", self.found, self.required)?;
        }
        Ok(())
    }
}

/// All violations counted, the first of them kept.
#[derive(Clone)]
pub(super) struct Findings {
    keep: usize,
    pub kept: Vec<Violation>,
    pub counts: BTreeMap<Constraint, u64>,
}

impl Findings {
    pub fn new(keep: usize) -> Self {
        Self {
            keep,
            kept: Vec::new(),
            counts: BTreeMap::new(),
        }
    }

    /// `later` must come at least `required` cycles after `earlier`.
    #[inline]
    pub fn distance(
        &mut self,
        constraint: Constraint,
        earlier: Option<CommandRecord>,
        later: &CommandRecord,
        required: Cycle,
    ) {
        let Some(before) = earlier else { return };
        let found = later.cycle.saturating_sub(before.cycle);
        if found < required {
            self.add(Violation {
                constraint,
                earlier,
                later: *later,
                required,
                found,
            });
        }
    }

    /// `later` must not come at all.
    pub fn fault(&mut self, constraint: Constraint, earlier: Option<CommandRecord>, later: &CommandRecord) {
        self.add(Violation {
            constraint,
            earlier,
            later: *later,
            required: 0,
            found: 0,
        });
    }

    #[cold]
    fn add(&mut self, violation: Violation) {
        *self.counts.entry(violation.constraint).or_default() += 1;
        if self.kept.len() < self.keep {
            self.kept.push(violation);
        }
    }
}
