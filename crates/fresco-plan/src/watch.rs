// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who waits for a plan, for how long, and is told how far it is.

use crate::Method;
use crate::refusal::Refusal;
use fresco_rt::{Patience, Progress};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A method at work: the method, the density in Gbit, and how far its search is, once it has told.
pub type Report<'a> = dyn Fn(Method, u32, Option<Progress>) + Sync + 'a;

/// Who waits. By default for ever, and in silence.
///
/// A limit of time makes what is found depend on the machine; without one, the same input has the same plans everywhere.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
    report: Option<&'a Report<'a>>,
    limit: Option<Limit>,
}

#[derive(Clone, Copy)]
struct Limit {
    given: Duration,
    end: Instant,
}

impl<'a> Watch<'a> {
    /// Someone who asks for an end once `stop` says so. `report` is told of each method that begins, and often while it lasts.
    pub fn new(stop: &'a (dyn Fn() -> bool + Sync), report: &'a Report<'a>) -> Self {
        Watch {
            stop: Some(stop),
            report: Some(report),
            limit: None,
        }
    }

    /// The same, for so long from now on.
    pub fn within(self, time: Option<Duration>) -> Self {
        let end = |given| Instant::now().checked_add(given).map(|end| Limit { given, end });
        Watch {
            limit: time.and_then(end),
            ..self
        }
    }

    /// The same for the first of `left` pieces of work: it may take an equal part of the time that is left, so that none starves those after
    /// it.
    pub fn share(self, left: usize) -> Self {
        let share = |limit: Limit| {
            let now = Instant::now();
            let part = limit.end.saturating_duration_since(now) / u32::try_from(left.max(1)).unwrap_or(u32::MAX);
            Limit {
                end: now + part,
                ..limit
            }
        };
        Watch {
            limit: self.limit.map(share),
            ..self
        }
    }

    /// Whether there is a limit that has not come, and nobody has asked for an end.
    pub fn has_time_left(&self) -> bool {
        self.limit.is_some_and(|limit| Instant::now() < limit.end) && !self.is_stopped()
    }

    /// Whether the user has asked for an end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }

    /// Lets a method work, if there is time. One that asks too late, and is told that it is over, is not decided: whatever it says then is no verdict. What
    /// ends without having asked is decided, however long it took.
    pub(crate) fn attempt<T>(
        &self,
        method: Method,
        density_gbit: u32,
        work: impl FnOnce(Patience<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let is_late = || self.limit.is_some_and(|limit| limit.end <= Instant::now());
        if self.is_stopped() || is_late() {
            return Err(self.undecided());
        }
        if let Some(report) = self.report {
            report(method, density_gbit, None);
        }
        let given_up = AtomicBool::new(false);
        let is_over = |progress: Progress| {
            let over = self.is_stopped() || is_late();
            if over {
                given_up.store(true, Ordering::Relaxed);
            } else if let Some(report) = self.report {
                report(method, density_gbit, Some(progress));
            }
            over
        };
        let found = work(Patience::until(&is_over));
        match found {
            Err(_) if given_up.load(Ordering::Relaxed) => Err(self.undecided()),
            found => found,
        }
    }

    fn undecided(&self) -> Refusal {
        Refusal::stopped(match self.limit {
            Some(limit) if !self.is_stopped() => {
                let ps = u64::try_from(limit.given.as_nanos())
                    .unwrap_or(u64::MAX)
                    .saturating_mul(1000);
                format!("not decided within {}", fresco_input::format_duration(ps))
            }
            _ => "not decided: stopped before".to_owned(),
        })
    }
}
