// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that "conflicts with" is the relation of row conflicts: the same for all pairs of a class, absent across
//! classes, and absent within a row.

use crate::evidence::{Evidence, Stage};
use crate::probe::{Bulk, Probe};
use crate::screen::Screen;
use crate::stats::{Split, auc, quantile, split};

/// Random lines tried beside the first bases at most: 20 expected conflicts of a memory of 2,048 banks.
const MOST_SCREENED: u64 = 40_000;
/// Suspects asked of the first base, and more where too few of them are conflicts.
const SUSPECTS: [usize; 4] = [16, 32, 64, 128];
/// Random pairs that suspects are compared with.
const ORDINARY_PAIRS: usize = 60;
/// Pairs within a class, and as many of a member with a line outside.
const PAIRS: usize = 100;
/// Lines of a class, at least.
const LEAST_CLASS: usize = 8;
/// Distance of conflicts from other pairs, in deviations within the groups.
const LEAST_SEPARATION: f64 = 4.0;

/// Classes that were found: bases with lines that conflict with them.
pub struct Classes {
    /// Contrast above which a pair conflicts, in nanoseconds.
    pub threshold: f64,
    /// Contrasts of random pairs.
    pub random: Vec<f64>,
    /// Contrasts of pairs within a class, never measured before.
    pub within: Vec<f64>,
    /// Contrasts of members with lines outside their class.
    pub across: Vec<f64>,
    /// The screens, of bases that do not conflict with one another.
    pub screens: Vec<Screen>,
    /// Pairs for re-measuring: conflicting ones and others.
    pub pairs: Vec<(u64, u64, f64)>,
}

/// Finds classes of lines, or says what is missing.
pub fn find(probe: &mut Probe<'_>, evidence: &mut Evidence) -> Option<Classes> {
    let mut bulk = Bulk::measure(probe);
    let mut first = Screen::of(probe.line());
    let random: Vec<f64> = (0..ORDINARY_PAIRS)
        .map(|_| {
            let (a, b) = (probe.line(), probe.line());
            probe.contrast(a, b)
        })
        .collect();
    // Some suspects are only slow lines: go on until enough stand out among them.
    let mut found = None;
    for suspects in SUSPECTS {
        first.go_on(probe, &mut bulk, f64::NEG_INFINITY, suspects, MOST_SCREENED);
        let contrasts = first.suspects.iter().map(|suspect| suspect.contrast);
        found = split(&contrasts.chain(random.iter().copied()).collect::<Vec<_>>());
        let enough =
            |split: &Split| split.separation >= LEAST_SEPARATION && first.above(split.threshold).count() >= LEAST_CLASS;
        if found.as_ref().is_some_and(enough) {
            break;
        }
    }
    let members = |split: &Split, screen: &Screen| screen.above(split.threshold).count();
    let count = found.map_or(0, |split| members(&split, &first));
    if !evidence.at_least(
        Stage::Conflict,
        "lines that stand out beside one line",
        count as f64,
        first.tested,
        LEAST_CLASS as f64,
    ) {
        return None;
    }
    let split = found?;
    probe.governor.begins(Stage::Classes);
    let n = (first.suspects.len() + random.len()) as u64;
    if !evidence.at_least(
        Stage::Conflict,
        "distance of slow pairs from others, in deviations",
        split.separation,
        n,
        LEAST_SEPARATION,
    ) {
        return None;
    }
    let threshold = split.threshold;
    let Some(second) = second_class(probe, &mut bulk, &first, threshold) else {
        evidence.at_least(Stage::Classes, "lines outside the first class", 0.0, first.tested, 1.0);
        return None;
    };
    let classes = Classes {
        threshold,
        random,
        within: Vec::new(),
        across: Vec::new(),
        screens: vec![first, second],
        pairs: Vec::new(),
    };
    equivalence(probe, classes, evidence)
}

/// A class of a line that is not in the first one.
fn second_class(probe: &mut Probe<'_>, bulk: &mut Bulk, first: &Screen, threshold: f64) -> Option<Screen> {
    let base = *first
        .ordinary
        .iter()
        .find(|line| probe.contrast(first.base, **line) <= threshold)?;
    let mut second = Screen::of(base);
    // Where conflicts are rare, the second base may take longer than the first one did.
    let most = MOST_SCREENED.max(2 * first.tested);
    second.go_on(probe, bulk, threshold, LEAST_CLASS, most);
    Some(second)
}

/// Measures pairs that were never measured: two members of a class, a member and a line outside.
fn equivalence(probe: &mut Probe<'_>, mut classes: Classes, evidence: &mut Evidence) -> Option<Classes> {
    let threshold = classes.threshold;
    let stage = Stage::Classes;
    let lines: Vec<Vec<u64>> = classes
        .screens
        .iter()
        .map(|screen| screen.above(threshold).collect())
        .collect();
    let least = lines.iter().map(Vec::len).min().unwrap_or(0);
    if !evidence.at_least(
        stage,
        "lines of each of two classes",
        least as f64,
        2,
        LEAST_CLASS as f64,
    ) {
        return None;
    }
    let mut pairs = Vec::new();
    for round in 0..PAIRS {
        let (own, screen) = (&lines[round % 2], &classes.screens[round % 2]);
        let i = probe.draws.below(own.len() as u64) as usize;
        let j = (i + 1 + probe.draws.below(own.len() as u64 - 1) as usize) % own.len();
        pairs.push((own[i], own[j], true));
        // Outside is a line of the other class, or one that never stood out.
        let outside = match round % 4 {
            2 | 3 if !screen.ordinary.is_empty() => &screen.ordinary,
            _ => &lines[1 - round % 2],
        };
        let other = outside[probe.draws.below(outside.len() as u64) as usize];
        pairs.push((own[i], other, false));
    }
    probe.draws.shuffle(&mut pairs);
    for (a, b, same) in pairs {
        let contrast = probe.contrast(a, b);
        classes.pairs.push((a, b, contrast));
        if same { &mut classes.within } else { &mut classes.across }.push(contrast);
    }
    let (within, across) = (&classes.within, &classes.across);
    let limit = quantile(across, 0.99).max(threshold);
    let above = within.iter().filter(|contrast| **contrast > limit).count() as f64 / within.len() as f64;
    let n = (within.len() + across.len()) as u64;
    // A pair of a class may lie in one row; such lines are few, as candidates lie anywhere.
    let passed = evidence.at_least(stage, "pairs of a class above 99 % of other pairs", above, n, 0.97)
        & evidence.at_least(
            stage,
            "area under the curve, pairs of a class against others",
            auc(within, across),
            n,
            0.985,
        );
    if !passed {
        return None;
    }
    let exceptions = same_row(probe, &lines[0], threshold);
    evidence
        .at_least(
            stage,
            "lines of a class that are fast together: one row",
            exceptions as f64,
            1,
            1.0,
        )
        .then_some(classes)
}

/// Lines that conflict with a whole class, but not with one line of it, near that line: they share its row. Only row
/// buffers make such exceptions.
fn same_row(probe: &mut Probe<'_>, class: &[u64], threshold: f64) -> usize {
    let mut found = 0;
    let steps: Vec<u64> = (6..17).map(|bit| 1 << bit).collect();
    let double = steps
        .iter()
        .enumerate()
        .flat_map(|(i, a)| steps[i + 1..].iter().map(move |b| a | b));
    let all: Vec<u64> = steps.iter().copied().chain(double).collect();
    for step in all {
        let (line, mut others) = (class[0], class[1..].iter());
        let near = line ^ step;
        if !probe.governor.ranges().iter().any(|range| range.contains(&near)) {
            continue;
        }
        let conflicts = others
            .by_ref()
            .take(3)
            .all(|other| probe.contrast(near, *other) > threshold);
        if conflicts && probe.contrast(line, near) <= threshold {
            found += 1;
            if found >= 3 {
                break;
            }
        }
    }
    found
}
