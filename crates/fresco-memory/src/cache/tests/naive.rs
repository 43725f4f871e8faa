// SPDX-License-Identifier: MIT OR Apache-2.0
//! Naive models of a set.

use crate::cache::Victim;
use fresco_dram::PhysAddr;
use std::collections::VecDeque;

/// One line of a naive set.
#[derive(Clone, Copy)]
pub struct Line {
    pub address: u64,
    pub dirty: bool,
    pub owner: u16,
}

impl From<Line> for Victim {
    fn from(line: Line) -> Self {
        let Line { address, dirty, owner } = line;
        let line = PhysAddr(address);
        Self { line, dirty, owner }
    }
}

/// One set, as plainly as it can be written.
pub trait NaiveSet {
    fn new(ways: usize) -> Self;
    fn get(&mut self, address: u64) -> Option<&mut Line>;
    fn insert(&mut self, line: Line) -> Option<Line>;
    fn remove(&mut self, address: u64) -> Option<Line>;
}

/// LRU as a list, the most recently used line in front.
pub struct LruList {
    ways: usize,
    lines: VecDeque<Line>,
}

impl NaiveSet for LruList {
    fn new(ways: usize) -> Self {
        let lines = VecDeque::new();
        Self { ways, lines }
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let line = self.remove(address)?;
        self.lines.push_front(line);
        self.lines.front_mut()
    }

    fn insert(&mut self, line: Line) -> Option<Line> {
        let victim = if self.lines.len() == self.ways {
            self.lines.pop_back()
        } else {
            None
        };
        self.lines.push_front(line);
        victim
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let at = self.lines.iter().position(|l| l.address == address)?;
        self.lines.remove(at)
    }
}

/// SRRIP as its authors write it down: look for the first way that is distant, or let all grow and look again.
pub struct Predicted {
    ways: Vec<Option<(Line, u8)>>,
}

impl Predicted {
    fn way_of(&self, address: u64) -> Option<usize> {
        let is_it = |way: &Option<(Line, u8)>| way.is_some_and(|(line, _)| line.address == address);
        self.ways.iter().position(is_it)
    }
}

impl NaiveSet for Predicted {
    fn new(ways: usize) -> Self {
        Self { ways: vec![None; ways] }
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let way = self.way_of(address)?;
        let (line, prediction) = self.ways[way].as_mut()?;
        *prediction = 0;
        Some(line)
    }

    fn insert(&mut self, line: Line) -> Option<Line> {
        if let Some(empty) = self.ways.iter_mut().find(|way| way.is_none()) {
            *empty = Some((line, 2));
            return None;
        }
        loop {
            for way in self.ways.iter_mut().flatten() {
                if way.1 == 3 {
                    return Some(std::mem::replace(way, (line, 2)).0);
                }
            }
            self.ways.iter_mut().flatten().for_each(|way| way.1 += 1);
        }
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let way = self.way_of(address)?;
        self.ways[way].take().map(|(line, _)| line)
    }
}

/// Tree PLRU by recursion over halves: `points_right[n]` of node `n`, children `2n + 1` and `2n + 2`.
pub struct Tree {
    lines: Vec<Option<Line>>,
    points_right: Vec<bool>,
}

impl Tree {
    /// Walks from node `n` over `ways` to `way`, turning each node away from it (or, after a removal, towards it).
    fn turn(&mut self, n: usize, ways: std::ops::Range<usize>, way: usize, away: bool) {
        if ways.len() == 1 {
            return;
        }
        let middle = ways.start + ways.len() / 2;
        let is_right = way >= middle;
        self.points_right[n] = is_right != away;
        if is_right {
            self.turn(2 * n + 2, middle..ways.end, way, away);
        } else {
            self.turn(2 * n + 1, ways.start..middle, way, away);
        }
    }

    fn pointed(&self, n: usize, ways: std::ops::Range<usize>) -> usize {
        if ways.len() == 1 {
            return ways.start;
        }
        let middle = ways.start + ways.len() / 2;
        if self.points_right[n] {
            self.pointed(2 * n + 2, middle..ways.end)
        } else {
            self.pointed(2 * n + 1, ways.start..middle)
        }
    }

    fn way_of(&self, address: u64) -> Option<usize> {
        self.lines.iter().position(|l| l.is_some_and(|l| l.address == address))
    }
}

impl NaiveSet for Tree {
    fn new(ways: usize) -> Self {
        Self {
            lines: vec![None; ways],
            points_right: vec![false; ways],
        }
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let way = self.way_of(address)?;
        self.turn(0, 0..self.lines.len(), way, true);
        self.lines[way].as_mut()
    }

    fn insert(&mut self, line: Line) -> Option<Line> {
        let empty = self.lines.iter().position(Option::is_none);
        let way = empty.unwrap_or_else(|| self.pointed(0, 0..self.lines.len()));
        self.turn(0, 0..self.lines.len(), way, true);
        self.lines[way].replace(line)
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let way = self.way_of(address)?;
        self.turn(0, 0..self.lines.len(), way, false);
        self.lines[way].take()
    }
}
