// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maximum flow by Dinic's blocking flows, continued from whatever flow there is; and the cut that proves it.

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
                self.push_from(row);
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
        sources.iter().for_each(|&row| self.see_row(row, 0));
        // Rows and columns take turns: those that were seen since the last turn are all that are as far away.
        let (mut rows, mut columns, mut level) = (0, 0, 0);
        let mut is_reached = false;
        while rows < self.seen_rows.len() {
            let last = self.seen_rows.len();
            level += 1;
            for place in rows..last {
                for edge in self.numbers_of_row(self.seen_rows[place] as usize) {
                    let edge = &self.edges[edge];
                    let column = edge.column();
                    if edge.open && edge.flow < edge.capacity && self.column_level[column] == UNREACHED {
                        self.see_column(column, level);
                    }
                }
            }
            rows = last;
            // Only shortest ways count: once a column with room is reached, nobody asks where columns lead to.
            let last = self.seen_columns.len();
            level += 1;
            for place in columns..last {
                let column = self.seen_columns[place] as usize;
                is_reached |= self.used[column] < self.capacity[column];
                for place in 0..if is_reached { 0 } else { self.carrying[column].len() } {
                    let row = self.edges[self.carrying[column][place] as usize].row();
                    if self.row_level[row] == UNREACHED {
                        self.see_row(row, level);
                    }
                }
            }
            columns = last;
        }
        is_reached
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

    /// Pushes flow along shortest ways from the row to columns with room, until it delivers its supply or the phase has no ways left.
    fn push_from(&mut self, source: usize) {
        let mut way: Vec<usize> = Vec::new(); // edges, taken forwards and backwards in turn
        let mut node = Node::Row(source);
        while self.missing(source) > 0 {
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
                        self.column_next[column] = edge as u32 + 1;
                        node = Node::Column(column);
                    } else {
                        return;
                    }
                }
                Node::Column(column) => {
                    if self.used[column] < self.capacity[column] {
                        self.augment(source, column, &way);
                        // The way is still the first one up to where it is exhausted.
                        let kept = way
                            .iter()
                            .enumerate()
                            .position(|(step, &edge)| self.residual(step, edge) == 0);
                        if let Some(kept) = kept {
                            node = match &self.edges[way[kept]] {
                                edge if kept.is_multiple_of(2) => Node::Row(edge.row()),
                                edge => Node::Column(edge.column()),
                            };
                            way.truncate(kept);
                        }
                        continue;
                    }
                    let carrying = &self.carrying[column];
                    let next = carrying.partition_point(|&edge| edge < self.column_next[column]);
                    if let Some(&number) = carrying.get(next) {
                        let row = self.edges[number as usize].row();
                        if self.row_level[row] == self.column_level[column] + 1 {
                            way.push(number as usize);
                            node = Node::Row(row);
                        } else {
                            self.column_next[column] = number + 1;
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

    /// What more an edge can carry as this step of a way.
    fn residual(&self, step: usize, edge: usize) -> u64 {
        let Edge { capacity, flow, .. } = self.edges[edge];
        if step.is_multiple_of(2) { capacity - flow } else { flow }
    }

    fn augment(&mut self, source: usize, column: usize, way: &[usize]) {
        let room = self.missing(source).min(self.capacity[column] - self.used[column]);
        let steps = way.iter().enumerate();
        let amount = steps.fold(room, |amount, (step, &edge)| amount.min(self.residual(step, edge)));
        debug_assert!(amount > 0);
        for (step, &edge) in way.iter().enumerate() {
            match step % 2 {
                0 => self.give(edge, amount),
                _ => self.take(edge, amount),
            }
        }
        self.routed[source] += amount;
        self.used[column] += amount;
        self.note(source);
    }
}
