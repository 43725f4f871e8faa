// SPDX-License-Identifier: MIT OR Apache-2.0
//! Windows of time in which servers had too little for their jobs: what they ask of a budget is arithmetic, and most budgets are refused without
//! a run.
//!
//! Jobs that are released and due within a window have to be done there, in whatever slots of the server lie in it. What the first server has in a
//! window grows with its budget, and what it leaves to the second shrinks.

use std::collections::BTreeMap;

use super::accept::ListedJobs;
use crate::budget::least_where;
use crate::time::Time;
use crate::toplevel::Frame;

/// Windows that are kept of each server, the latest first.
const KEPT: usize = 16;

/// Instants `[from, to)`, counted from the start of the first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Window {
    pub from: Time,
    pub to: Time,
}

/// What is known of the servers of a frame, whatever runs in them.
pub(super) struct Windows {
    /// Of each server.
    short: [Vec<Known>; 2],
    /// The frame, which repeats.
    whole: [Known; 2],
}

/// A window of one server.
struct Known {
    window: Window,
    /// What the server has in it at most.
    most: u128,
    /// What the first server takes of that, by the period of the servers.
    taken: BTreeMap<Time, Taken>,
}

/// What the first server has of some instants: of a piece that begins after so much budget, all that is left of the budget, up to its length; and
/// how many such pieces there are.
struct Taken(Vec<(Time, Time, u128)>);

impl Windows {
    /// Nothing is known but the frame.
    pub fn new(frame: &Frame) -> Self {
        let (from, to) = (0, frame.length());
        Windows {
            short: Default::default(),
            whole: [0, 1].map(|color| Known::of(frame, color, Window { from, to })),
        }
    }

    /// Notes that in a window the server of a color had too little.
    pub fn note(&mut self, frame: &Frame, color: usize, window: Window) {
        let known = &mut self.short[color];
        match known.iter().position(|known| known.window == window) {
            Some(place) => known[..=place].rotate_right(1),
            None => {
                known.truncate(KEPT - 1);
                known.insert(0, Known::of(frame, color, window));
            }
        }
    }

    /// Whether the server of a color has too little for the jobs if it has all that its lock leaves.
    pub fn exclude(&self, frame: &Frame, color: usize, jobs: &ListedJobs<'_>) -> bool {
        let mut short = self.short[color].iter();
        jobs.demand_per(frame.length()) > self.whole[color].most
            || short.any(|known| jobs.demand_within(known.window) > known.most)
    }

    /// The least budget of the first server, from `least` on, with which it has enough for its jobs, as far as is known; `None` if it has not with
    /// any.
    pub fn least(&mut self, frame: &Frame, jobs: &ListedJobs<'_>, period: Time, least: Time) -> Option<Time> {
        let whole = self.whole[0].taken(frame, 0, period);
        let least = whole.least_for(jobs.demand_per(frame.length()), least, period)?;
        self.short[0].iter_mut().try_fold(least, |least, known| {
            let demand = jobs.demand_within(known.window);
            known.taken(frame, 0, period).least_for(demand, least, period)
        })
    }

    /// Whether it is known that a budget of the first server leaves the second too little for its jobs.
    pub fn leave_too_little(&mut self, frame: &Frame, jobs: &ListedJobs<'_>, period: Time, budget: Time) -> bool {
        let left = |known: &mut Known| known.most - known.taken(frame, 1, period).with(budget);
        let [_, whole] = &mut self.whole;
        jobs.demand_per(frame.length()) > left(whole)
            || self.short[1]
                .iter_mut()
                .any(|known| jobs.demand_within(known.window) > left(known))
    }
}

impl Known {
    fn of(frame: &Frame, color: usize, window: Window) -> Self {
        let before = |instant: Time| frame.free(color).measure_before(instant, frame.length());
        Known {
            most: before(window.to) - before(window.from),
            taken: BTreeMap::new(),
            window,
        }
    }

    fn taken(&mut self, frame: &Frame, color: usize, period: Time) -> &Taken {
        let window = self.window;
        let taken = self.taken.entry(period);
        taken.or_insert_with(|| Taken::of(frame, color, period, window))
    }
}

impl Taken {
    /// Of the instants of a window at which the server of `color` could run.
    fn of(frame: &Frame, color: usize, period: Time, window: Window) -> Self {
        let (first, own) = (frame.free(0).as_slice(), frame.free(color));
        let mut pieces: BTreeMap<(Time, Time), u128> = BTreeMap::new();
        for number in window.from / period..window.to.div_ceil(period) {
            let begin = number * period;
            // The frame repeats, and holds whole periods.
            let shift = begin / frame.length() * frame.length();
            let (begin, end) = (begin - shift, begin - shift + period);
            let (from, to) = (window.from.saturating_sub(shift), window.to - shift);
            let mut before = 0;
            let place = first.partition_point(|span| span.1 <= begin);
            for &(start, stop) in first[place..].iter().take_while(|span| span.0 < end) {
                let (start, stop) = (start.max(begin), stop.min(end));
                let within = (start.max(from), stop.min(to));
                for &(a, b) in own.overlapping(within.0, within.1) {
                    let (a, b) = (a.max(within.0), b.min(within.1));
                    *pieces.entry((before + (a - start), b - a)).or_insert(0) += 1;
                }
                before += stop - start;
            }
        }
        Taken(
            pieces
                .into_iter()
                .map(|((before, length), count)| (before, length, count))
                .collect(),
        )
    }

    /// With this budget.
    fn with(&self, budget: Time) -> u128 {
        let of = |&(before, length, count): &(Time, Time, u128)| {
            count * u128::from(budget.saturating_sub(before).min(length))
        };
        self.0.iter().map(of).sum()
    }

    /// The least budget from `low` to `most` with at least so much; `None` if there is none.
    fn least_for(&self, demand: u128, low: Time, most: Time) -> Option<Time> {
        if low > most || self.with(most) < demand {
            return None;
        }
        match self.with(low) >= demand {
            true => Some(low),
            false => Some(least_where(low + 1, most, |budget| self.with(budget) >= demand)),
        }
    }
}
