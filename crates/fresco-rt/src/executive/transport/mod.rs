// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transportation networks: rows that supply, columns that take, edges between them.
//!
//! Two questions of Colored Refresh have this shape: jobs into cells of time (F4) and task memory into colors (F7).
//! The flow survives changes: an edge can be closed and opened, a supply raised and lowered, and [`Transport::solve`]
//! repairs what there is instead of starting over. A search that tries one restriction after another lives from this.

use std::collections::BTreeSet;
use std::ops::Range;

mod dinic;
#[cfg(test)]
mod tests;

const UNREACHED: u32 = u32::MAX;

/// One way from a row to a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    row: u32,
    column: u32,
    pub capacity: u64,
    pub flow: u64,
    pub open: bool,
}

impl Edge {
    pub fn row(&self) -> usize {
        self.row as usize
    }

    pub fn column(&self) -> usize {
        self.column as usize
    }
}

/// A network and a flow in it. Invariant: flows on open edges only, none above a capacity, a supply or what a column takes.
#[derive(Clone, Debug)]
pub(crate) struct Transport {
    supply: Vec<u64>,
    routed: Vec<u64>,
    capacity: Vec<u64>,
    used: Vec<u64>,
    edges: Vec<Edge>,
    /// The edges of each row, which follow each other.
    of_row: Vec<Range<u32>>,
    /// The edges of each column that carry flow, ascending: few of all that there are.
    carrying: Vec<Vec<u32>>,
    /// Rows that do not deliver all their supply.
    deficient: BTreeSet<usize>,
    // Scratch of one Dinic phase: distance from a row in deficit, and the next edge to try: of a row its place, of a column its number.
    row_level: Vec<u32>,
    column_level: Vec<u32>,
    row_next: Vec<u32>,
    column_next: Vec<u32>,
    /// Rows and columns with a distance: all that a phase has to set back.
    seen_rows: Vec<u32>,
    seen_columns: Vec<u32>,
}

impl Transport {
    pub fn new(supply: Vec<u64>, capacity: Vec<u64>) -> Self {
        let (rows, columns) = (supply.len(), capacity.len());
        let short = |(row, &supply): (usize, &u64)| (supply > 0).then_some(row);
        Transport {
            deficient: supply.iter().enumerate().filter_map(short).collect(),
            supply,
            routed: vec![0; rows],
            capacity,
            used: vec![0; columns],
            edges: Vec::new(),
            of_row: vec![0..0; rows],
            carrying: vec![Vec::new(); columns],
            row_level: vec![UNREACHED; rows],
            column_level: vec![UNREACHED; columns],
            row_next: vec![0; rows],
            column_next: vec![0; columns],
            seen_rows: Vec::new(),
            seen_columns: Vec::new(),
        }
    }

    /// Adds an open edge and returns its number; edges are numbered from 0 in the order they come, those of a row in a row.
    pub fn connect(&mut self, row: usize, column: usize, capacity: u64) -> usize {
        let edge = self.edges.len();
        let number = u32::try_from(edge).expect("far fewer edges than 2^32");
        let of_row = &mut self.of_row[row];
        if of_row.start == of_row.end {
            *of_row = number..number;
        }
        assert_eq!(of_row.end, number, "the edges of a row follow each other");
        of_row.end += 1;
        self.edges.push(Edge {
            row: row as u32,
            column: column as u32,
            capacity,
            flow: 0,
            open: true,
        });
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
        self.numbers_of_row(row).map(|edge| (edge, &self.edges[edge]))
    }

    fn numbers_of_row(&self, row: usize) -> Range<usize> {
        let Range { start, end } = self.of_row[row];
        start as usize..end as usize
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
        self.deficient.is_empty()
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
        self.note(row);
    }

    pub fn lower_supply(&mut self, row: usize, by: u64) {
        self.supply[row] -= by;
        let mut excess = self.routed[row].saturating_sub(self.supply[row]);
        for edge in self.numbers_of_row(row) {
            let step = excess.min(self.edges[edge].flow);
            self.retract(edge, step);
            excess -= step;
        }
        debug_assert_eq!(excess, 0);
        self.note(row);
    }

    fn retract(&mut self, edge: usize, amount: u64) {
        if amount == 0 {
            return;
        }
        let (row, column) = (self.edges[edge].row(), self.edges[edge].column());
        self.take(edge, amount);
        self.routed[row] -= amount;
        self.used[column] -= amount;
        self.note(row);
    }

    /// More flow on an edge; the ends do not know.
    fn give(&mut self, edge: usize, amount: u64) {
        let Edge { column, flow, .. } = &mut self.edges[edge];
        if *flow == 0 {
            let carrying = &mut self.carrying[*column as usize];
            let place = carrying.partition_point(|&other| (other as usize) < edge);
            carrying.insert(place, edge as u32);
        }
        *flow += amount;
    }

    /// Less flow on an edge; the ends do not know.
    fn take(&mut self, edge: usize, amount: u64) {
        let Edge { column, flow, .. } = &mut self.edges[edge];
        *flow -= amount;
        if *flow == 0 {
            let carrying = &mut self.carrying[*column as usize];
            let place = carrying.partition_point(|&other| (other as usize) < edge);
            carrying.remove(place);
        }
    }

    /// Notes whether the row delivers all its supply.
    fn note(&mut self, row: usize) {
        match self.routed[row] == self.supply[row] {
            true => self.deficient.remove(&row),
            false => self.deficient.insert(row),
        };
    }
}
