// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several programs that load memory at the same time, each on a processor of its own where there are enough.

use super::held::Held;
use super::loads::together;
use crate::launch::bind_cpus;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A walk over lines.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// Physical addresses, in order; never empty.
    pub lines: &'a [u64],
    /// Loads under way at once; 1 is a chase.
    pub outstanding: u32,
}

/// A walk's lines as addresses, and how far it is.
struct Walker {
    lines: Vec<SharedAddress>,
    next: usize,
    outstanding: usize,
    left: u32,
}

/// An address of the mapping.
#[derive(Clone, Copy)]
struct SharedAddress(*const u8);

// SAFETY: the address is only flushed and read, and the mapping outlives the threads that do so.
unsafe impl Send for SharedAddress {}

impl Walker {
    fn new(held: &Held, walk: &Walk<'_>, budget: u32) -> Option<Self> {
        let lines: Option<Vec<_>> = walk
            .lines
            .iter()
            .map(|line| held.address(*line).map(SharedAddress))
            .collect();
        Some(Self {
            lines: lines.filter(|lines| !lines.is_empty())?,
            next: 0,
            outstanding: walk.outstanding.max(1) as usize,
            left: budget,
        })
    }

    /// Loads the next lines; the ticks, and how many.
    fn step(&mut self) -> (u64, u32) {
        let count = self.outstanding.min(self.left as usize);
        let lines: Vec<*const u8> = (0..count)
            .map(|i| self.lines[(self.next + i) % self.lines.len()].0)
            .collect();
        self.next = (self.next + count) % self.lines.len();
        self.left -= count as u32;
        (together(&lines), count as u32)
    }
}

/// Walks all at the same time, the first on the calling thread, the others on the processors `others`. Ticks of an
/// access of the first walk; `None` if there is no other processor for other walks, or a line is not held. Makes at most
/// `accesses` accesses.
///
/// The budget is shared out by the loads under way. The first walk ends when it, or one of the others, has used its share:
/// so it is never timed beside walks that are over.
pub(super) fn run(held: &Held, walks: &[Walk<'_>], accesses: u32, others: &[u32]) -> Option<f64> {
    let weights: u32 = walks.iter().map(|walk| walk.outstanding.max(1)).sum();
    let budget = |walk: &Walk<'_>| (accesses * walk.outstanding.max(1) / weights.max(1)).max(1);
    let mut walkers = Vec::new();
    for walk in walks {
        walkers.push(Walker::new(held, walk, budget(walk))?);
    }
    let mut rest = walkers.split_off(1.min(walkers.len()));
    let mut first = walkers.pop()?;
    if !rest.is_empty() && others.is_empty() {
        return None;
    }
    // Round robin, where there are fewer processors than walks.
    let threads = rest.len().min(others.len());
    let mut shared: Vec<Vec<Walker>> = (0..threads).map(|_| Vec::new()).collect();
    for (index, walker) in rest.drain(..).enumerate() {
        shared[index % threads].push(walker);
    }
    let (ready, over) = (AtomicU32::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for (own, cpu) in shared.into_iter().zip(others) {
            let (ready, over) = (&ready, &over);
            scope.spawn(move || beside(own, *cpu, ready, threads as u32 + 1, over));
        }
        ready.fetch_add(1, Ordering::AcqRel);
        while ready.load(Ordering::Acquire) < threads as u32 + 1 {
            std::hint::spin_loop();
        }
        let (mut total, mut made) = (0, 0u32);
        // At least once, even if this thread was stopped meanwhile.
        while made == 0 || (first.left > 0 && !over.load(Ordering::Relaxed)) {
            let (ticks, count) = first.step();
            total += ticks;
            made += count.max(1);
        }
        over.store(true, Ordering::Relaxed);
        (made > 0).then(|| total as f64 / f64::from(made))
    })
}

/// Walks until one has used its share, or all is over. Begins when all `threads` are ready.
fn beside(mut walkers: Vec<Walker>, cpu: u32, ready: &AtomicU32, threads: u32, over: &AtomicBool) {
    // A processor that may not be used is replaced by one that the kernel chooses.
    let _ = bind_cpus(&[cpu]);
    ready.fetch_add(1, Ordering::AcqRel);
    while ready.load(Ordering::Acquire) < threads {
        std::hint::spin_loop();
    }
    while !over.load(Ordering::Relaxed) {
        for walker in &mut walkers {
            if walker.left == 0 {
                over.store(true, Ordering::Relaxed);
                return;
            }
            walker.step();
        }
    }
}
