// SPDX-License-Identifier: MIT OR Apache-2.0
//! When ranks are in a window of the plan.

use super::Engine;
use crate::experiment::{Experiment, RefreshPlan};
use fresco_dram::Ps;

/// The windows of the plan, in picoseconds.
pub(super) struct PlannedWindows {
    period: Ps,
    /// By start: start, end and ranks.
    windows: Vec<(Ps, Ps, u64)>,
    longest: Ps,
    /// From here on every rank that has windows is refreshed in them alone.
    pub settled: Ps,
    /// The windows of high mode, and from when on they hold.
    later: Option<(Ps, Box<Self>)>,
}

impl PlannedWindows {
    pub fn new(experiment: &Experiment) -> Option<Self> {
        let change = experiment.mode_change.as_ref();
        let later = change.and_then(|change| {
            let windows = Self::of(experiment, &change.refresh)?;
            Some((change.begins_ns * 1000, Box::new(windows)))
        });
        let windows = Self::of(experiment, &experiment.refresh)?;
        Some(Self { later, ..windows })
    }

    fn of(experiment: &Experiment, plan: &RefreshPlan) -> Option<Self> {
        let RefreshPlan::Windows { period_ns, windows } = plan else {
            return None;
        };
        let timing = &experiment.machine.memory.timing;
        let window = |window: &crate::experiment::RefreshWindow| {
            let start = window.start_ns * 1000;
            let length = timing.clock.to_ps(window.commands * timing.rfc_ab) + experiment.refresh_jitter_ns * 1000;
            (start, start + length, window.ranks)
        };
        let mut windows: Vec<_> = windows.iter().map(window).collect();
        windows.sort_unstable();
        let longest = windows.iter().map(|(start, end, _)| end - start).max().unwrap_or(0);
        let first = |rank: u32| windows.iter().find(|(.., ranks)| ranks >> rank & 1 == 1).map(|w| w.0);
        let settled = (0..experiment.machine.memory.organisation.ranks)
            .filter_map(first)
            .max();
        Some(Self {
            settled: if experiment.in_rhythm { 0 } else { settled.unwrap_or(0) },
            period: period_ns * 1000,
            windows,
            longest,
            later: None,
        })
    }

    /// Returns true if the rank is being refreshed by plan at `at`; before its first window it is not.
    pub fn contains(&self, rank: u32, at: Ps) -> bool {
        if let Some((_, later)) = self.later.as_ref().filter(|(from, _)| at >= *from) {
            return later.contains(rank, at);
        }
        let within = at % self.period;
        let inside = |at: Ps| {
            let upto = self.windows.partition_point(|(start, ..)| *start <= at);
            let near = self.windows[..upto].iter().rev();
            near.take_while(|(start, ..)| at - start < self.longest)
                .any(|(_, end, ranks)| at < *end && ranks >> rank & 1 == 1)
        };
        // A window may reach into the next period.
        inside(within) || at >= self.period && inside(within + self.period)
    }
}

impl Engine<'_> {
    /// Until then some ranks are refreshed as usual, although there is a plan (E34).
    pub(super) fn settled(&self) -> Ps {
        self.windows.as_ref().map_or(0, |windows| windows.settled)
    }
}
