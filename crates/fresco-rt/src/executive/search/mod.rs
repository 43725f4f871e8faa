// SPDX-License-Identifier: MIT OR Apache-2.0
//! Search with no-goods: conflict-driven clause learning over a theory that says whether the choices so far can stand.
//!
//! The theory here is a pair of network flows, and a no-good is a minimum cut of one of them. The search knows nothing of
//! that: it decides, propagates, learns a clause from every conflict and jumps back to where the clause bites. It ends,
//! because no clause is learned twice, and it is exact: it finds an assignment iff there is one.

mod clauses;
mod literal;
mod trail;

pub(super) use clauses::Clauses;
pub(super) use literal::{Literal, Variable};
pub(super) use trail::{Reason, Trail};

use crate::patience::{Patience, Progress};

/// What decides whether a partial assignment can stand. Clauses it gives must follow from the theory alone.
pub(super) trait Theory {
    /// The literal holds from now on.
    fn follow(&mut self, literal: Literal);
    /// The literal, the latest that was followed and not undone, no longer holds.
    fn undo(&mut self, literal: Literal);
    /// A clause of literals that are all false now, if what was followed cannot stand.
    fn conflict(&mut self, trail: &Trail) -> Option<Vec<Literal>>;
    /// The next literal to try; `None` if what holds, with everything open left out, is a solution.
    fn choose(&mut self, trail: &Trail) -> Option<Literal>;
    /// The variable took part in a conflict.
    fn blame(&mut self, variable: Variable);
}

/// How much work a search was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Decisions taken: nodes of the search tree.
    pub nodes: u64,
    /// Conflicts met, each of which taught a no-good.
    pub no_goods: u64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Found,
    Impossible,
    OutOfBudget,
    Stopped,
}

/// Clauses and values of one search.
#[derive(Default)]
pub(super) struct Search {
    pub trail: Trail,
    clauses: Clauses,
    followed: usize,
    contradiction: bool,
    pub effort: Effort,
}

impl Search {
    pub fn variable(&mut self) -> Variable {
        self.trail.add_variable()
    }

    /// Demands that one of the literals hold. Only before [`Search::run`].
    pub fn require(&mut self, clause: &[Literal]) {
        if clause.iter().any(|&literal| self.trail.is_true(literal)) {
            return;
        }
        let open: Vec<Literal> = clause
            .iter()
            .copied()
            .filter(|&literal| !self.trail.is_false(literal))
            .collect();
        match open.as_slice() {
            [] => self.contradiction = true,
            [literal] => self.trail.set(*literal, Reason::Free),
            _ => {
                self.clauses.add(open);
            }
        }
    }

    /// Searches until a solution, a proof that there is none, or `most_no_goods` conflicts.
    pub fn run(&mut self, theory: &mut impl Theory, most_no_goods: u64, patience: Patience<'_>) -> Ending {
        if self.contradiction {
            return Ending::Impossible;
        }
        let mut restarts = 0u64;
        let mut until_restart = RESTART_UNIT;
        loop {
            let at = Progress {
                what: "no-goods",
                done: self.effort.no_goods,
                most: most_no_goods,
            };
            if patience.is_over(at) {
                return Ending::Stopped;
            }
            if let Some(conflict) = self.propagate(theory) {
                self.effort.no_goods += 1;
                if self.effort.no_goods > most_no_goods {
                    return Ending::OutOfBudget;
                }
                if !self.learn(conflict, theory) {
                    return Ending::Impossible;
                }
                until_restart -= 1;
                if until_restart == 0 {
                    restarts += 1;
                    until_restart = RESTART_UNIT * luby(restarts);
                    self.return_to(0, theory);
                }
            } else if let Some(literal) = theory.choose(&self.trail) {
                self.effort.nodes += 1;
                self.trail.begin_level();
                self.trail.set(literal, Reason::Free);
            } else {
                return Ending::Found;
            }
        }
    }

    fn propagate(&mut self, theory: &mut impl Theory) -> Option<Vec<Literal>> {
        if let Some(conflict) = self.clauses.propagate(&mut self.trail) {
            return Some(conflict);
        }
        while let Some(&literal) = self.trail.order().get(self.followed) {
            theory.follow(literal);
            self.followed += 1;
        }
        theory.conflict(&self.trail)
    }

    /// Learns from a false clause; false if that proves that there is no solution.
    fn learn(&mut self, conflict: Vec<Literal>, theory: &mut impl Theory) -> bool {
        let latest = conflict
            .iter()
            .map(|literal| self.trail.level(literal.variable()))
            .max()
            .unwrap_or(0);
        self.return_to(latest, theory);
        let Some(lesson) = self.clauses.learn(conflict, &self.trail) else {
            return false;
        };
        lesson.involved.iter().for_each(|&variable| theory.blame(variable));
        self.return_to(lesson.depth, theory);
        let asserted = lesson.clause[0];
        let reason = if lesson.clause.len() > 1 {
            Reason::Clause(self.clauses.add(lesson.clause))
        } else {
            Reason::Free
        };
        self.trail.set(asserted, reason);
        true
    }

    fn return_to(&mut self, depth: usize, theory: &mut impl Theory) {
        let taken = self.trail.return_to(depth);
        let kept = self.trail.order().len();
        let unfollowed = kept + taken.len() - self.followed.max(kept);
        taken
            .into_iter()
            .skip(unfollowed)
            .for_each(|literal| theory.undo(literal));
        self.followed = self.followed.min(kept);
        self.clauses.forget_beyond(&self.trail);
    }
}

/// Conflicts between restarts, times the Luby sequence.
const RESTART_UNIT: u64 = 64;

/// 1, 1, 2, 1, 1, 2, 4, …: the sequence of Luby, Sinclair and Zuckerman from number 1 on.
fn luby(number: u64) -> u64 {
    let mut rest = number;
    loop {
        let size = (rest + 1).next_power_of_two();
        if size == rest + 1 {
            return size / 2;
        }
        rest -= size / 2 - 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A theory without opinion: decides every variable, no first.
    struct Anything;

    impl Theory for Anything {
        fn follow(&mut self, _: Literal) {}
        fn undo(&mut self, _: Literal) {}
        fn conflict(&mut self, _: &Trail) -> Option<Vec<Literal>> {
            None
        }
        fn choose(&mut self, trail: &Trail) -> Option<Literal> {
            (0..trail.variables())
                .find(|&variable| trail.is_open(variable))
                .map(Literal::no)
        }
        fn blame(&mut self, _: Variable) {}
    }

    #[test]
    fn luby_sequence() {
        assert_eq!(
            (1..=15).map(luby).collect::<Vec<_>>(),
            [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, rng_seed: proptest::test_runner::RngSeed::Fixed(2), ..ProptestConfig::default() })]

        /// Random clauses over eight variables: satisfiable iff one of the 256 assignments satisfies them.
        #[test]
        fn agrees_with_a_truth_table(
            clauses in prop::collection::vec(prop::collection::vec((0usize..8, any::<bool>()), 1..4), 0..45),
        ) {
            let mut search = Search::default();
            for _ in 0..8 {
                search.variable();
            }
            for clause in &clauses {
                let literals: Vec<Literal> = clause
                    .iter()
                    .map(|&(variable, yes)| if yes { Literal::yes(variable) } else { Literal::no(variable) })
                    .collect();
                search.require(&literals);
            }
            let satisfied = |bits: u32| {
                clauses.iter().all(|clause| clause.iter().any(|&(variable, yes)| (bits >> variable & 1 == 1) == yes))
            };
            let possible = (0..256).any(satisfied);
            let ending = search.run(&mut Anything, u64::MAX, Patience::ENDLESS);
            prop_assert_eq!(ending, if possible { Ending::Found } else { Ending::Impossible });
            if possible {
                let bits = (0..8).filter(|&variable| search.trail.holds(variable)).map(|variable| 1 << variable).sum();
                prop_assert!(satisfied(bits));
            }
        }
    }
}
