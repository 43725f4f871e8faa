// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a plan may go: the planner makes none that the checker could not verify, so both count alike.

use fresco_rt::{Task, Time};

/// Most events of a run that proves deadlines for known phases: releases of jobs, and spans of time in which a color may run.
pub const MOST_EVENTS: u64 = 1 << 24;

/// Events of such a run of `tasks` up to `end`, with so many `spans` in every `length`.
pub(crate) fn events(tasks: &[Task], end: Time, length: Time, spans: u64) -> u64 {
    let releases = tasks.iter().map(|task| end / task.period);
    releases.fold(end.div_ceil(length).saturating_mul(spans), u64::saturating_add)
}
