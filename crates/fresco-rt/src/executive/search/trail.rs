// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values chosen so far, in order, each with the level of its decision and the clause that forced it.

use super::literal::{Literal, Variable};

/// Why a literal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Chosen, or given from the start.
    Free,
    /// The other literals of this clause are false.
    Clause(usize),
}

/// Partial assignment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    value: Vec<Option<bool>>,
    level: Vec<usize>,
    reason: Vec<Option<usize>>,
    order: Vec<Literal>,
    level_starts: Vec<usize>,
}

impl Trail {
    pub fn add_variable(&mut self) -> Variable {
        self.value.push(None);
        self.level.push(0);
        self.reason.push(None);
        self.value.len() - 1
    }

    pub fn variables(&self) -> usize {
        self.value.len()
    }

    pub fn is_true(&self, literal: Literal) -> bool {
        self.value[literal.variable()] == Some(literal.is_yes())
    }

    pub fn is_false(&self, literal: Literal) -> bool {
        self.value[literal.variable()] == Some(!literal.is_yes())
    }

    pub fn is_open(&self, variable: Variable) -> bool {
        self.value[variable].is_none()
    }

    /// True if the variable is set, and set to yes.
    pub fn holds(&self, variable: Variable) -> bool {
        self.value[variable] == Some(true)
    }

    /// Number of decisions in force.
    pub fn depth(&self) -> usize {
        self.level_starts.len()
    }

    /// Level of the decision at which the variable got its value; 0 for what holds without any.
    pub fn level(&self, variable: Variable) -> usize {
        self.level[variable]
    }

    pub fn reason(&self, variable: Variable) -> Option<usize> {
        self.reason[variable]
    }

    pub fn order(&self) -> &[Literal] {
        &self.order
    }

    pub fn begin_level(&mut self) {
        self.level_starts.push(self.order.len());
    }

    pub fn set(&mut self, literal: Literal, reason: Reason) {
        let variable = literal.variable();
        debug_assert!(self.value[variable].is_none());
        self.value[variable] = Some(literal.is_yes());
        self.level[variable] = self.depth();
        self.reason[variable] = match reason {
            Reason::Free => None,
            Reason::Clause(clause) => Some(clause),
        };
        self.order.push(literal);
    }

    /// Takes back all that was set after level `depth`; returns it, latest first.
    pub fn return_to(&mut self, depth: usize) -> Vec<Literal> {
        if depth >= self.depth() {
            return Vec::new();
        }
        let mut taken = self.order.split_off(self.level_starts[depth]);
        self.level_starts.truncate(depth);
        for literal in &taken {
            self.value[literal.variable()] = None;
        }
        taken.reverse();
        taken
    }
}
