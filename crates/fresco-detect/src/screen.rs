// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looking for lines that conflict with a base line.

use crate::probe::{Bulk, Probe};
use crate::random::LINE;
use serde::Serialize;

/// A line that stood out beside a base, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Suspect {
    /// The line.
    pub line: u64,
    /// Its contrast with the base, in nanoseconds.
    pub contrast: f64,
}

/// What a screen of random lines beside one base found.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// The base.
    pub base: u64,
    /// Lines tried.
    pub tested: u64,
    /// Those that stood out again and again.
    pub suspects: Vec<Suspect>,
    /// Some lines that never stood out.
    pub ordinary: Vec<u64>,
}

/// Lines after which the base is timed again.
const RENEWED: u64 = 64;
/// Ordinary lines that a screen remembers.
const REMEMBERED: usize = 64;

impl Screen {
    /// A screen that has not begun.
    pub fn of(base: u64) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// Tries random lines until `wanted` suspects with a contrast above `threshold` are known, or `most` lines tried.
    pub fn go_on(&mut self, probe: &mut Probe<'_>, bulk: &mut Bulk, threshold: f64, wanted: usize, most: u64) {
        let mut found = self.above(threshold).count();
        let mut single = probe.single(self.base);
        while found < wanted && self.tested < most && !probe.governor.is_over() {
            let line = probe.line();
            if line / LINE == self.base / LINE {
                continue;
            }
            self.tested += 1;
            // Latencies may drift while a screen lasts.
            if self.tested.is_multiple_of(RENEWED) {
                single = probe.single(self.base);
            }
            let glance = probe.glance(self.base, single, line);
            bulk.add(glance);
            if glance <= bulk.limit() {
                if self.ordinary.len() < REMEMBERED {
                    self.ordinary.push(line);
                }
                continue;
            }
            // A refresh or an interrupt slows one run, not two more.
            let again = probe
                .glance(self.base, single, line)
                .min(probe.glance(self.base, single, line));
            if again <= bulk.limit() {
                continue;
            }
            let contrast = probe.contrast(self.base, line);
            found += usize::from(contrast > threshold);
            self.suspects.push(Suspect { line, contrast });
        }
    }

    /// The suspects above a threshold.
    pub fn above(&self, threshold: f64) -> impl Iterator<Item = u64> + '_ {
        self.suspects
            .iter()
            .filter(move |suspect| suspect.contrast > threshold)
            .map(|suspect| suspect.line)
    }
}
