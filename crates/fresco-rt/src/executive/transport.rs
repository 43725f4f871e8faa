// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transportation networks: rows that supply, columns that take, edges between them; maximum flow by Dinic's blocking flows.
//!
//! Two questions of Colored Refresh have this shape: jobs into cells of time (F4) and task memory into colours (F7).
//! The flow survives changes: an edge can be closed and opened, a supply raised and lowered, and [`Transport::solve`]
//! repairs what there is instead of starting over. A search that tries one restriction after another lives from this.

use std::collections::VecDeque;

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

/// The source side of a cut: rows that can deliver no more, and the columns, all full, they reach.
pub(crate) struct Cut {
    pub rows: Vec<bool>,
    pub columns: Vec<bool>,
}

#[derive(Clone, Copy)]
enum Node {
    Row(usize),
    Column(usize),
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

    /// Raises the flow to a maximum; true if every row then delivers all its supply.
    pub fn solve(&mut self) -> bool {
        while !self.complete() {
            let sources: Vec<usize> = (0..self.supply.len()).filter(|&row| self.missing(row) > 0).collect();
            if !self.find_levels(&sources) {
                return false;
            }
            self.row_next.fill(0);
            self.column_next.fill(0);
            for row in sources {
                while self.missing(row) > 0 && self.push_from(row) {}
            }
        }
        true
    }

    /// The part of the residual network that the row in deficit reaches after [`Transport::solve`]: a cut that proves
    /// the deficit.
    pub fn cut_from(&mut self, row: usize) -> Cut {
        let reached_sink = self.find_levels(&[row]);
        debug_assert!(
            !reached_sink && self.missing(row) > 0,
            "a cut needs a maximum flow and a deficit"
        );
        Cut {
            rows: self.row_level.iter().map(|&level| level != UNREACHED).collect(),
            columns: self.column_level.iter().map(|&level| level != UNREACHED).collect(),
        }
    }

    /// Breadth-first distances in the residual network; true if a column with room is reached.
    fn find_levels(&mut self, sources: &[usize]) -> bool {
        self.row_level.fill(UNREACHED);
        self.column_level.fill(UNREACHED);
        let mut queue: VecDeque<Node> = VecDeque::new();
        for &row in sources {
            self.row_level[row] = 0;
            queue.push_back(Node::Row(row));
        }
        let mut sink_level = UNREACHED;
        while let Some(node) = queue.pop_front() {
            match node {
                Node::Row(row) => {
                    let level = self.row_level[row] + 1;
                    for &edge in &self.of_row[row] {
                        let Edge {
                            column,
                            capacity,
                            flow,
                            open,
                            ..
                        } = self.edges[edge];
                        if open && flow < capacity && self.column_level[column] == UNREACHED {
                            self.column_level[column] = level;
                            queue.push_back(Node::Column(column));
                        }
                    }
                }
                Node::Column(column) => {
                    let level = self.column_level[column] + 1;
                    if self.used[column] < self.capacity[column] {
                        sink_level = sink_level.min(level);
                    }
                    if level >= sink_level {
                        continue; // only shortest ways count
                    }
                    for &edge in &self.of_column[column] {
                        let Edge { row, flow, .. } = self.edges[edge];
                        if flow > 0 && self.row_level[row] == UNREACHED {
                            self.row_level[row] = level;
                            queue.push_back(Node::Row(row));
                        }
                    }
                }
            }
        }
        sink_level != UNREACHED
    }

    /// Pushes flow along one shortest way from the row to a column with room; false if the phase has none left.
    fn push_from(&mut self, source: usize) -> bool {
        let mut way: Vec<usize> = Vec::new(); // edges, taken forwards and backwards in turn
        let mut node = Node::Row(source);
        loop {
            match node {
                Node::Row(row) => {
                    if let Some(&edge) = self.of_row[row].get(self.row_next[row]) {
                        let Edge {
                            column,
                            capacity,
                            flow,
                            open,
                            ..
                        } = self.edges[edge];
                        if open && flow < capacity && self.column_level[column] == self.row_level[row] + 1 {
                            way.push(edge);
                            node = Node::Column(column);
                        } else {
                            self.row_next[row] += 1;
                        }
                    } else if let Some(edge) = way.pop() {
                        let column = self.edges[edge].column;
                        self.column_next[column] += 1;
                        node = Node::Column(column);
                    } else {
                        return false;
                    }
                }
                Node::Column(column) => {
                    if self.used[column] < self.capacity[column] {
                        self.augment(source, column, &way);
                        return true;
                    }
                    if let Some(&edge) = self.of_column[column].get(self.column_next[column]) {
                        let Edge { row, flow, .. } = self.edges[edge];
                        if flow > 0 && self.row_level[row] == self.column_level[column] + 1 {
                            way.push(edge);
                            node = Node::Row(row);
                        } else {
                            self.column_next[column] += 1;
                        }
                    } else {
                        let edge = way.pop().expect("a column is entered by an edge");
                        let row = self.edges[edge].row;
                        self.row_next[row] += 1;
                        node = Node::Row(row);
                    }
                }
            }
        }
    }

    fn augment(&mut self, source: usize, column: usize, way: &[usize]) {
        let room = self.missing(source).min(self.capacity[column] - self.used[column]);
        let amount = way.iter().enumerate().fold(room, |amount, (step, &edge)| {
            let Edge { capacity, flow, .. } = self.edges[edge];
            amount.min(if step % 2 == 0 { capacity - flow } else { flow })
        });
        debug_assert!(amount > 0);
        for (step, &edge) in way.iter().enumerate() {
            let flow = &mut self.edges[edge].flow;
            *flow = if step % 2 == 0 { *flow + amount } else { *flow - amount };
        }
        self.routed[source] += amount;
        self.used[column] += amount;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn flow_is_rerouted_when_an_edge_closes_and_the_cut_names_the_culprits() {
        let mut net = Transport::new(vec![2, 2, 5], vec![2, 2, 9]);
        let (a0, _a1) = (net.connect(0, 0, 2), net.connect(0, 1, 2));
        let b0 = net.connect(1, 0, 2);
        net.connect(2, 2, 5);
        assert!(net.solve());
        net.close(a0);
        assert!(net.solve());
        assert_eq!(net.edge(b0).flow, 2);
        net.close(b0);
        assert!(!net.solve());
        let cut = net.cut_from(1);
        assert_eq!(cut.rows, [false, true, false]);
        net.open(b0);
        assert!(net.solve());
        assert_eq!(net.total(), 9);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

        /// Whatever is closed, opened and raised on the way, the flow is as large as one found from nothing.
        #[test]
        fn repaired_flow_is_maximum(
            supply in prop::collection::vec(0u64..9, 4),
            capacity in prop::collection::vec(0u64..9, 4),
            limits in prop::collection::vec(0u64..7, 16),
            moves in prop::collection::vec((0usize..16, any::<bool>()), 0..20),
        ) {
            let build = |supply: &[u64]| {
                let mut net = Transport::new(supply.to_vec(), capacity.clone());
                for (edge, &limit) in limits.iter().enumerate() {
                    net.connect(edge / 4, edge % 4, limit);
                }
                net
            };
            let mut net = build(&supply);
            let mut open = [true; 16];
            let mut extra = [0u64; 4];
            for (edge, up) in moves {
                net.solve();
                if edge % 5 == 0 {
                    let row = edge % 4;
                    if up {
                        net.raise_supply(row, 2);
                        extra[row] += 2;
                    } else if extra[row] > 0 {
                        net.lower_supply(row, 2);
                        extra[row] -= 2;
                    }
                } else if up {
                    net.open(edge);
                    open[edge] = true;
                } else {
                    net.close(edge);
                    open[edge] = false;
                }
            }
            let complete = net.solve();
            let raised: Vec<u64> = supply.iter().zip(extra).map(|(s, e)| s + e).collect();
            let mut fresh = build(&raised);
            for (edge, open) in open.into_iter().enumerate() {
                if !open {
                    fresh.close(edge);
                }
            }
            fresh.solve();
            prop_assert_eq!(net.total(), fresh.total());
            prop_assert_eq!(complete, net.total() == raised.iter().sum::<u64>());
            if let Some(row) = (0..4).find(|&row| net.missing(row) > 0) {
                let cut = net.cut_from(row);
                let supply: u64 = (0..4).filter(|&r| cut.rows[r]).map(|r| net.supply(r)).sum();
                let inside: u64 = (0..4).filter(|&c| cut.columns[c]).map(|c| net.capacity(c)).sum();
                let across: u64 = (0..16)
                    .map(|edge| *net.edge(edge))
                    .filter(|edge| edge.open && cut.rows[edge.row] && !cut.columns[edge.column])
                    .map(|edge| edge.capacity)
                    .sum();
                prop_assert!(supply > inside + across, "the cut proves the deficit");
            }
        }
    }
}
