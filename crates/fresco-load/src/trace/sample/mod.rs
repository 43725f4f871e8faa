// SPDX-License-Identifier: MIT OR Apache-2.0
//! A few intervals that stand for a whole recording, as SimPoint chooses them (Sherwood, Perelman, Hamerly, Calder: Automatically characterizing
//! large scale program behavior, ASPLOS 2002): intervals in which the same blocks run equally often are taken for alike.

mod kmeans;

use super::curve::{CACHES, Lru, each_line};
use super::ftrace::recorded::{Block, RecordedFile};
use fresco_input::InputError;
use kmeans::{DIMENSIONS, Point, apart, groups, mixed, unit};

/// A part of what a thread did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Instructions before it.
    pub first: u64,
    /// Its instructions: a few more than were asked for, as blocks are not divided, or fewer at the end.
    pub instructions: u64,
    /// Accesses before it.
    pub first_access: u64,
    /// Its accesses.
    pub accesses: u64,
    /// Lines that caches miss in it, by size as [`WorkingSet`](super::WorkingSet) has them, after all that came before.
    pub misses: [u64; CACHES],
}

/// An interval that stands for others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// Which one.
    pub interval: usize,
    /// The share of all instructions that it stands for.
    pub weight: f64,
}

/// All intervals of a thread.
#[derive(Default)]
pub struct Intervals {
    /// In their order.
    pub all: Vec<Interval>,
    points: Vec<Point>,
}

/// Which line of the projection belongs to a block: numbers from -1 to 1 that are the same each time.
fn direction(block: u32) -> Point {
    std::array::from_fn(|at| unit(mixed(u64::from(block) * DIMENSIONS as u64 + at as u64)) * 2.0 - 1.0)
}

/// How often each block ran in the present interval.
#[derive(Default)]
struct Runs {
    counts: Vec<u64>,
    blocks: Vec<u32>,
}

impl Runs {
    fn add(&mut self, number: u32, block: &Block) {
        let place = number as usize;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        if self.counts[place] == 0 {
            self.blocks.push(number);
        }
        self.counts[place] += u64::from(block.instructions);
    }

    /// Where the interval lies; the next one begins.
    fn point(&mut self, instructions: u64) -> Point {
        let mut point = [0.0; DIMENSIONS];
        for block in self.blocks.drain(..) {
            let share = std::mem::take(&mut self.counts[block as usize]) as f64 / instructions as f64;
            point
                .iter_mut()
                .zip(direction(block))
                .for_each(|(sum, at)| *sum += at * share);
        }
        point
    }
}

impl Intervals {
    /// Cuts what a thread did into intervals of `length` instructions. `goes_on` is asked now and then.
    ///
    /// # Errors
    /// The file is damaged, or cannot be read.
    pub fn of(
        file: &mut RecordedFile,
        thread: u16,
        length: u64,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Self, InputError> {
        let (mut this, mut runs, mut present) = (Self::default(), Runs::default(), Interval::default());
        let mut lru = Lru::default();
        file.each_run(thread, |number, block, addresses| {
            runs.add(number, block);
            for (site, address) in block.sites.iter().zip(addresses) {
                each_line(*address, site.size, |line| {
                    let missed = lru.access(line);
                    present.misses[..missed].iter_mut().for_each(|misses| *misses += 1);
                });
            }
            present.instructions += u64::from(block.instructions);
            present.accesses += block.sites.len() as u64;
            if present.instructions < length {
                return true;
            }
            this.close(&mut present, &mut runs);
            goes_on()
        })?;
        if present.instructions > 0 {
            this.close(&mut present, &mut runs);
        }
        Ok(this)
    }

    fn close(&mut self, present: &mut Interval, runs: &mut Runs) {
        self.points.push(runs.point(present.instructions));
        self.all.push(*present);
        *present = Interval {
            first: present.first + present.instructions,
            first_access: present.first_access + present.accesses,
            ..Interval::default()
        };
    }

    /// Instructions of all.
    pub fn instructions(&self) -> u64 {
        self.all.iter().map(|interval| interval.instructions).sum()
    }

    /// At most `count` of them that stand for all, in their order.
    pub fn choose(&self, count: usize) -> Vec<Chosen> {
        let weights: Vec<f64> = self.all.iter().map(|interval| interval.instructions as f64).collect();
        let all: f64 = weights.iter().sum();
        let found = groups(&self.points, &weights, count);
        let mut chosen = Vec::new();
        for (group, center) in found.centers.iter().enumerate() {
            let members = || (0..self.all.len()).filter(|at| found.of[*at] == group);
            let nearest = members().min_by(|a, b| {
                let far = |at: &usize| apart(&self.points[*at], center);
                far(a).total_cmp(&far(b))
            });
            if let Some(interval) = nearest {
                let weight = members().map(|at| weights[at]).sum::<f64>() / all;
                chosen.push(Chosen { interval, weight });
            }
        }
        chosen.sort_by_key(|chosen| chosen.interval);
        chosen
    }
}

/// What caches miss in an interval that is replayed by itself, after a part before it that fills them.
#[derive(Default)]
pub struct Replayed {
    lru: Lru,
    measured: bool,
    /// Lines that they miss, by size, in the interval.
    pub misses: [u64; CACHES],
}

impl Replayed {
    /// The interval begins.
    pub fn begin(&mut self) {
        self.measured = true;
    }

    /// An access.
    pub fn access(&mut self, address: u64, size: u8) {
        each_line(address, size, |line| {
            let missed = self.lru.access(line);
            if self.measured {
                self.misses[..missed].iter_mut().for_each(|misses| *misses += 1);
            }
        });
    }
}
