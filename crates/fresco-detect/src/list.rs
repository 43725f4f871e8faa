// SPDX-License-Identifier: MIT OR Apache-2.0
//! PALLOC's detector: two chases through lists of far entries, the second shifted by one address bit (MAP-11).
//!
//! Both slow down where the shifted list is in the same bank. The detector presumes that banks are interleaved by bits
//! below the distance of the entries, each bit alone: on a map with XORs it finds bits that take part, not functions.

use crate::governor::{ACTIVATIONS_PER_WINDOW, Governor};
use crate::random::Draws;
use crate::stats::{median, split};
use crate::timer::Stream;
use serde::Serialize;

/// Entries of a list; twice the ways of the cache, so that none stays in it.
pub const ENTRIES: u64 = 32;
/// Distance of entries, in bytes: all in the same bank and the same cache set.
pub const DISTANCE: u64 = 8 << 20;
/// Runs of each bit, of which the median counts.
const RUNS: usize = 5;
/// The slow group takes at least this much longer than the fast one.
const LEAST_RATIO: f64 = 1.15;

/// What the detector found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Each bit and the time of an access of the first list, in nanoseconds.
    pub times: Vec<(u32, f64)>,
    /// Time of an access of the first list with nothing beside it, in nanoseconds.
    pub alone: f64,
    /// Bits whose shift leaves the bank.
    pub bank_bits: Vec<u32>,
}

fn chase(lines: &[u64]) -> Stream<'_> {
    Stream { lines, outstanding: 1 }
}

/// Tries each bit. `base` is the first entry; all entries, shifted too, have to lie in the timer's ranges: bits that
/// lead outside are left out. `None` if no bit makes a difference.
pub fn discover(governor: &mut Governor<'_>, base: u64, bits: &[u32], draws: &mut Draws) -> Option<Found> {
    let list: Vec<u64> = (0..ENTRIES).map(|entry| base + entry * DISTANCE).collect();
    let inside = |governor: &Governor<'_>, line: u64| governor.ranges().iter().any(|range| range.contains(&line));
    if !list.iter().all(|line| inside(governor, *line)) {
        return None;
    }
    let alone = median(
        &(0..RUNS)
            .map(|_| governor.streams(&[chase(&list)], 512))
            .collect::<Vec<_>>(),
    );
    let mut times = Vec::new();
    for bit in bits {
        // In an order of its own: in step with the first list it could meet the rows that are just open.
        let mut shifted: Vec<u64> = list.iter().map(|line| line ^ 1 << bit).collect();
        if !shifted.iter().all(|line| inside(governor, *line)) {
            continue;
        }
        let mut runs = [0.0; RUNS];
        for run in &mut runs {
            draws.shuffle(&mut shifted);
            *run = governor.streams(&[chase(&list), chase(&shifted)], ACTIVATIONS_PER_WINDOW / 2);
        }
        times.push((*bit, median(&runs)));
    }
    let two = split(&times.iter().map(|(_, time)| *time).collect::<Vec<_>>())?;
    if two.high < LEAST_RATIO * two.low {
        return None;
    }
    let fast = times.iter().filter(|(_, time)| *time < two.threshold);
    let bank_bits = fast.map(|(bit, _)| *bit).collect();
    Some(Found {
        times,
        alone,
        bank_bits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Formula;

    #[test]
    fn the_bank_bits_of_the_papers_xeon_are_found() {
        let mut timer = Formula::xor(1 << 32, &[12, 13, 19, 20].map(|bit| 1 << bit));
        let bits: Vec<u32> = (6..23).collect();
        let found = discover(&mut Governor::new(&mut timer), 0, &bits, &mut Draws::new(1)).expect("bank bits");
        assert_eq!(found.bank_bits, [12, 13, 19, 20]);
    }

    #[test]
    fn no_difference_is_no_bank_bit() {
        let mut timer = Formula::xor(1 << 32, &[1 << 12]).without_conflicts();
        let bits: Vec<u32> = (6..23).collect();
        assert_eq!(
            discover(&mut Governor::new(&mut timer), 0, &bits, &mut Draws::new(1)),
            None
        );
    }
}
