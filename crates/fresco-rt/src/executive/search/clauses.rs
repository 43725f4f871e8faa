// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clauses with two watched literals, unit propagation, and what a conflict teaches (first unique implication point).

use super::literal::{Literal, Variable};
use super::trail::{Reason, Trail};

/// A set of clauses; each one's first two literals are watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clauses {
    clauses: Vec<Vec<Literal>>,
    watching: Vec<Vec<usize>>,
    propagated: usize,
}

/// What a conflict teaches: a clause whose first literal follows at a lower level.
pub(crate) struct Lesson {
    pub clause: Vec<Literal>,
    /// Level to return to.
    pub depth: usize,
    /// Variables that took part, once each.
    pub involved: Vec<Variable>,
}

impl Clauses {
    /// Adds a clause of at least two literals; the first two must be open, or be the last to become false.
    pub fn add(&mut self, clause: Vec<Literal>) -> usize {
        debug_assert!(clause.len() >= 2);
        let number = self.clauses.len();
        for literal in &clause[..2] {
            if self.watching.len() <= literal.index() {
                self.watching.resize(literal.index() + 1, Vec::new());
            }
            self.watching[literal.index()].push(number);
        }
        self.clauses.push(clause);
        number
    }

    /// After the trail lost its end.
    pub fn forget_beyond(&mut self, trail: &Trail) {
        self.propagated = self.propagated.min(trail.order().len());
    }

    /// Sets all that follows; the clause that became false, if one did.
    pub fn propagate(&mut self, trail: &mut Trail) -> Option<Vec<Literal>> {
        while let Some(&literal) = trail.order().get(self.propagated) {
            self.propagated += 1;
            let falsified = literal.negated().index();
            if falsified >= self.watching.len() {
                continue;
            }
            let watching = std::mem::take(&mut self.watching[falsified]);
            let mut kept = Vec::with_capacity(watching.len());
            let mut conflict = None;
            for &number in &watching {
                if conflict.is_some() || !self.visit(number, literal.negated(), trail, &mut conflict) {
                    kept.push(number);
                }
            }
            debug_assert!(self.watching[falsified].is_empty());
            self.watching[falsified] = kept;
            if let Some(number) = conflict {
                return Some(self.clauses[number].clone());
            }
        }
        None
    }

    /// Looks at a clause one of whose watched literals became false. True if another literal is watched now.
    fn visit(&mut self, number: usize, falsified: Literal, trail: &mut Trail, conflict: &mut Option<usize>) -> bool {
        let clause = &mut self.clauses[number];
        if clause[0] == falsified {
            clause.swap(0, 1);
        }
        if trail.is_true(clause[0]) {
            return false;
        }
        if let Some(other) = (2..clause.len()).find(|&k| !trail.is_false(clause[k])) {
            clause.swap(1, other);
            let watched = clause[1].index();
            if self.watching.len() <= watched {
                self.watching.resize(watched + 1, Vec::new());
            }
            self.watching[watched].push(number);
            return true;
        }
        if trail.is_false(clause[0]) {
            *conflict = Some(number);
        } else {
            trail.set(clause[0], Reason::Clause(number));
        }
        false
    }

    /// Resolves a false clause backwards until one literal of its latest level is left. `None` if the conflict holds at
    /// level 0. The trail must stand at the latest level of the clause.
    pub fn learn(&self, conflict: Vec<Literal>, trail: &Trail) -> Option<Lesson> {
        let depth = trail.depth();
        if depth == 0 {
            return None;
        }
        let mut seen = vec![false; trail.variables()];
        let mut involved = Vec::new();
        let mut lower: Vec<Literal> = Vec::new();
        let mut open = 0usize;
        let mut clause = conflict;
        let mut order = trail.order().iter().rev();
        let asserted = loop {
            for &literal in &clause {
                let variable = literal.variable();
                if seen[variable] || trail.level(variable) == 0 || !trail.is_false(literal) {
                    continue;
                }
                seen[variable] = true;
                involved.push(variable);
                if trail.level(variable) == depth {
                    open += 1;
                } else {
                    lower.push(literal);
                }
            }
            let literal = *order
                .find(|literal| seen[literal.variable()])
                .expect("the conflict has a literal here");
            open -= 1;
            if open == 0 {
                break literal.negated();
            }
            let reason = trail
                .reason(literal.variable())
                .expect("only the decision has no reason");
            clause = self.clauses[reason].clone();
        };
        lower.sort_by_key(|literal| std::cmp::Reverse(trail.level(literal.variable())));
        let depth = lower.first().map_or(0, |literal| trail.level(literal.variable()));
        let mut clause = vec![asserted];
        clause.append(&mut lower);
        Some(Lesson {
            clause,
            depth,
            involved,
        })
    }
}
