// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bound on row activations: probing must not disturb the memory it looks at.

use crate::evidence::Stage;
use crate::timer::{Load, Stream, Timer};

/// Accesses of all probing together within any [`WINDOW_NS`]. No access activates more than one row once, so no row is
/// activated more often than this between two of its refreshes, whatever the map is, and no row's neighbours together
/// are. The least that is published to flip a bit is about 4,800 activations of each of two neighbours (LPDDR4).
pub const ACTIVATIONS_PER_WINDOW: u32 = 2_048;

/// The time within which every row is refreshed, in nanoseconds: 64 ms, the longest of the standards (JESD79-3, -4).
pub const WINDOW_NS: f64 = 64e6;

/// A timer that pauses where it must. All accesses of detectors go through it.
///
/// A batch of accesses ends at the bound; then nothing is accessed for a whole window. So any window that touches two
/// batches touches only the end of the one or the beginning of the other.
pub struct Governor<'t> {
    timer: &'t mut dyn Timer,
    /// Accesses of the batch.
    batch: u32,
    accesses: u64,
    pauses: u64,
    started: f64,
    /// Seconds after which searches end.
    limit: f64,
    /// Seconds that had passed when a search was first ended by the limit.
    cut_short: Option<f64>,
    /// Says that somebody wants an end.
    stop: Option<&'t dyn Fn() -> bool>,
}

impl<'t> Governor<'t> {
    /// Governs a timer.
    pub fn new(timer: &'t mut dyn Timer) -> Self {
        let started = timer.now();
        Self {
            timer,
            batch: 0,
            accesses: 0,
            pauses: 0,
            started,
            limit: f64::INFINITY,
            cut_short: None,
            stop: None,
        }
    }

    /// Most rounds of a pair that fit a batch.
    pub const MOST_ROUNDS: u32 = ACTIVATIONS_PER_WINDOW / 2;

    fn admit(&mut self, accesses: u32) {
        debug_assert!(accesses <= ACTIVATIONS_PER_WINDOW);
        if self.batch + accesses > ACTIVATIONS_PER_WINDOW {
            self.timer.wait(WINDOW_NS);
            self.batch = 0;
            self.pauses += 1;
        }
        self.batch += accesses;
        self.accesses += u64::from(accesses);
    }

    /// Mean time of a round of [`Timer::pair`], in nanoseconds. At most [`Self::MOST_ROUNDS`] rounds.
    pub fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64 {
        let rounds = rounds.clamp(1, Self::MOST_ROUNDS);
        self.admit(2 * rounds);
        self.timer.pair(a, b, rounds) / f64::from(rounds)
    }

    /// As [`Timer::streams`], with at most a batch of accesses.
    pub fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64 {
        let accesses = accesses.clamp(1, ACTIVATIONS_PER_WINDOW);
        self.admit(accesses);
        self.timer.streams(streams, accesses)
    }

    /// As [`Timer::series`], with at most a batch of accesses.
    pub fn series(&mut self, line: u64, accesses: u32) -> Vec<Load> {
        let accesses = accesses.clamp(1, ACTIVATIONS_PER_WINDOW);
        self.admit(accesses);
        self.timer.series(line, accesses)
    }

    /// Lets time pass, in nanoseconds.
    pub fn wait(&mut self, nanoseconds: f64) {
        self.timer.wait(nanoseconds);
        if nanoseconds >= WINDOW_NS {
            self.batch = 0;
        }
    }

    /// Begins a new batch, so that all of it is free for measurements that belong together.
    pub fn fresh_batch(&mut self) {
        if self.batch > 0 {
            self.wait(WINDOW_NS);
            self.pauses += 1;
        }
    }

    /// The timer's ranges.
    pub fn ranges(&self) -> &[std::ops::Range<u64>] {
        self.timer.ranges()
    }

    /// The timer's regions.
    pub fn regions(&self) -> Vec<std::ops::Range<u64>> {
        self.timer.regions()
    }

    /// Tells the timer that a stage begins.
    pub fn begins(&mut self, stage: Stage) {
        self.timer.begins(stage);
    }

    /// Ends the search for more after so many seconds of the timer's time.
    pub fn limit(&mut self, seconds: f64) {
        self.limit = seconds;
    }

    /// Ends searches, too, once `stop` says so.
    pub fn stop_when(&mut self, stop: &'t dyn Fn() -> bool) {
        self.stop = Some(stop);
    }

    /// Returns true if somebody wants an end.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }

    /// Returns true if a search has to end: somebody wants an end, or its time is over, which is then noted. A search
    /// calls this before it goes on.
    pub fn is_over(&mut self) -> bool {
        if self.is_stopped() {
            return true;
        }
        let passed = self.timer.now() - self.started;
        let is_over = passed > self.limit * 1e9;
        if is_over {
            self.cut_short.get_or_insert(passed / 1e9);
        }
        is_over
    }

    /// Seconds that had passed when a search was ended by the limit, if one was.
    pub fn cut_short(&self) -> Option<f64> {
        self.cut_short
    }

    /// The timer's time, in nanoseconds.
    pub fn now(&self) -> f64 {
        self.timer.now()
    }

    /// What probing has cost so far.
    pub fn cost(&self) -> Cost {
        Cost {
            accesses: self.accesses,
            pauses: self.pauses,
            seconds: (self.timer.now() - self.started) / 1e9,
        }
    }
}

/// What probing has cost.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Cost {
    /// Memory accesses; each activates at most one row once.
    pub accesses: u64,
    /// Pauses of a whole refresh window.
    pub pauses: u64,
    /// Time on the machine, in seconds.
    pub seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Formula;

    /// Counts accesses in every window of a run.
    struct Counting {
        inner: Formula,
        log: Vec<(f64, u32)>,
    }

    impl Timer for Counting {
        fn ranges(&self) -> &[std::ops::Range<u64>] {
            self.inner.ranges()
        }
        fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64 {
            self.log.push((self.inner.now(), 2 * rounds));
            self.inner.pair(a, b, rounds)
        }
        fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64 {
            self.log.push((self.inner.now(), accesses));
            self.inner.streams(streams, accesses)
        }
        fn series(&mut self, line: u64, accesses: u32) -> Vec<Load> {
            self.log.push((self.inner.now(), accesses));
            self.inner.series(line, accesses)
        }
        fn wait(&mut self, nanoseconds: f64) {
            self.inner.wait(nanoseconds);
        }
        fn now(&self) -> f64 {
            self.inner.now()
        }
    }

    #[test]
    fn a_search_that_the_limit_ends_is_remembered_and_nothing_else() {
        let mut timer = Formula::xor(1 << 30, &[1 << 13]);
        let mut governor = Governor::new(&mut timer);
        governor.limit(5.0);
        assert!(!governor.is_over());
        governor.wait(7e9);
        assert_eq!(governor.cut_short(), None, "nobody has searched any more");
        assert!(governor.is_over());
        governor.wait(7e9);
        assert!(governor.is_over());
        let seconds = governor.cut_short().expect("a search was ended");
        assert!((7.0..7.1).contains(&seconds), "{seconds}");
    }

    #[test]
    fn no_window_holds_more_accesses_than_the_bound() {
        let mut timer = Counting {
            inner: Formula::xor(1 << 30, &[1 << 13]),
            log: Vec::new(),
        };
        let mut governor = Governor::new(&mut timer);
        for i in 0..600u64 {
            governor.pair(i << 12, i << 13, 1 + (i as u32 * 7) % 40);
            if i % 50 == 0 {
                governor.series(i << 12, 700);
                governor.wait(1e6 * i as f64);
            }
        }
        let total = governor.cost().accesses;
        assert_eq!(total, timer.log.iter().map(|(_, n)| u64::from(*n)).sum::<u64>());
        for (at, _) in &timer.log {
            let within: u32 = timer
                .log
                .iter()
                .filter(|(t, _)| (*at..at + WINDOW_NS).contains(t))
                .map(|(_, n)| n)
                .sum();
            assert!(within <= ACTIVATIONS_PER_WINDOW, "{within} accesses from {at} ns on");
        }
    }
}
