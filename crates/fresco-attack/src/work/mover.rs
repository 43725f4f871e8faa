// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a core runs to disturb others.

use super::means::Means;
use super::stretch::Stretch;
use crate::pick;
use rand::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Most stretches of a core.
const MOST_STRETCHES: usize = 4;

/// A program of accesses: its stretches, one after the other, again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mover {
    /// Which of its core's tasks it is in place of, counted among them: it has that one's memory.
    pub task: usize,
    /// Instructions before its first access.
    pub wait: u32,
    /// It has jobs, each of which goes once through its stretches; null: it goes on without end.
    pub release: Option<Release>,
    /// One or more.
    pub stretches: Vec<Stretch>,
}

/// When jobs of an attacker come, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Distance, in [`Self::PERIODS_NS`].
    pub period_ns: u64,
    /// The first.
    pub offset_ns: u64,
}

impl Release {
    /// 1 us to a day: a run has no more jobs than it can keep.
    pub const PERIODS_NS: RangeInclusive<u64> = 1_000..=86_400_000_000_000;
}

impl Mover {
    /// Any, of a core with so many tasks.
    pub(crate) fn draw(means: &Means, tasks: usize, rng: &mut Pcg64) -> Self {
        let stretches = match rng.random_bool(0.5) {
            true => vec![Stretch::plain(means, rng)],
            false => (0..rng.random_range(1..=3))
                .map(|_| Stretch::draw(means, rng))
                .collect(),
        };
        Self {
            task: rng.random_range(0..tasks.max(1)),
            wait: 0,
            release: rng.random_bool(0.3).then(|| draw_release(means, rng)).flatten(),
            stretches,
        }
    }

    pub(crate) fn mutate(&mut self, means: &Means, tasks: usize, rng: &mut Pcg64) {
        let one = rng.random_range(0..self.stretches.len());
        match rng.random_range(0..16) {
            0 => self.task = rng.random_range(0..tasks.max(1)),
            1 => self.wait = rng.random_range(0..=means.refresh.min(Stretch::MOST_INSTRUCTIONS)),
            2 | 3 => self.mutate_release(means, rng),
            4 if self.stretches.len() < MOST_STRETCHES => self.stretches.push(Stretch::draw(means, rng)),
            5 if self.stretches.len() > 1 => drop(self.stretches.remove(one)),
            6 if self.stretches.len() < MOST_STRETCHES => self.stretches.push(self.stretches[one]),
            _ => self.stretches[one].mutate(means, rng),
        }
    }

    fn mutate_release(&mut self, means: &Means, rng: &mut Pcg64) {
        match (&mut self.release, rng.random_range(0..4)) {
            (Some(release), 0..=2) => release.offset_ns = rng.random_range(0..release.period_ns.max(1)),
            (Some(_), _) => self.release = None,
            (None, _) => self.release = draw_release(means, rng),
        }
    }
}

/// With one of the periods that there are.
fn draw_release(means: &Means, rng: &mut Pcg64) -> Option<Release> {
    if means.periods_ns.is_empty() {
        return None;
    }
    let period_ns = pick(&means.periods_ns, rng).clamp(*Release::PERIODS_NS.start(), *Release::PERIODS_NS.end());
    Some(Release {
        period_ns,
        offset_ns: rng.random_range(0..period_ns),
    })
}
