// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transportation networks: rows that supply, columns that take, edges between them.
//!
//! Two questions of Colored Refresh have this shape: jobs into cells of time (F4) and task memory into colors (F7).
//! The flow survives changes: an edge can be closed and opened, a supply raised and lowered, and [`Transport::solve`]
//! repairs what there is instead of starting over. A search that tries one restriction after another lives from this.

mod dinic;
#[cfg(test)]
mod tests;

const UNREACHED: u32 = u32::MAX;

/// One way from a row to a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub row: usize,
    pub column: usize,
    pub capacity: u64,
    pub flow: u64,
    pub open: bool,
}

/// A network and a flow in it. Invariant: flows on open edges only, none above a capacity, a supply or what a column takes.
#[derive(Clone, Debug)]
pub(crate) struct Transport {
    supply: Vec<u64>,
    routed: Vec<u64>,
    capacity: Vec<u64>,
    used: Vec<u64>,
    edges: Vec<Edge>,
    of_row: Vec<Vec<usize>>,
    of_column: Vec<Vec<usize>>,
    // Scratch of one Dinic phase: distance from a row in deficit, and the next edge to try.
    row_level: Vec<u32>,
    column_level: Vec<u32>,
    row_next: Vec<usize>,
    column_next: Vec<usize>,
}

impl Transport {
    pub fn new(supply: Vec<u64>, capacity: Vec<u64>) -> Self {
        let (rows, columns) = (supply.len(), capacity.len());
        Transport {
            supply,
            routed: vec![0; rows],
            capacity,
            used: vec![0; columns],
            edges: Vec::new(),
            of_row: vec![Vec::new(); rows],
            of_column: vec![Vec::new(); columns],
            row_level: vec![UNREACHED; rows],
            column_level: vec![UNREACHED; columns],
            row_next: vec![0; rows],
            column_next: vec![0; columns],
        }
    }

    /// Adds an open edge and returns its number; edges are numbered from 0 in the order they come.
    pub fn connect(&mut self, row: usize, column: usize, capacity: u64) -> usize {
        let edge = self.edges.len();
        self.edges.push(Edge {
            row,
            column,
            capacity,
            flow: 0,
            open: true,
        });
        self.of_row[row].push(edge);
        self.of_column[column].push(edge);
        edge
    }

    pub fn edge(&self, edge: usize) -> &Edge {
        &self.edges[edge]
    }

    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub fn rows(&self) -> usize {
        self.supply.len()
    }

    pub fn edges_of_row(&self, row: usize) -> impl Iterator<Item = (usize, &Edge)> {
        self.of_row[row].iter().map(|&edge| (edge, &self.edges[edge]))
    }

    pub fn supply(&self, row: usize) -> u64 {
        self.supply[row]
    }

    pub fn capacity(&self, column: usize) -> u64 {
        self.capacity[column]
    }

    pub fn used(&self, column: usize) -> u64 {
        self.used[column]
    }

    /// What the row cannot deliver in the present flow.
    pub fn missing(&self, row: usize) -> u64 {
        self.supply[row] - self.routed[row]
    }

    /// Sum of the flow. Never overflows: it is at most the sum of supplies, which callers keep within 64 bits.
    pub fn total(&self) -> u64 {
        self.routed.iter().sum()
    }

    pub fn complete(&self) -> bool {
        self.routed == self.supply
    }

    /// Closes an edge; its flow returns to its row.
    pub fn close(&mut self, edge: usize) {
        let flow = self.edges[edge].flow;
        self.retract(edge, flow);
        self.edges[edge].open = false;
    }

    pub fn open(&mut self, edge: usize) {
        self.edges[edge].open = true;
    }

    pub fn raise_supply(&mut self, row: usize, by: u64) {
        self.supply[row] += by;
    }

    pub fn lower_supply(&mut self, row: usize, by: u64) {
        self.supply[row] -= by;
        let mut excess = self.routed[row].saturating_sub(self.supply[row]);
        for k in 0..self.of_row[row].len() {
            let edge = self.of_row[row][k];
            let step = excess.min(self.edges[edge].flow);
            self.retract(edge, step);
            excess -= step;
        }
        debug_assert_eq!(excess, 0);
    }

    fn retract(&mut self, edge: usize, amount: u64) {
        let Edge { row, column, .. } = self.edges[edge];
        self.edges[edge].flow -= amount;
        self.routed[row] -= amount;
        self.used[column] -= amount;
    }
}
