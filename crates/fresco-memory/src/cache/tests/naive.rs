// SPDX-License-Identifier: MIT OR Apache-2.0
//! Naive models of a set.

use crate::cache::Victim;
use fresco_dram::PhysAddr;
use std::cell::Cell;
use std::rc::Rc;

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

/// Which set it is.
pub struct Of {
    pub ways: usize,
    pub set: usize,
    pub sets: usize,
    /// What all sets of a cache share: misses with SRRIP less those with BRRIP, and lines that BRRIP brought in.
    pub duel: Rc<Cell<(i32, u32)>>,
}

/// One set, as plainly as it can be written.
pub trait NaiveSet {
    fn new(of: &Of) -> Self;
    fn get(&mut self, address: u64) -> Option<&mut Line>;
    /// Into one of the ways allowed, bit n for way n.
    fn insert(&mut self, line: Line, allowed: u128) -> Option<Line>;
    fn remove(&mut self, address: u64) -> Option<Line>;
}

fn is_allowed(allowed: u128, way: usize) -> bool {
    allowed & 1 << way != 0
}

/// LRU as a list of ways, the most recently used in front, empty ones in the back.
pub struct LruList {
    ways: Vec<(usize, Option<Line>)>,
}

impl LruList {
    /// Takes a way out of the list.
    fn take(&mut self, address: u64) -> Option<(usize, Line)> {
        let is_it = |(_, line): &(usize, Option<Line>)| line.is_some_and(|line| line.address == address);
        let at = self.ways.iter().position(is_it)?;
        let (way, line) = self.ways.remove(at);
        Some((way, line?))
    }
}

impl NaiveSet for LruList {
    fn new(of: &Of) -> Self {
        let ways = (0..of.ways).rev().map(|way| (way, None)).collect();
        Self { ways }
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let (way, line) = self.take(address)?;
        self.ways.insert(0, (way, Some(line)));
        self.ways[0].1.as_mut()
    }

    fn insert(&mut self, line: Line, allowed: u128) -> Option<Line> {
        let at = self.ways.iter().rposition(|(way, _)| is_allowed(allowed, *way))?;
        let (way, victim) = self.ways.remove(at);
        self.ways.insert(0, (way, Some(line)));
        victim
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let (way, line) = self.take(address)?;
        self.ways.push((way, None));
        Some(line)
    }
}

/// Lines with a number each.
struct Numbered {
    ways: Vec<Option<(Line, u8)>>,
}

impl Numbered {
    fn new(of: &Of) -> Self {
        let ways = vec![None; of.ways];
        Self { ways }
    }

    fn way_of(&self, address: u64) -> Option<usize> {
        let is_it = |way: &Option<(Line, u8)>| way.is_some_and(|(line, _)| line.address == address);
        self.ways.iter().position(is_it)
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let way = self.way_of(address)?;
        self.ways[way].take().map(|(line, _)| line)
    }

    fn empty(&self, allowed: u128) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.ways.len()).filter(move |way| is_allowed(allowed, *way) && self.ways[*way].is_none())
    }

    /// A hit makes the number 0.
    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let way = self.way_of(address)?;
        let (line, prediction) = self.ways[way].as_mut()?;
        *prediction = 0;
        Some(line)
    }

    /// SRRIP as its authors write it down: look for the first way that is distant, or let all grow and look again.
    fn insert(&mut self, line: Line, prediction: u8, allowed: u128) -> Option<Line> {
        let empty = self.empty(allowed).next();
        if let Some(way) = empty {
            self.ways[way] = Some((line, prediction));
            return None;
        }
        let ways = (0..self.ways.len()).filter(|way| is_allowed(allowed, *way));
        let ways: Vec<usize> = ways.collect();
        loop {
            for way in &ways {
                if let Some((victim, 3)) = self.ways[*way] {
                    self.ways[*way] = Some((line, prediction));
                    return Some(victim);
                }
            }
            for way in &ways {
                self.ways[*way].as_mut().expect("none is empty").1 += 1;
            }
        }
    }
}

/// SRRIP.
pub struct Predicted(Numbered);

impl NaiveSet for Predicted {
    fn new(of: &Of) -> Self {
        Self(Numbered::new(of))
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        self.0.get(address)
    }

    fn insert(&mut self, line: Line, allowed: u128) -> Option<Line> {
        self.0.insert(line, 2, allowed)
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        self.0.remove(address)
    }
}

/// DRRIP, of a cache with a power of two of sets, 64 or fewer: every set leads.
pub struct Duelling {
    lines: Numbered,
    /// BRRIP, or SRRIP.
    is_bimodal: bool,
    duel: Rc<Cell<(i32, u32)>>,
}

impl NaiveSet for Duelling {
    fn new(of: &Of) -> Self {
        // Two sets for each constituency: which of them is whose goes by turns.
        let (constituency, place) = (of.set / 2, of.set % 2);
        Self {
            lines: Numbered::new(of),
            is_bimodal: of.sets > 1 && place != constituency % 2,
            duel: Rc::clone(&of.duel),
        }
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        self.lines.get(address)
    }

    fn insert(&mut self, line: Line, allowed: u128) -> Option<Line> {
        let (selector, mut bimodal) = self.duel.get();
        bimodal += u32::from(self.is_bimodal);
        self.duel.set((selector, bimodal));
        let prediction = if self.is_bimodal && bimodal % 32 != 0 { 3 } else { 2 };
        self.lines.insert(line, prediction, allowed)
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        self.lines.remove(address)
    }
}

/// Quad-age LRU as nanoBench's authors define it. `H`: age after a hit, in hundreds of age 3, tens of age 2; `LAST`: R2, not R0; `SPARES`: U1, not U0.
pub struct Quad<const H: u8, const LAST: bool, const SPARES: bool>(Numbered);

impl<const H: u8, const LAST: bool, const SPARES: bool> Quad<H, LAST, SPARES> {
    /// Ages after an access to a way; those of empty ways are 3.
    fn update(&mut self, accessed: usize) {
        loop {
            let mut others = (0..self.0.ways.len())
                .filter(|way| !(SPARES && *way == accessed))
                .peekable();
            let age = |way: usize| self.0.ways[way].map_or(3, |(_, age)| age);
            if others.peek().is_none() || others.clone().any(|way| age(way) == 3) {
                return;
            }
            others.for_each(|way| self.0.ways[way].as_mut().expect("its age is not 3").1 += 1);
        }
    }
}

impl<const H: u8, const LAST: bool, const SPARES: bool> NaiveSet for Quad<H, LAST, SPARES> {
    fn new(of: &Of) -> Self {
        Self(Numbered::new(of))
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let way = self.0.way_of(address)?;
        let (_, age) = self.0.ways[way].as_mut()?;
        *age = match age {
            3 => H / 10,
            2 => H % 10,
            _ => 0,
        };
        self.update(way);
        self.0.ways[way].as_mut().map(|(line, _)| line)
    }

    fn insert(&mut self, line: Line, allowed: u128) -> Option<Line> {
        let empty = match LAST {
            true => self.0.empty(allowed).next_back(),
            false => self.0.empty(allowed).next(),
        };
        let way = empty.unwrap_or_else(|| {
            let all = (0..self.0.ways.len()).filter(|way| is_allowed(allowed, *way));
            let age = |way: &usize| self.0.ways[*way].map_or(3, |(_, age)| age);
            let most = all.clone().map(|way| age(&way)).max();
            all.into_iter()
                .find(|way| Some(age(way)) == most)
                .expect("a way is allowed")
        });
        let victim = self.0.ways[way].replace((line, 1));
        self.update(way);
        victim.map(|(line, _)| line)
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        self.0.remove(address)
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

    fn pointed(&self, n: usize, ways: std::ops::Range<usize>, allowed: u128) -> usize {
        if ways.len() == 1 {
            return ways.start;
        }
        let middle = ways.start + ways.len() / 2;
        let (left, right) = (ways.start..middle, middle..ways.end);
        let has_any = |mut ways: std::ops::Range<usize>| ways.any(|way| is_allowed(allowed, way));
        let goes_right = match (has_any(left.clone()), has_any(right.clone())) {
            (true, true) => self.points_right[n],
            (_, right) => right,
        };
        match goes_right {
            true => self.pointed(2 * n + 2, right, allowed),
            false => self.pointed(2 * n + 1, left, allowed),
        }
    }

    fn way_of(&self, address: u64) -> Option<usize> {
        self.lines.iter().position(|l| l.is_some_and(|l| l.address == address))
    }
}

impl NaiveSet for Tree {
    fn new(of: &Of) -> Self {
        Self {
            lines: vec![None; of.ways],
            points_right: vec![false; of.ways],
        }
    }

    fn get(&mut self, address: u64) -> Option<&mut Line> {
        let way = self.way_of(address)?;
        self.turn(0, 0..self.lines.len(), way, true);
        self.lines[way].as_mut()
    }

    fn insert(&mut self, line: Line, allowed: u128) -> Option<Line> {
        let all = 0..self.lines.len();
        let empty = all
            .clone()
            .find(|way| is_allowed(allowed, *way) && self.lines[*way].is_none());
        let way = empty.unwrap_or_else(|| self.pointed(0, all.clone(), allowed));
        self.turn(0, all, way, true);
        self.lines[way].replace(line)
    }

    fn remove(&mut self, address: u64) -> Option<Line> {
        let way = self.way_of(address)?;
        self.turn(0, 0..self.lines.len(), way, false);
        self.lines[way].take()
    }
}
