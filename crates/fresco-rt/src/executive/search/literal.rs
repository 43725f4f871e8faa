// SPDX-License-Identifier: MIT OR Apache-2.0
//! Propositional variables and literals of the co-assignment search.

/// A yes-or-no choice, numbered from 0.
pub(crate) type Variable = usize;

/// A variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal(usize);

impl Literal {
    pub fn yes(variable: Variable) -> Self {
        Literal(variable << 1)
    }

    pub fn no(variable: Variable) -> Self {
        Literal(variable << 1 | 1)
    }

    pub fn variable(self) -> Variable {
        self.0 >> 1
    }

    pub fn is_yes(self) -> bool {
        self.0 & 1 == 0
    }

    pub fn negated(self) -> Self {
        Literal(self.0 ^ 1)
    }

    /// A number for tables: 2v or 2v + 1.
    pub fn index(self) -> usize {
        self.0
    }
}
