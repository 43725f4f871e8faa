// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a minimum cut to a no-good: which choices, together, leave too little room (F8).

use std::collections::BTreeMap;

use super::super::search::{Literal, Trail, Variable};
use super::super::transport::Transport;

/// No variable closes the edge.
pub(super) const NO_CAUSE: u32 = u32::MAX;

/// Which variable closed an edge, or raised the supply of a row (by being true).
pub(super) struct Causes {
    /// For each edge, the variable that closes it; [`NO_CAUSE`] if none does.
    pub of_edge: Vec<u32>,
    /// For each row, the variable that raises its supply, and by how much.
    pub of_row: Vec<Option<(Variable, u64)>>,
}

/// A choice that tightens the cut: the edges it took from it and the supply it added.
#[derive(Default)]
struct Candidate {
    edges: Vec<usize>,
    supply: u64,
}

impl Causes {
    /// A clause that the cut implies and that is false now: at least one of the choices that tighten it must be taken back.
    ///
    /// The rows in the cut supply more than they can deliver, by some excess. A choice is left out of the clause as long as
    /// all that are left out together would give back less than the excess; the latest choices go first, so that the search
    /// jumps back as far as it can.
    pub fn explain(&self, network: &mut Transport, row: usize, trail: &Trail) -> Vec<Literal> {
        let cut = network.cut_from(row);
        let mut candidates: Vec<(Variable, Candidate)> = Vec::new();
        let mut number_of = BTreeMap::new();
        let mut excess: i128 = 0;
        for (row, _) in cut.rows.iter().enumerate().filter(|(_, reached)| **reached) {
            excess += i128::from(network.supply(row));
            let mut add = |variable: Variable, edge: Option<usize>, supply: u64| {
                let number = *number_of.entry(variable).or_insert(candidates.len());
                if number == candidates.len() {
                    candidates.push((variable, Candidate::default()));
                }
                candidates[number].1.edges.extend(edge);
                candidates[number].1.supply += supply;
            };
            for (number, edge) in network
                .edges_of_row(row)
                .filter(|(_, edge)| !cut.columns[edge.column()])
            {
                if edge.open {
                    excess -= i128::from(edge.capacity);
                } else {
                    debug_assert_ne!(self.of_edge[number], NO_CAUSE, "a closed edge has a cause");
                    add(self.of_edge[number] as Variable, Some(number), 0);
                }
            }
            if let Some((variable, supply)) = self.of_row[row].filter(|&(variable, _)| trail.holds(variable)) {
                add(variable, None, supply);
            }
        }
        for (column, _) in cut.columns.iter().enumerate().filter(|(_, reached)| **reached) {
            excess -= i128::from(network.capacity(column));
        }
        debug_assert!(excess > 0, "a cut proves the deficit");

        candidates.retain(|&(variable, _)| trail.level(variable) > 0);
        candidates.sort_by_key(|&(variable, _)| std::cmp::Reverse((trail.level(variable), variable)));
        let mut given_back: Vec<u64> = vec![0; cut.columns.len()];
        let mut clause = Vec::new();
        for (variable, candidate) in candidates {
            let mut gain = i128::from(candidate.supply);
            let mut before: Vec<(usize, u64)> = Vec::with_capacity(candidate.edges.len());
            for &number in &candidate.edges {
                let edge = network.edge(number);
                let given = &mut given_back[edge.column()];
                before.push((edge.column(), *given));
                let now = given.saturating_add(edge.capacity).min(network.capacity(edge.column()));
                gain += i128::from(now - *given);
                *given = now;
            }
            if gain < excess {
                excess -= gain;
            } else {
                before
                    .into_iter()
                    .rev()
                    .for_each(|(column, given)| given_back[column] = given);
                // What it is now is what tightens.
                clause.push(if trail.holds(variable) {
                    Literal::no(variable)
                } else {
                    Literal::yes(variable)
                });
            }
        }
        clause
    }
}
