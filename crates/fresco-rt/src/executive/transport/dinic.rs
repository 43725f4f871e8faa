// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maximum flow by Dinic's blocking flows, continued from whatever flow there is; and the cut that proves it.

use std::collections::VecDeque;

use super::{Edge, Transport, UNREACHED};

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
    /// Raises the flow to a maximum; true if every row then delivers all its supply.
    pub fn solve(&mut self) -> bool {
        while !self.complete() {
            let sources: Vec<usize> = self.deficient.iter().copied().collect();
            if !self.find_levels(&sources) {
                return false;
            }
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
        for row in self.seen_rows.drain(..) {
            self.row_level[row as usize] = UNREACHED;
        }
        for column in self.seen_columns.drain(..) {
            self.column_level[column as usize] = UNREACHED;
        }
        let mut queue: VecDeque<Node> = VecDeque::new();
        for &row in sources {
            self.see_row(row, 0);
            queue.push_back(Node::Row(row));
        }
        let mut sink_level = UNREACHED;
        while let Some(node) = queue.pop_front() {
            match node {
                Node::Row(row) => {
                    let level = self.row_level[row] + 1;
                    for edge in self.numbers_of_row(row) {
                        let edge = &self.edges[edge];
                        let column = edge.column();
                        if edge.open && edge.flow < edge.capacity && self.column_level[column] == UNREACHED {
                            self.see_column(column, level);
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
                    for place in 0..self.of_column[column].len() {
                        let edge = &self.edges[self.of_column[column][place] as usize];
                        let row = edge.row();
                        if edge.flow > 0 && self.row_level[row] == UNREACHED {
                            self.see_row(row, level);
                            queue.push_back(Node::Row(row));
                        }
                    }
                }
            }
        }
        sink_level != UNREACHED
    }

    fn see_row(&mut self, row: usize, level: u32) {
        self.row_level[row] = level;
        self.row_next[row] = 0;
        self.seen_rows.push(row as u32);
    }

    fn see_column(&mut self, column: usize, level: u32) {
        self.column_level[column] = level;
        self.column_next[column] = 0;
        self.seen_columns.push(column as u32);
    }

    /// Pushes flow along one shortest way from the row to a column with room; false if the phase has none left.
    fn push_from(&mut self, source: usize) -> bool {
        let mut way: Vec<usize> = Vec::new(); // edges, taken forwards and backwards in turn
        let mut node = Node::Row(source);
        loop {
            match node {
                Node::Row(row) => {
                    let number = (self.of_row[row].start + self.row_next[row]) as usize;
                    if number < self.of_row[row].end as usize {
                        let edge = &self.edges[number];
                        let column = edge.column();
                        if edge.open
                            && edge.flow < edge.capacity
                            && self.column_level[column] == self.row_level[row] + 1
                        {
                            way.push(number);
                            node = Node::Column(column);
                        } else {
                            self.row_next[row] += 1;
                        }
                    } else if let Some(edge) = way.pop() {
                        let column = self.edges[edge].column();
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
                    if let Some(&edge) = self.of_column[column].get(self.column_next[column] as usize) {
                        let (number, edge) = (edge as usize, &self.edges[edge as usize]);
                        let row = edge.row();
                        if edge.flow > 0 && self.row_level[row] == self.column_level[column] + 1 {
                            way.push(number);
                            node = Node::Row(row);
                        } else {
                            self.column_next[column] += 1;
                        }
                    } else {
                        let edge = way.pop().expect("a column is entered by an edge");
                        let row = self.edges[edge].row();
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
        self.note(source);
    }
}
