// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pairs of lines of one bank, in the number that the solver needs.

use crate::classes::Classes;
use crate::probe::{Bulk, Probe};
use crate::screen::Screen;
use crate::stats::Proportion;

/// Lines taken of each base: pairs of many bases speak for more rows.
const PER_BASE: usize = 24;
/// Lines tried beside one base, at most.
const MOST_SCREENED: u64 = 60_000;

/// Looks for more conflicts, beside more bases, until there are `wanted` pairs. A line joins a class only if it also
/// conflicts with a line of the class that is not the base.
pub fn collect(probe: &mut Probe<'_>, classes: &mut Classes, wanted: usize) {
    let threshold = classes.threshold;
    let mut bulk = Bulk::measure(probe);
    let mut barren = 0;
    while pairs(classes).len() < wanted && barren < 3 && !probe.governor.is_over() {
        let mut screen = Screen::of(probe.line());
        screen.go_on(probe, &mut bulk, threshold, PER_BASE.min(wanted), MOST_SCREENED);
        let members: Vec<u64> = screen.above(threshold).collect();
        if members.len() < 3 {
            // Too few to confirm one another.
            barren += 1;
            screen.suspects.clear();
        } else {
            let confirmed = |line: u64, probe: &mut Probe<'_>| {
                let others = members.iter().filter(|other| **other != line).take(2);
                others
                    .copied()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .any(|other| probe.contrast(line, other) > threshold)
            };
            let bad: Vec<u64> = members
                .iter()
                .copied()
                .filter(|line| !confirmed(*line, probe))
                .collect();
            screen.suspects.retain(|suspect| !bad.contains(&suspect.line));
        }
        classes.screens.push(screen);
    }
}

/// Base and member of every class.
pub fn pairs(classes: &Classes) -> Vec<(u64, u64)> {
    let of = |screen: &Screen| -> Vec<(u64, u64)> {
        screen
            .above(classes.threshold)
            .map(|line| (screen.base, line))
            .collect()
    };
    classes.screens.iter().flat_map(of).collect()
}

/// How many random lines conflict with a base. A screen ends with a hit, so its last one does not count.
pub fn conflict_rate(classes: &Classes) -> Proportion {
    let hits: u64 = classes
        .screens
        .iter()
        .map(|s| (s.above(classes.threshold).count() as u64).saturating_sub(1))
        .sum();
    let tested: u64 = classes
        .screens
        .iter()
        .map(|screen| screen.tested.saturating_sub(1))
        .sum();
    Proportion::new(hits, tested)
}
