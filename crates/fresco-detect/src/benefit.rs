// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures what a program gains if others keep off its banks, with a control that must show an effect.

use crate::governor::ACTIVATIONS_PER_WINDOW;
use crate::model::Model;
use crate::probe::Probe;
use crate::random::LINE;
use crate::stats::{deviation, mean};
use crate::timer::Stream;
use serde::Serialize;
use std::collections::BTreeSet;

/// Bytes of the pages that an operating system places.
const PAGE: u64 = 4096;
/// Pages of each side.
const PAGES: usize = 24;
/// Pages tried at most, to find them.
const TRIES: usize = 200_000;
/// Other programs.
const BESIDE: usize = 3;
/// Their loads under way at once.
const OUTSTANDING: u32 = 4;
/// Interleaved comparisons.
const COMPARISONS: usize = 16;
/// A gain below this share is none worth having.
pub const LEAST_GAIN: f64 = 0.02;

/// A ratio of times with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Geometric mean over the comparisons.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Comparisons.
    pub n: u64,
}

/// What dividing the banks gains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Benefit {
    /// Latency beside programs on the same page color, as a multiple of that beside programs on other colors; `None`
    /// if no two pages have banks of their own.
    pub pages: Option<Ratio>,
    /// The control: beside programs in exactly the same bank, as a multiple of that beside programs in another bank.
    pub control: Option<Ratio>,
}

impl Benefit {
    /// Returns true if there is surely nothing to gain: no two pages have banks of their own, or the gain is below the
    /// least that counts although the control shows the effect.
    pub fn is_nothing(&self) -> bool {
        match self.pages {
            None => true,
            Some(pages) => {
                let shown = self.control.is_some_and(|control| control.low > 1.0 + LEAST_GAIN);
                shown && pages.high < 1.0 + LEAST_GAIN
            }
        }
    }
}

/// Measures what keeping off the banks of a program's pages does to it.
pub fn measure(probe: &mut Probe<'_>, model: &Model) -> Benefit {
    let banks =
        |page: u64| -> Option<BTreeSet<u64>> { (0..PAGE / LINE).map(|line| model.bank(page + line * LINE)).collect() };
    let victim = probe.line() / PAGE * PAGE;
    let own = banks(victim).unwrap_or_default();
    let (mut same, mut apart) = (Vec::new(), Vec::new());
    for _ in 0..TRIES {
        if same.len() >= 2 * PAGES && apart.len() >= PAGES {
            break;
        }
        let page = probe.line() / PAGE * PAGE;
        // Most pages are neither: one line tells.
        let Some(first) = model.bank(page) else { continue };
        if own.contains(&first) {
            if same.len() < 2 * PAGES && banks(page).is_some_and(|set| set == own) {
                same.push(page);
            }
        } else if apart.len() < PAGES && banks(page).is_some_and(|set| set.is_disjoint(&own)) {
            apart.push(page);
        }
    }
    let enough = same.len() >= 2 * PAGES && apart.len() >= PAGES;
    let pages = enough.then(|| {
        let mut lines = |pages: &[u64]| lines_of(probe, pages);
        let (victim, together, apart) = (lines(&same[..PAGES]), lines(&same[PAGES..]), lines(&apart));
        compare(probe, &victim, &together, &apart)
    });
    Benefit {
        pages,
        control: control(probe, model),
    }
}

/// Lines of one bank against lines of that bank and of another.
fn control(probe: &mut Probe<'_>, model: &Model) -> Option<Ratio> {
    let first = probe.line();
    let bank = model.bank(first)?;
    let mut lines = vec![first];
    let mut others = Vec::new();
    for _ in 0..TRIES {
        if lines.len() >= 2 * PAGES && others.len() >= PAGES {
            let (victim, together) = lines.split_at(PAGES);
            let (victim, together, others) = (victim.to_vec(), together.to_vec(), others);
            return Some(compare(probe, &victim, &together, &others));
        }
        let line = probe.line();
        let own = model.bank(line)?;
        if own == bank && lines.len() < 2 * PAGES {
            lines.push(line);
        } else if own != bank && others.len() < PAGES && others.first().is_none_or(|o| model.bank(*o) == Some(own)) {
            others.push(line);
        }
    }
    None
}

/// A line of each page.
fn lines_of(probe: &mut Probe<'_>, pages: &[u64]) -> Vec<u64> {
    pages
        .iter()
        .map(|page| page + probe.draws.below(PAGE / LINE) * LINE)
        .collect()
}

/// Latency of a chase over `victim` beside programs on `together`, over that beside programs on `apart`.
fn compare(probe: &mut Probe<'_>, victim: &[u64], together: &[u64], apart: &[u64]) -> Ratio {
    let mut logarithms = Vec::new();
    for _ in 0..COMPARISONS {
        let mut beside = |lines: &[u64]| {
            let chase = Stream {
                lines: victim,
                outstanding: 1,
            };
            // Each begins elsewhere, so that they do not go in step.
            let rotated: Vec<Vec<u64>> = (0..BESIDE)
                .map(|_| {
                    let mut lines = lines.to_vec();
                    probe.draws.shuffle(&mut lines);
                    lines
                })
                .collect();
            let others = rotated.iter().map(|lines| Stream {
                lines,
                outstanding: OUTSTANDING,
            });
            let streams: Vec<Stream<'_>> = std::iter::once(chase).chain(others).collect();
            probe.governor.streams(&streams, ACTIVATIONS_PER_WINDOW)
        };
        // In turn first and last, so that a drift hits both.
        let (with, without) = match logarithms.len() % 2 {
            0 => {
                let with = beside(together);
                (with, beside(apart))
            }
            _ => {
                let without = beside(apart);
                (beside(together), without)
            }
        };
        logarithms.push((with / without).ln());
    }
    ratio(&logarithms)
}

/// The ratio of logarithms of single ratios, with Student's interval for 16 of them.
pub(crate) fn ratio(logarithms: &[f64]) -> Ratio {
    let centre = mean(logarithms);
    let spread = 2.131 * deviation(logarithms) / (logarithms.len() as f64).sqrt();
    Ratio {
        value: centre.exp(),
        low: (centre - spread).exp(),
        high: (centre + spread).exp(),
        n: logarithms.len() as u64,
    }
}
