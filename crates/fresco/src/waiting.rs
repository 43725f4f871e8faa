// SPDX-License-Identifier: MIT OR Apache-2.0
//! Planning that the user watches: how far it is, an end that is asked for, a limit of time.

use crate::arguments::duration;
use crate::progress;
use crate::stop::Stop;
use fresco_input::InputError;
use fresco_plan::{Method, Plan, Refusal, TaskSet, Watch, plan_watched};
use fresco_rt::Progress;
use indicatif::ProgressBar;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// From 1 ms to a day, in picoseconds.
const LIMITS: std::ops::RangeInclusive<u64> = 1_000_000_000..=86_400_000_000_000_000;
/// From one word of a search to the next.
const TOLD_EVERY: Duration = Duration::from_millis(200);

/// The value of `--time-limit`.
pub fn time_limit(text: &str) -> Result<Duration, InputError> {
    let ps = duration("--time-limit", text, LIMITS)?;
    Ok(Duration::from_nanos(ps / 1000))
}

/// Runs `work` with someone who waits: the bar, whose message begins with `what`, tells which method is at work, and how far its search is.
pub fn watched<T>(
    bar: &ProgressBar,
    what: &str,
    limit: Option<Duration>,
    stop: &Stop,
    work: impl FnOnce(Watch<'_>) -> T,
) -> T {
    let told = Mutex::new(Instant::now());
    let report = |method: Method, gbit: u32, progress: Option<Progress>| {
        let Ok(mut told) = told.lock() else { return };
        if progress.is_some() && told.elapsed() < TOLD_EVERY {
            return;
        }
        *told = Instant::now();
        let far = progress.map(|at| format!(", {} of at most {} {}", at.done, at.most, at.what));
        let far = far.unwrap_or_default();
        bar.set_message(format!("{what}: {} at {gbit} Gb{far}", method.name()));
    };
    bar.enable_steady_tick(Duration::from_secs(1));
    let stop = || stop.is_asked();
    let made = work(Watch::new(&stop, &report).within(limit));
    bar.finish_and_clear();
    made
}

/// Plans a set.
///
/// # Errors
/// Why there is no plan; of kind [`Stopped`](fresco_plan::refusal::Kind::Stopped) or [`Open`](fresco_plan::refusal::Kind::Open) if that is not decided.
pub fn plan(set: &TaskSet, limit: Option<Duration>, stop: &Stop) -> Result<Plan, Refusal> {
    let what = format!("planning {}", set.name);
    watched(&progress::waiting(&what), &what, limit, stop, |watch| {
        plan_watched(set, watch)
    })
}
