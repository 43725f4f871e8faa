// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a plan may go: the planner makes none that the checker could not verify.

/// Most events of a run that proves deadlines for known phases: releases of jobs, and spans of time in which a color may run.
pub const MOST_EVENTS: u64 = 1 << 24;
